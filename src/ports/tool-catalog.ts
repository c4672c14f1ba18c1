// A tenant's own tools [T26, T27], as its object keeps them. Runs pin them by hash; a change or a removal meets the next run.

import type { ToolDef } from "../core/tool/tool-def.ts"

export interface RegisteredTool {
  readonly name: string
  readonly def: ToolDef
  /** SHA-256 of the canonical JSON of `def`; its blob has this name. */
  readonly hash: string
  /** Milliseconds. */
  readonly at: number
}

export interface ToolCatalogPort {
  registered(): Promise<readonly RegisteredTool[]>
  /** The bodies are durable blobs when it resolves. Names were checked by the caller. */
  register(defs: readonly ToolDef[]): Promise<readonly RegisteredTool[]>
  /** false: there was none. */
  unregister(name: string): Promise<boolean>
}
