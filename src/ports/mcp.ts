// MCP servers as tools [T27]: the client's port, which tools and the tenant's object call, and the tenant's list of servers.

import type { ListChange, McpServerSettings } from "../core/tool/mcp-tool.ts"
import type { Json, JsonObject } from "../core/json.ts"
import type { Net } from "./net.ts"

export interface McpTarget {
  readonly url: string
  /** To the first origin only [T21]. */
  readonly secretHeaders?: Readonly<Record<string, string>>
}

export interface McpProgress {
  readonly progress: number
  readonly total?: number
  readonly message?: string
}

/** A tool's answer as its server gave it. */
export interface McpAnswer {
  readonly content: readonly unknown[]
  readonly structured?: Json
  readonly isError: boolean
}

/** Nothing stays open between two calls [J13]. Both throw an McpFault; one of kind `refused` was never sent. */
export interface McpPeer {
  /** All pages of its tools, as they came. */
  list(target: McpTarget, net: Net, signal: AbortSignal): Promise<readonly unknown[]>
  call(
    target: McpTarget,
    call: { readonly tool: string; readonly args: JsonObject },
    net: Net,
    signal: AbortSignal,
    onProgress?: (progress: McpProgress) => void,
  ): Promise<McpAnswer>
}

/** `refused`: by the address guard. `unknown_tool`: the server is there and does not have it. `failed`: anything else. */
export class McpFault extends Error {
  readonly kind: "refused" | "unknown_tool" | "failed"

  constructor(kind: McpFault["kind"], message: string) {
    super(message)
    this.name = "McpFault"
    this.kind = kind
  }
}

export interface McpToolView {
  /** `mcp:SERVER:TOOL`. */
  readonly name: string
  readonly label?: string
  readonly description: string
  readonly parameters: JsonObject
  readonly effect: string
}

export interface McpServerView extends McpServerSettings {
  readonly name: string
  /** SHA-256 of the list that was approved: the tools that agents have. */
  readonly hash: string
  readonly tools: readonly McpToolView[]
  /** When the server was last asked; ISO 8601. */
  readonly checked: string
  /** Listed and not offered. */
  readonly left_out: readonly { readonly tool: string; readonly reason: string }[]
  /** The server lists something else by now; agents have none of it before it is approved. */
  readonly pending?: ListChange & { readonly hash: string; readonly tools: readonly McpToolView[] }
}

/** `refused`: the address. `scope`: the vault has no such value. `unreachable`: it did not answer as an MCP server. `unfit`: its list. */
export type McpRefusal = {
  readonly ok: false
  readonly code: "refused" | "scope" | "unreachable" | "unfit" | "not_found" | "not_pending"
  readonly message: string
}
export type McpResult = { readonly ok: true; readonly server: McpServerView } | McpRefusal

export interface McpServers {
  list(): Promise<readonly McpServerView[]>
  get(name: string): Promise<McpServerView | undefined>
  /** Asks the server for its list and approves what it answers. */
  put(name: string, settings: McpServerSettings): Promise<McpResult>
  /** Asks again; another list than the approved one waits. */
  refresh(name: string): Promise<McpResult>
  approve(name: string, hash: string): Promise<McpResult>
  remove(name: string): Promise<boolean>
}
