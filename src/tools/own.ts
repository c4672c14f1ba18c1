// What the host of this Worker adds [T1, T2, A10]: the one file here that is there to be changed. Nothing ships in it.
//
// A tool of one's own is written for this contract (`defineTool`), or for Flynn or flowai, and is then like any that ships: one name,
// policy, approvals, secrets, taint. `around` stands around every tool there is, those of tenants and of MCP servers too:
//
//   import { fromFlynn } from "../engine/dialects/flynn.ts"
//   import { wrapTool } from "../engine/run/tool-hooks.ts"
//   export const OWN_TOOLS: readonly Tool[] = [fromFlynn(invoices, { effect: "read" })]
//   export const around = (tool: Tool): Tool => wrapTool(tool, { before: ({ tool }) => ({ block: closed(tool.name) }) })

import type { Tool } from "../ports/tool.ts"

export const OWN_TOOLS: readonly Tool[] = []

export const around = (tool: Tool): Tool => tool
