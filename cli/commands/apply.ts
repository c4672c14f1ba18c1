// `plan` and `apply`: what an apply of the project does to the server, and doing it. An apply is one revision of the catalog, or nothing. It
// does what its plan says: if somebody writes to the catalog between the two, and that changes the plan, nothing is written.

import { SluiceError } from "../../src/client/transport/sluice-error.ts"
import type { Applied } from "../../src/api/doc/catalog.doc.ts"
import type { Bundle } from "../../src/api/catalog.ts"
import type { Diagnostic } from "../../src/core/diagnostic.ts"
import { plain } from "../../local/show-run.ts"
import { gateLines, refusedGate } from "../shown/gate-lines.ts"
import { asAuthored, unfolded } from "../../local/openapi-document.ts"
import { Trouble } from "../../local/trouble.ts"
import { defined } from "../../src/core/defined.ts"
import type { Command, GivenOptions } from "../command.ts"
import type { Context } from "../context.ts"
import { EXIT } from "../exit.ts"
import { atSources, type PackedHandler } from "../handlers/packed.ts"
import { filesOf } from "../project/difference.ts"
import { rendered } from "../project/places.ts"
import { DiffLines, diffsOf } from "../project/plan-diff.ts"
import { changesNothing, isSamePlan, onlyThere, planLines, projectName, type ProjectPlan } from "../project/planned.ts"
import { configOf, configText, PROJECT_FILE, projectAround } from "../project/project.ts"

const PRUNE = { flags: "--prune", says: "also remove what is only on the server, in the folders that the project has" }

export const plan: Command = {
  name: "plan",
  says: "show what apply would change, break and overwrite; nothing is written",
  words: ["[folder]"],
  options: [PRUNE, { flags: "--full", says: "show every line that differs, and the new and removed files too" }],
  examples: ["plan", "plan --full", "plan --env production", "plan --prune --profile production", "plan --json | jq .changed"],
  async run(context, words, given) {
    const project = await projectOf(context, words.maybe(0))
    const planned = await planOf(context, project, given)
    const isFull = given.flag("full")
    const { added, changed, removed } = planned
    // A handler that is sent with what it imports is no text of a person's: its line has its size and hash.
    const isBuilt = (name: string): boolean => project.handlers.some(({ path }) => path === name)
    const differing = (isFull ? [...added, ...changed, ...removed] : changed).filter((path) => !isBuilt(path))
    const diffs = diffsOf(differing, await textsOf(context, project.bundle, differing.length))
    const { url } = await context.connection()
    const { gate, revision } = planned
    const below = new DiffLines(diffs, { isFull, hasColor: context.hasColor })
    context.show({ ...planned, diffs: Object.fromEntries(diffs), url }, () => [
      ...planLines(planned, (path) => below.of(path)),
      ...rendered("pretty", planned.diagnostics, (path) => project.texts.get(path)),
      changesNothing(planned) ? `${url} has all of it` : summary(planned, `${url}, now at revision ${revision}`),
    ])
    return gate.passed ? EXIT.ok : EXIT.failed
  },
}

export const apply: Command = {
  name: "apply",
  says: "send the project to the server, as one revision or not at all",
  words: ["[folder]"],
  options: [
    PRUNE,
    { flags: "-y, --yes", says: "do not ask before removing" },
    { flags: "--force", says: "write although the gate fails; needs a key with the scope admin" },
  ],
  examples: ["apply", "apply --prune --yes", "apply --env production", "apply --profile production"],
  whole: true,
  async run(context, words, given) {
    const project = await projectOf(context, words.maybe(0))
    const planned = await planOf(context, project, given)
    const { url } = await context.connection()
    if (changesNothing(planned)) {
      // Somebody else brought the catalog here: drift is counted from this apply on.
      if (planned.drift.since === null || planned.drift.changes.length > 0) await send(context, project, planned, given)
      context.show({ ...planned, revision: null, url }, () => [`${url} has all of it: nothing to apply`])
      return EXIT.ok
    }
    if (!context.isJson) for (const line of planLines(planned)) context.line(line)
    if (!planned.gate.passed && !given.flag("force"))
      throw new Trouble("nothing was written: the gate fails. Fix what it names, or apply --force with an admin key", 1)
    if (planned.removed.length > 0 && context.isTerminal && !given.flag("yes") && !(await agreed(planned.removed.length))) {
      context.line("nothing was changed")
      return EXIT.ok
    }
    const { revision, breaks, ...sent } = await send(context, project, planned, given)
    const diagnostics = atSources(sent.diagnostics, project)
    if (!context.isJson) for (const line of rendered("pretty", diagnostics, (path) => project.texts.get(path))) context.line(line)
    context.show({ ...planned, breaks, diagnostics, revision, url }, () => [summary(planned, `${url}, revision ${revision}`)])
    return EXIT.ok
  },
}

interface Project {
  /** As it is sent. */
  readonly bundle: Bundle
  readonly handlers: readonly PackedHandler[]
  /** What its files say, as their authors wrote them. */
  readonly texts: ReadonlyMap<string, string>
  readonly name: string | undefined
  readonly environment: ProjectPlan["environment"]
}

/** The folder is judged first, so that no request is made for what cannot be applied. */
async function projectOf(context: Context, folder: string | undefined): Promise<Project> {
  const root = folder === undefined ? ((await projectAround(context.world.cwd)) ?? context.world.cwd) : context.file(folder)
  context.about(root)
  const { bundle: files, environment } = await context.bundle(root)
  const { judge } = await import("../project/judge.ts")
  const { valid, diagnostics, bundle, handlers, imported } = await judge(files, root)
  const texts = new Map([...(await asAuthored(root, filesOf(files))), ...imported, [PROJECT_FILE, await configText(root)]])
  if (!valid) refuse(context, diagnostics, texts)
  return { bundle, handlers, texts, environment, name: projectName((await configOf(root)).name) }
}

/** The texts of both sides. The server's are asked for if any of its files differs. */
async function textsOf(context: Context, bundle: Bundle, differing: number): Promise<Parameters<typeof diffsOf>[1]> {
  const theirs = differing === 0 ? {} : await (await context.client()).catalog.export()
  return { ours: inLines(bundle), theirs: inLines(theirs) }
}

const inLines = (bundle: Bundle): ReadonlyMap<string, string> =>
  new Map([...filesOf(bundle)].map(([path, text]) => [path, path.startsWith("tools/") ? unfolded(text) : text]))

function refuse(context: Context, diagnostics: Readonly<Record<string, readonly Diagnostic[]>>, texts: ReadonlyMap<string, string>): never {
  for (const line of rendered(context.isJson ? "json" : "pretty", diagnostics, (path) => texts.get(path))) context.line(line)
  throw new Trouble("nothing was sent: the project is not valid", EXIT.invalid)
}

async function planOf(context: Context, { bundle, name, handlers, environment }: Project, given: GivenOptions): Promise<ProjectPlan> {
  const client = await context.client()
  const mode = given.flag("prune") ? "replace" : "merge"
  const planned = await client.catalog.plan({ mode, ...bundle }, defined({ project: name }))
  const kept = mode === "replace" ? [] : onlyThere(bundle, await client.catalog.list())
  const diagnostics = atSources(planned.diagnostics, { bundle, handlers })
  return { ...planned, diagnostics, mode, project: name ?? null, kept, handlers, diffs: {}, environment }
}

/** A catalog that moves is planned again as often. */
const TRIES = 3

async function send(context: Context, project: Project, planned: ProjectPlan, given: GivenOptions): Promise<Applied> {
  const client = await context.client()
  const { bundle, name } = project
  let ifRevision = planned.revision
  for (let left = TRIES; ; left--) {
    const options = { ifRevision, ...defined({ project: name }), force: given.flag("force") }
    try {
      return await (planned.mode === "replace" ? client.catalog.replace(bundle, options) : client.catalog.merge(bundle, options))
    } catch (error) {
      if (!(error instanceof SluiceError)) throw error
      if (error.code === "gate_pending") {
        left++
        context.note(pendingText(error))
        continue
      }
      if (error.code === "gate_failed")
        throw new Trouble([error.message, ...gateLines({ gate: refusedGate(error) })].join("\n"), EXIT.failed)
      if (error.code !== "stale") throw error
      const now = await planOf(context, project, given)
      // Nothing left to do: an answer was lost on the way, and this apply is what is there.
      if (left === 1 || !(isSamePlan(planned, now) || changesNothing(now)))
        throw new Trouble(
          `nothing was written: someone else changed the catalog, which is now at revision ${now.revision}. Look at it (sluice plan), then apply again`,
          EXIT.failed,
        )
      ifRevision = now.revision
    }
  }
}

/** [V42] The server itself waits for a while, and has said when to ask again. */
function pendingText({ problem }: SluiceError): string {
  const { experiment, flows } = problem
  const what = typeof experiment === "string" ? `the experiment ${experiment}` : "a place for an experiment"
  return `the gate waits for ${what}${Array.isArray(flows) ? ` (${flows.map(plain).join(", ")})` : ""}`
}

const summary = ({ added, changed, removed }: ProjectPlan, where: string): string =>
  `${added.length} to add, ${changed.length} to change, ${removed.length} to remove (${where})`

async function agreed(files: number): Promise<boolean> {
  const { confirm } = await import("@clack/prompts")
  const said = await confirm({ message: `Remove ${files} ${files === 1 ? "file" : "files"} from the server?`, initialValue: false })
  return said === true
}
