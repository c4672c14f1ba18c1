// `sluice schema`: the JSON Schemas of the project's files, where an editor looks for them.

import { mkdir, readdir, readFile, writeFile } from "node:fs/promises"
import path from "node:path"
import type { Command } from "../command.ts"
import { EXIT } from "../exit.ts"
import { DATA, exists, projectAround } from "../project/project.ts"
import { usage } from "../program.ts"
import { ROOT } from "../root.ts"

export const schema: Command = {
  name: "schema",
  says: "write the JSON Schemas of flows for editors: settings for VS Code, a first line for others",
  options: [{ flags: "--headers", says: "also put a yaml-language-server line on top of each flow" }],
  examples: ["schema", "schema --headers"],
  offline: true,
  async run(context, _, given) {
    const folder = await projectAround(context.world.cwd)
    if (folder === undefined) throw usage("there is no sluice.yaml here or above: sluice init makes a project")
    const [packaged, own] = ["schemas", "docs/schemas"].map((name) => path.join(ROOT, name))
    const source = (await exists(packaged ?? "")) ? packaged : own
    const target = path.join(folder, DATA, "schemas")
    await mkdir(target, { recursive: true })
    const names = (await readdir(source ?? "")).filter((name) => name.endsWith(".json"))
    for (const name of names) await writeFile(path.join(target, name), await readFile(path.join(source ?? "", name)))
    const written = names.map((name) => `${DATA}/schemas/${name}`)
    if (await wroteSettings(path.join(folder, ".vscode", "settings.json"))) written.push(".vscode/settings.json")
    const headed = given.flag("headers") ? await putHeaders(folder) : []
    context.show({ written: [...written, ...headed] }, () => [...written, ...headed].map((name) => `+ ${name}`))
    return EXIT.ok
  },
}

/** false: the file is the person's, and stays as it is. */
async function wroteSettings(file: string): Promise<boolean> {
  const settings = {
    "yaml.schemas": { [`./${DATA}/schemas/flow.json`]: ["flows/*.yaml", "!flows/*.rehearsal.yaml", "!flows/*.test.yaml"] },
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

async function putHeaders(folder: string): Promise<string[]> {
  const flows = path.join(folder, "flows")
  const names = (await readdir(flows).catch(() => [])).filter((name) => /\.ya?ml$/.test(name) && !/\.(?:rehearsal|test)\./.test(name))
  const headed: string[] = []
  for (const name of names) {
    const text = await readFile(path.join(flows, name), "utf8")
    if (text.includes("yaml-language-server:")) continue
    await writeFile(path.join(flows, name), `# yaml-language-server: $schema=../${DATA}/schemas/flow.json\n${text}`)
    headed.push(`flows/${name}`)
  }
  return headed
}
