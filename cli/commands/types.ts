// `sluice types`: what the project's flows, agents, code steps and tools take and give, as one file of declarations.

import { readFile } from "node:fs/promises"
import path from "node:path"
import { bundleOf } from "../../local/definition-files.ts"
import { Trouble } from "../../local/trouble.ts"
import type { Command } from "../command.ts"
import { EXIT } from "../exit.ts"
import { configOf, projectAround } from "../project/project.ts"
import { usage } from "../program.ts"

export const types: Command = {
  name: "types",
  says: "write sluice.d.ts: the types of flows, agents, code steps and tools, for the client, handlers, React and tests",
  options: [
    { flags: "--check", says: "write nothing, and exit with 3 if the file is out of date" },
    { flags: "--ask", says: "first ask the server what the tools of MCP servers and of src/index.ts take, and keep it in tools.lock.json" },
  ],
  examples: ["types", "types --check", "types --ask"],
  async run(context, _, given) {
    const folder = await projectAround(context.world.cwd)
    if (folder === undefined) throw usage("there is no sluice.yaml here or above: sluice init makes a project")
    const { toolsOf } = await import("../project/own-tools.ts")
    const bundle = await bundleOf(folder)
    const tools = await toolsOf(folder, (await configOf(folder)).tools)
    const { TYPES_FILE, typesOf, wroteTypes } = await import("../types/typed-project.ts")
    const { keptTools, knownTools } = await import("../types/known-tools.ts")
    if (given.flag("ask")) await keptTools(folder, bundle, tools, await context.client())
    if (given.flag("check")) {
      const before = await readFile(path.join(folder, TYPES_FILE), "utf8").catch(() => "")
      if (before !== typesOf(bundle, { tools, known: await knownTools(folder) }))
        throw new Trouble(`${TYPES_FILE} is not as the project is: sluice types, and commit it`, EXIT.invalid)
      context.show({ file: TYPES_FILE, changed: false }, () => [`${TYPES_FILE} is as the project is`])
      return EXIT.ok
    }
    const changed = await wroteTypes(folder, bundle, tools)
    context.show({ file: TYPES_FILE, changed }, () => [changed ? `+ ${TYPES_FILE}` : `${TYPES_FILE} is as the project is`])
    return EXIT.ok
  },
}
