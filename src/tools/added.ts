// Holds the tools and hooks that a project passes to `createWorker` of the package [T1, T2, A10], in addition to own.ts. They are set
// before the first tool is looked up, and do not change afterward.

import type { Tool } from "../ports/tool.ts"

export interface OwnTools {
  /** They behave like built-in tools: one name, policy, approvals, secrets, taint. */
  readonly tools?: readonly Tool[]
  /** Wraps every tool, also those of tenants and MCP servers: `(tool) => wrapTool(tool, hooks)`. */
  readonly around?: (tool: Tool) => Tool
}

let own: OwnTools = {}
let isRead = false

/** Throws after the first look-up of a tool: from then on the list is the same for every run of this isolate. */
export function addOwn(added: OwnTools): void {
  if (isRead) throw new Error("createWorker was called after the first request: call it once, at the top of src/index.ts")
  own = added
}

export function addedTools(): readonly Tool[] {
  isRead = true
  return own.tools ?? []
}

export const aroundAdded = (tool: Tool): Tool => {
  isRead = true
  return own.around?.(tool) ?? tool
}
