// A tool of a project: it sends something and changes a file in one call, as no tool of Sluice does.

import { text, type Tool } from "../../../src/ports/tool.ts"

/** The book of orders, which several steps write. */
const BOOK = "orders.txt"

export const order: Tool = {
  name: "order",
  label: "Order",
  description: "orders, and notes it",
  parameters: {
    type: "object",
    properties: { url: { type: "string" }, what: { type: "string" } },
    required: ["url", "what"],
    additionalProperties: false,
  },
  effect: "write",
  contexts: ["main", "agent"],
  groups: ["web"],
  reach: { to: { arg: "url" }, method: { fixed: "POST" } },

  async execute(_callId, params, signal, _onUpdate, { net, workspace }) {
    const what = String(params["what"])
    const before = await workspace.read(BOOK)
    const answer = await net?.fetch({ url: String(params["url"]), method: "POST", body: what }, signal)
    const known = before === undefined ? "" : new TextDecoder().decode(before)
    await workspace.write(BOOK, new TextEncoder().encode(`${known}${what}\n`))
    return text(`ordered: ${answer?.status}`)
  },
}
