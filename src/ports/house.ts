// What the HTTP door is given: who a key is, and ports already scoped to that tenant. Nothing else can reach a store [N1].

import type { ToolSpec } from "../core/tool-spec.ts"
import type { IdempotencyPort, RunPort } from "./run.ts"
import type { ArchitectPort } from "./architect.ts"
import type { ToolDef } from "../core/tool-def.ts"
import type { TenantPort } from "./catalog.ts"
import type { ToolCatalogPort } from "./tool-catalog.ts"
import type { McpServers } from "./mcp.ts"
import type { SkillLibrary, Subagents, Tool, ToolPowers } from "./tool.ts"

export type Scope = "runs:write" | "runs:read" | "catalog:write" | "catalog:read" | "tools:call" | "interactions:answer" | "admin"

export interface Caller {
  readonly tenant: string
  /** A name for the journal ("who answered"): never the key itself. */
  readonly name: string
  readonly scopes: readonly Scope[]
}

export interface TenantHouse {
  readonly tenant: TenantPort
  /** `id` is any text: one that is no run id of this tenant gives a port whose `view()` is undefined [H2]. */
  run(id: string): RunPort
  /** A fresh id, or the one derived from (tenant, key) [H4]. */
  runId(idempotencyKey?: string): Promise<string>
  idempotency(key: string): Promise<IdempotencyPort>
  /** Current local and built-in skills, for `skill_read` of the main session. */
  skills(): Promise<SkillLibrary>
  readonly subagents: Subagents
  /** What tools may reach beyond a run: memory, shared files, models. `origin`: where the links they make lead. */
  powers(origin: string): Partial<ToolPowers>
  readonly architect: ArchitectPort
  readonly mcp: McpServers
  /** The tenant's own tools: HTTP tools, and those of MCP servers [T26, T27]. */
  readonly registered: ToolCatalogPort
  /** One of them as a tool that runs. */
  toolOf(def: ToolDef): Tool
}

export interface House {
  /** "local" or anything else; local keys and loopback providers exist only when it is "local" [N5]. */
  readonly environment: string
  readonly version: string
  readonly tools: readonly Tool[]
  /** Tools that the engine answers itself, such as `ask_user`: listed with the reason why they cannot be called here. */
  readonly others?: readonly ToolSpec[]
  /** The caller behind a bearer key, or undefined. Constant time in the key. */
  identify(bearer: string): Promise<Caller | undefined>
  open(caller: Caller): TenantHouse
  /** [T24] What a signed link shows; the link is all the right there is. `refused`: altered or expired; undefined: the file is gone. */
  download(token: string): Promise<Download | "refused" | undefined>
}

export interface Download {
  readonly name: string
  readonly size: number
  readonly contentType?: string
  readonly body: ReadableStream<Uint8Array>
}
