// A tenant's vault [T32]. Values go in and come out for the executor alone; everybody else sees scopes and counts.

import type { Redactor } from "../core/secrets/redact.ts"
import type { ToolSpec } from "../core/tool/tool-spec.ts"
import type { ToolPowers } from "./tool.ts"

/** Characters in all values of a tenant, and scopes. */
export const VAULT_SIZE = 65_536
export const MOST_SCOPES = 200

/** As tools name it in `auth`. */
export const isScope = (text: string): boolean => /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$/.test(text) && text !== "__proto__"

export interface SecretRow {
  readonly scope: string
  /** How many. */
  readonly values: number
  /** Milliseconds. */
  readonly updated: number
}

/** Scope → its values, newest first. */
export type Secrets = ReadonlyMap<string, readonly string[]>

export interface SecretsPort {
  list(): Promise<readonly SecretRow[]>
  /** All values of the scope at once, newest first. `full`: the tenant has as many as it may have. */
  put(scope: string, values: readonly string[]): Promise<"ok" | "full">
  /** false: there was none. */
  remove(scope: string): Promise<boolean>
  /** Takes the tenant's secrets out of a text; knows a new one after 5 s at the latest. */
  redactor(): Promise<Redactor>
  /** What a tool is handed: its own scopes, nothing for one that declares none. */
  of(tool: ToolSpec): ToolPowers["secrets"]
}
