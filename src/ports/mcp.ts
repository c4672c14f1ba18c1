// Defines MCP servers as tools [T27]: the client port, used by tools and the tenant's object, and the tenant's list of servers.

import type { AnsweredQuestion, ServerQuestion } from "../core/tool/elicitation.ts"
import type { ListChange, McpServerSettings } from "../core/tool/mcp-tool.ts"
import type { Json, JsonObject, JsonSchema } from "../core/json.ts"
import type { ConnectAsked, ConnectEnded, ConnectionShown, SignInReturn } from "./tenant/mcp-connections.ts"
import type { Redactor } from "../core/secrets/redact.ts"
import type { Net } from "./net.ts"

export interface McpTarget {
  readonly url: string
  /** Sent only to the first origin [T21]. */
  readonly secretHeaders?: Readonly<Record<string, string>>
  readonly oauth?: McpOAuth
  /** A person's connection [T27]: its access token, from wherever it is kept. */
  readonly connection?: McpBearer
  /** [T32] Every secret of the tenant: a fault shows the beginning of what the server said, and only without them. */
  readonly redactor?: () => Redactor
}

export interface McpBearer {
  /** undefined: nobody has connected the server, or no longer. */
  token(): Promise<string | undefined>
  /** The server does not take `rejected`: another one, or undefined when a person has to connect again. */
  renewed(rejected: string): Promise<string | undefined>
}

/** Client credentials. `issuer`: the only authorization server that gets the secret, whatever the MCP server says. */
export interface McpOAuth {
  readonly client: string
  readonly secret: string
  readonly issuer: string
}

export interface McpProgress {
  readonly progress: number
  readonly total?: number
  readonly message?: string
}

/** A tool's result, as its server sent it. */
export interface McpAnswer {
  readonly content: readonly unknown[]
  readonly structured?: Json
  readonly isError: boolean
}

/** The server asks a person before it answers. `state`: must be sent back unchanged with the next call. */
export interface McpAsks {
  readonly questions: readonly ServerQuestion[]
  readonly state?: string
}

export interface McpCall {
  readonly tool: string
  readonly args: JsonObject
  /** As it was pinned: it says which arguments are headers too. */
  readonly parameters?: JsonSchema
  /** Present: a person can be asked. What was answered before, and the server's note. */
  readonly asking?: { readonly answered: readonly AnsweredQuestion[]; readonly state?: string }
}

/** No connection stays open between calls [J13]. Both methods throw an McpFault; kind `refused` means that nothing was sent. */
export interface McpPeer {
  /** The server's tools from all pages, unchanged. */
  list(target: McpTarget, net: Net, signal: AbortSignal): Promise<readonly unknown[]>
  call(
    target: McpTarget,
    call: McpCall,
    net: Net,
    signal: AbortSignal,
    onProgress?: (progress: McpProgress) => void,
  ): Promise<McpAnswer | McpAsks>
}

/**
 * `refused`: by the address guard. `unknown_tool`: the server answered that it has no such tool. `unauthorized`: it requires a token, or a
 * different one. `failed`: anything else.
 */
export class McpFault extends Error {
  readonly kind: "refused" | "unknown_tool" | "unauthorized" | "failed"
  /** `unauthorized`: the server's challenge, which names who gives tokens. */
  readonly challenge: string | undefined

  constructor(kind: McpFault["kind"], message: string, challenge?: string) {
    super(message)
    this.name = "McpFault"
    this.kind = kind
    this.challenge = challenge
  }
}

export interface McpToolView {
  /** `mcp:SERVER:TOOL`. */
  readonly name: string
  readonly label?: string
  readonly description: string
  readonly parameters: JsonObject
  readonly effect: string
  /** About how many it takes in a prompt. */
  readonly tokens: number
}

export interface McpServerView extends McpServerSettings {
  readonly name: string
  /** SHA-256 of the approved list, which is the tools that agents can use; that of an empty list before the first approval. */
  readonly hash: string
  readonly tools: readonly McpToolView[]
  /** When the server was last asked for its list; ISO 8601. */
  readonly checked: string
  /** Tools that the server lists but agents cannot use. */
  readonly left_out: readonly { readonly tool: string; readonly reason: string }[]
  /** Present: a person connects it. */
  readonly connection?: ConnectionShown
  /** The server's list is not the approved one; agents get its tools only after approval. */
  readonly pending?: ListChange & { readonly hash: string; readonly tools: readonly McpToolView[] }
}

/** `refused`: bad address. `scope`: no such scope in the vault. `unreachable`: no valid MCP answer. `unfit`: its tool list is not usable. */
export type McpRefusal = {
  readonly ok: false
  readonly code: "refused" | "scope" | "unreachable" | "unfit" | "not_found" | "not_pending"
  readonly message: string
}
export type McpResult = { readonly ok: true; readonly server: McpServerView } | McpRefusal

export interface McpServers {
  list(): Promise<readonly McpServerView[]>
  get(name: string): Promise<McpServerView | undefined>
  /** Asks the server for its list, which waits for approval unless it was approved already, or `approve` says that it is. */
  put(name: string, settings: McpServerSettings, approve: boolean): Promise<McpResult>
  /** What `put` without an approval would answer; nothing is kept. */
  preview(name: string, settings: McpServerSettings): Promise<McpResult>
  /** Asks again; a list that differs from the approved one waits for approval. */
  refresh(name: string): Promise<McpResult>
  approve(name: string, hash: string): Promise<McpResult>
  /** The page where a person connects the server. */
  connect(name: string, asked: ConnectAsked): Promise<{ readonly ok: true; readonly url: string } | McpRefusal>
  /** The person's browser is back. Looks at the server's list, which waits for approval unless a PUT said otherwise. */
  connected(name: string, returned: SignInReturn): Promise<ConnectEnded>
  remove(name: string): Promise<boolean>
}
