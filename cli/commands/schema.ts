// `sluice schema`: the JSON Schemas of the project's files, where an editor looks for them.

import { mkdir, readdir, readFile, writeFile } from "node:fs/promises"
import path from "node:path"
import { CATALOG_KINDS, ITEM_KINDS, SETTING_FILES } from "../../src/core/flow/catalog-kinds.ts"
import type { Command } from "../command.ts"
import { EXIT } from "../exit.ts"
import { DATA, exists, projectAround } from "../project/project.ts"
import { PACKAGE } from "../package-name.ts"
import { installed } from "../project/installed.ts"
import { usage } from "../program.ts"
import { ROOT } from "../root.ts"

export const schema: Command = {
  name: "schema",
  says: "write JSON Schemas of the project's files for editors: settings for VS Code, a first line in each file for others",
  options: [{ flags: "--headers", says: "also put a yaml-language-server line at the top of each file" }],
  examples: ["schema", "schema --headers"],
  offline: true,
  async run(context, _, given) {
    const folder = await projectAround(context.world.cwd)
    if (folder === undefined) throw usage("there is no sluice.yaml here or above: sluice init makes a project")
    const [place, written] = await schemasOf(folder)
    if (await wroteSettings(path.join(folder, ".vscode", "settings.json"), place)) written.push(".vscode/settings.json")
    const headed = given.flag("headers") ? await putHeaders(folder, place) : []
    context.show({ written: [...written, ...headed] }, () => [...written, ...headed].map((name) => `+ ${name}`))
    return EXIT.ok
  },
}

/** Where the schemas are, relative to the project, and what was written for it: nothing where the package is installed, so that a colleague's
 *  editor finds them after `npm install`. */
async function schemasOf(folder: string): Promise<readonly [string, string[]]> {
  const found = await installed(folder, PACKAGE)
  if (found?.isOurs === true && (await exists(path.join(found.folder, "schemas"))))
    return [path.relative(folder, path.join(found.folder, "schemas")).split(path.sep).join("/"), []]
  const [packaged, own] = ["schemas", "docs/schemas"].map((name) => path.join(ROOT, name))
  const source = (await exists(packaged ?? "")) ? packaged : own
  const target = path.join(folder, DATA, "schemas")
  await mkdir(target, { recursive: true })
  const names = (await readdir(source ?? "")).filter((name) => name.endsWith(".json"))
  for (const name of names) await writeFile(path.join(target, name), await readFile(path.join(source ?? "", name)))
  return [`${DATA}/schemas`, names.map((name) => `${DATA}/schemas/${name}`)]
}

/** Each schema with the files that it describes; of flows, not those beside them. */
const OF: Readonly<Record<string, readonly string[]>> = {
  flow: ["flows/**/*.yaml", "!flows/**/*.rehearsal.yaml", "!flows/**/*.test.yaml"],
  rehearsal: ["flows/**/*.rehearsal.yaml"],
  test: ["flows/**/*.test.yaml", "tests/**/*.test.yaml"],
  ...Object.fromEntries(ITEM_KINDS.map((kind) => [kind, [`${CATALOG_KINDS[kind].folder}/*.yaml`]])),
  ...Object.fromEntries(SETTING_FILES.map((name) => [name, [`${name}.yaml`]])),
  project: ["sluice.yaml"],
}

/** false: the file is the person's, and stays as it is. */
async function wroteSettings(file: string, place: string): Promise<boolean> {
  const settings = {
    "yaml.schemas": Object.fromEntries(Object.entries(OF).map(([name, globs]) => [`./${place}/${name}.json`, globs])),
  }
  await mkdir(path.dirname(file), { recursive: true })
  try {
    await writeFile(file, `${JSON.stringify(settings, null, 2)}\n`, { flag: "wx" })
    return true
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false
    throw error
  }
}

async function putHeaders(folder: string, place: string): Promise<string[]> {
  const headed: string[] = []
  for (const [name, globs] of Object.entries(OF)) {
    for (const file of await matching(folder, globs)) {
      const text = await readFile(path.join(folder, file), "utf8")
      if (text.includes("yaml-language-server:")) continue
      const up = "../".repeat(file.split("/").length - 1) || "./"
      // A byte order mark is one only at the very start, and a file keeps its kind of line end.
      const [mark, rest] = text.startsWith("\uFEFF") ? ["\uFEFF", text.slice(1)] : ["", text]
      const end = rest.includes("\r\n") ? "\r\n" : "\n"
      await writeFile(path.join(folder, file), `${mark}# yaml-language-server: $schema=${up}${place}/${name}.json${end}${rest}`)
      headed.push(file)
    }
  }
  return headed
}

/** The files of `flows/**\/*.test.yaml`, `hooks/*.yaml` or `policy.yaml`, without those of a glob that begins with `!`. */
async function matching(folder: string, globs: readonly string[]): Promise<readonly string[]> {
  const found = new Set<string>()
  for (const glob of globs) {
    const names = await filesOf(folder, glob.replace(/^!/, ""))
    for (const name of names)
      if (glob.startsWith("!")) found.delete(name)
      else found.add(name)
  }
  return [...found].sort()
}

async function filesOf(folder: string, glob: string): Promise<readonly string[]> {
  if (!glob.includes("/")) return (await exists(path.join(folder, glob))) ? [glob] : []
  const [root = ""] = glob.split("/")
  const names = await readdir(path.join(folder, root), { recursive: glob.includes("**") }).catch(() => [])
  const ending = glob.slice(glob.lastIndexOf("*") + 1)
  return names.map((name) => `${root}/${name.split(path.sep).join("/")}`).filter((name) => name.endsWith(ending))
}
