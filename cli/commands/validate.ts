// `sluice validate`: a folder judged as a whole, without a server [F2, F73].

import { readFile } from "node:fs/promises"
import path from "node:path"
import type { Bundle } from "../../src/api/catalog.ts"
import { definitionOf, isProject, text } from "../../local/definition-files.ts"
import type { Command, GivenOptions } from "../command.ts"
import type { Context } from "../context.ts"
import { EXIT } from "../exit.ts"
import { catalogFolder, FOLDERS } from "../../src/core/flow/catalog-kinds.ts"
import { filesOf } from "../project/difference.ts"
import { untestedFlows } from "../dev/affected.ts"
import { counted, FORMATS, rendered, untestedLine, type FoundDiagnostics, type Format } from "../project/places.ts"
import { isFolder, PROJECT_FILE, projectAround } from "../project/project.ts"
import { usage } from "../program.ts"

export const validate: Command = {
  name: "validate",
  says: "check a project, or some of its files, offline",
  words: ["[paths...]"],
  options: [
    { flags: "--format <format>", says: "how to print what is found", choices: FORMATS },
    { flags: "--remote", says: "ask the server instead: check the files against its catalog" },
  ],
  examples: ["validate", "validate flows/triage.yaml", "validate --format github", "validate --format sarif > sluice.sarif"],
  async run(context, words, given) {
    const paths = words.list(0)
    const found = given.flag("remote") ? await remotely(context, paths) : await offline(context, paths)
    const texts = new Map<string, string>(found.texts)
    await Promise.all(
      Object.keys(found.diagnostics).map(async (name) => {
        if (texts.has(name)) return
        const content = await readFile(path.resolve(found.base, name), "utf8").catch(() => undefined)
        if (content !== undefined) texts.set(name, content)
      }),
    )
    const format = formatOf(context, given)
    for (const line of rendered(format, found.diagnostics, (name) => texts.get(name))) context.line(line)
    const isValid = !Object.values(found.diagnostics).some((list) => list.some(isError))
    if (format === "pretty") {
      for (const name of found.named)
        context.line(
          `${name}: ${(found.diagnostics[relative(found.base, context.file(name))] ?? []).some(isError) ? "not valid" : "valid"}`,
        )
      const untested = isValid ? untestedLine(found.untested) : undefined
      if (untested !== undefined) context.line(untested)
      if (found.count > 0 || found.named.length === 0)
        context.line(`${found.count} files: ${isValid ? "valid" : "not valid"}${counted(found.diagnostics)}`)
    }
    return isValid ? EXIT.ok : EXIT.invalid
  },
}

const formatOf = (context: Context, given: GivenOptions): Format =>
  context.isJson ? "json" : (FORMATS.find((format) => format === given.text("format")) ?? "pretty")

interface Verdict {
  readonly diagnostics: FoundDiagnostics
  /** The texts that were checked, where an environment changes files. */
  readonly texts?: ReadonlyMap<string, string>
  /** The folder to which the paths are relative. */
  readonly base: string
  /** The files that were asked for by name. */
  readonly named: readonly string[]
  /** The other files that were asked for. */
  readonly count: number
  /** Flows of whole projects without tests and without a rehearsal. */
  readonly untested: readonly string[]
}

/** What was asked for of one project. */
interface Wanted {
  isWhole: boolean
  readonly files: string[]
  /** Folders within the project, with a slash at the end. */
  readonly below: string[]
}

/** Files and folders are judged within their project, because a flow is valid or not with its agents. */
async function offline(context: Context, paths: readonly string[]): Promise<Verdict> {
  const { judge } = await import("../project/judge.ts")
  const { whyUnchecked } = await import("../types/check-handlers.ts")
  const { cwd } = context.world
  const found: Record<string, FoundDiagnostics[string]> = {}
  const named: string[] = []
  const texts = new Map<string, string>()
  let count = 0
  const untested: string[] = []
  for (const [folder, { isWhole, files, below }] of await wantedOf(context, paths.length === 0 ? ["."] : paths, named)) {
    const { bundle: there, environment } = await context.bundle(folder)
    const bundle = await withFiles(there, environment === null ? files : [], folder)
    const place = (name: string): string => relative(cwd, path.join(folder, name))
    for (const { path: name } of environment?.differs ?? []) texts.set(place(name), filesOf(bundle).get(name) ?? "")
    const { diagnostics, imported } = await judge(bundle, folder)
    const unchecked = whyUnchecked(folder, bundle)
    if (unchecked !== undefined) context.note(unchecked)
    // What a handler imports is asked for with it.
    const isAsked = (name: string): boolean =>
      isWhole || files.includes(name) || imported.has(name) || below.some((start) => name.startsWith(start))
    for (const [name, list] of Object.entries(diagnostics)) if (isAsked(name)) found[name === "" ? "" : place(name)] = list
    if (isWhole) untested.push(...untestedFlows(bundle))
    count += [...filesOf(bundle).keys()].filter((name) => isAsked(name) && !files.includes(name)).length
  }
  return { diagnostics: found, texts, base: cwd, named, count, untested }
}

const relative = (from: string, to: string): string => path.relative(from, to).split(path.sep).join("/")

async function wantedOf(context: Context, paths: readonly string[], named: string[]): Promise<ReadonlyMap<string, Wanted>> {
  const wanted = new Map<string, Wanted>()
  const of = (folder: string): Wanted => {
    const one = wanted.get(folder) ?? { isWhole: false, files: [], below: [] }
    wanted.set(folder, one)
    return one
  }
  for (const name of paths) {
    const start = context.file(name)
    if (!(await isFolder(start))) {
      const folder = await folderOf(start)
      of(folder).files.push(relative(folder, start))
      named.push(name)
      continue
    }
    const around = (await isProject(start)) ? start : ((await projectAround(start)) ?? start)
    if (around === start) of(start).isWhole = true
    else of(around).below.push(`${relative(around, start)}/`)
  }
  return wanted
}

const isError = ({ severity }: { readonly severity: string }): boolean => severity === "error"

const PLACE = new RegExp(`^(.*?)/(?:${Object.keys(FOLDERS).join("|")})/`)

/** The folder that has `flows/`, `agents/` …, for a file in it. */
async function folderOf(file: string): Promise<string> {
  const place = PLACE.exec(file.split(path.sep).join("/"))
  const found = path.basename(file) === PROJECT_FILE ? path.dirname(file) : ((await projectAround(path.dirname(file))) ?? place?.[1])
  if (found === undefined) throw usage(`${file} is in no project: it must be below agents/, flows/, skills/ or code/`)
  return found
}

/** A file that a folder leaves out, such as one with another ending, is judged all the same if it is named. */
async function withFiles(bundle: Bundle, names: readonly string[], folder: string): Promise<Bundle> {
  const whole: Record<string, Record<string, string>> = { ...bundle } as Record<string, Record<string, string>>
  for (const name of names) {
    if (name === PROJECT_FILE) continue
    definitionOf(name)
    const kind = catalogFolder(name)
    whole[kind] = { ...whole[kind], [kind === "settings" ? name : name.slice(kind.length + 1)]: await text(path.join(folder, name)) }
  }
  return whole as Bundle
}

async function remotely(context: Context, paths: readonly string[]): Promise<Verdict> {
  if (paths.length === 0) throw usage("name the files: sluice validate --remote flows/triage.yaml")
  const client = await context.client()
  const diagnostics: Record<string, FoundDiagnostics[string]> = {}
  for (const name of paths) {
    const { kind, path: place } = definitionOf(name)
    const { diagnostics: list } = await client.catalog.validate(kind, await text(context.file(name)), place)
    if (list.length > 0) diagnostics[relative(context.world.cwd, context.file(name))] = list
  }
  return { diagnostics, base: context.world.cwd, named: paths, count: 0, untested: [] }
}
