// Adds a deployment's own tools and hooks [T1, T2, A10]. This is the only file in the folder meant for editing; it ships empty.
//
// Write a custom tool for this contract (`defineTool`), or for Flynn or flowai. It then behaves like any built-in tool: one name,
// policy, approvals, secrets, taint. `around` wraps every tool, including those of tenants and MCP servers:
//
//   import { fromFlynn } from "../engine/dialects/flynn.ts"
//   import { wrapTool } from "../engine/run/call/tool-hooks.ts"
//   export const OWN_TOOLS: readonly Tool[] = [fromFlynn(invoices, { effect: "read" })]
//   export const around = (tool: Tool): Tool => wrapTool(tool, { before: ({ tool }) => ({ block: closed(tool.name) }) })

import type { Tool } from "../ports/tool.ts"

export const OWN_TOOLS: readonly Tool[] = []

export const around = (tool: Tool): Tool => tool
