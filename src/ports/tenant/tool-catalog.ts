// Defines a tenant's registered tools [T26, T27] in the tenant's object. Runs pin them by hash, so a change or removal affects only later runs.

import type { ToolDef } from "../../core/tool/tool-def.ts"

export interface RegisteredTool {
  readonly name: string
  readonly def: ToolDef
  /** SHA-256 of the canonical JSON of `def`, and the name of its blob. */
  readonly hash: string
  /** Milliseconds. */
  readonly at: number
  /** [F79] The file of the catalog that makes it. */
  readonly file?: string
}

/** Limit: tools of a tenant, including those of its MCP servers. */
export const MAX_TOOLS = 1_000 // limit: registered tools of a tenant, with those of its MCP servers → 422
/** Characters of the definitions of all tools: lists and calls from outside a run read them together. */
export const MAX_TOOL_CHARS = 4_000_000 // limit: characters of all registered tools → 422

export interface ToolCatalogPort {
  registered(): Promise<readonly RegisteredTool[]>
  /** The bodies are durable blobs when this resolves. The caller has checked the names. */
  register(defs: readonly ToolDef[]): Promise<readonly RegisteredTool[]>
  /** false: nothing was there to remove. */
  unregister(name: string): Promise<boolean>
}
