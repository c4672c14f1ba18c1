// Lists, registers and calls tools.

import { plain } from "../../../local/show-run.ts"
import { defined } from "../../../src/core/defined.ts"
import type { Command } from "../../command.ts"
import { EXIT } from "../../exit.ts"
import { usage } from "../../program.ts"
import { SluiceError } from "../../../src/client/transport/sluice-error.ts"
import { exactJson } from "../../../src/core/outside/exact-json.ts"
import type { JsonObject } from "../../../src/core/json.ts"
import { bodyIn, listed, removed } from "./shapes.ts"

const toolPut: Command = {
  name: "tools put",
  says: "register an HTTP tool from a file",
  words: ["<name>", "<file>"],
  examples: ["tools put orders.find orders-find.yaml"],
  async run(context, words) {
    const row = await (await context.client()).tools.put(words.text(0), await bodyIn(context, words.text(1)))
    context.show(row, () => [`${words.text(0)} is registered`])
    return EXIT.ok
  },
}

const toolCall: Command = {
  name: "tools call",
  says: "call a tool outside a run",
  words: ["<name>", "[args]"],
  options: [{ flags: "--workspace <name>", says: "a workspace for its files: any name you like" }],
  examples: [`tools call web.fetch '{"url": "https://example.com"}'`, `tools call bash '{"command": "ls"}' --workspace notes`],
  async run(context, words, given) {
    const text = words.maybe(1) ?? "{}"
    let args: JsonObject
    try {
      args = exactJson(text) as JsonObject
    } catch {
      throw usage(`${text.slice(0, 80)}: this is not JSON`)
    }
    const client = await context.client()
    const found = await client.tools.call(words.text(0), args, defined({ workspace: given.text("workspace") })).catch(needingFiles)
    context.show(found, () => plain(JSON.stringify(found, null, 2)).split("\n"))
    return found["isError"] === true ? EXIT.failed : EXIT.ok
  },
}

/** The option, in place of the query's name. */
function needingFiles(error: unknown): never {
  if (error instanceof SluiceError && error.errors.some(({ pointer }) => pointer === "/workspace"))
    throw usage("this tool works on files: name their workspace, as --workspace notes")
  throw error
}

export const tools: readonly Command[] = [
  listed("tools", "list the tools, shipped and registered", (client) => client.tools.list(), ["name", "description"]),
  toolCall,
  toolPut,
  removed("tools", { says: "remove a registered tool", example: "orders.find", of: (client, id) => client.tools.delete(id) }),
]
