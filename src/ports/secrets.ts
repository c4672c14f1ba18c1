// Defines a tenant's vault [T32]. Only the executor gets the values; all other code gets scopes and counts.

import type { SecretRow as SecretShown } from "../api/doc/settings.doc.ts"
import type { Row } from "../api/rows.ts"
import type { Redactor } from "../core/secrets/redact.ts"
import type { ToolSpec } from "../core/tool/tool-spec.ts"
import type { ToolPowers } from "./tool.ts"

/** Limit: characters of all secrets of a tenant → 422. */
export const VAULT_SIZE = 65_536
export const MOST_SCOPES = 200 // limit: scopes of a tenant's vault → 422

/** Tells whether this is a valid scope name, as in a tool's `auth`. */
export const isScope = (text: string): boolean => /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$/.test(text) && text !== "__proto__"

export type SecretRow = Row<typeof SecretShown>

/** The values by scope, newest first. */
export type Secrets = ReadonlyMap<string, readonly string[]>

/** A vault in transit from one isolate to another, inside a call between the Worker's own objects. */
export interface CarriedVault {
  /** The opened vault, as JSON. */
  readonly from: string
  /** When it was asked for, in milliseconds since 1970. */
  readonly at: number
}

/** The decrypted vault, which never leaves the Worker: scope → values, provider → key. A provider's key is a secret like any other [N6]. */
export interface Opened {
  readonly vault: Readonly<Record<string, readonly string[]>>
  readonly keys: Readonly<Record<string, string>>
}

export interface SecretsPort {
  list(): Promise<readonly SecretRow[]>
  /** Replaces all values of the scope, newest first. `full`: the tenant has reached its limit. */
  put(scope: string, values: readonly string[]): Promise<"ok" | "full">
  /** false: there is no such scope. */
  remove(scope: string): Promise<boolean>
  /** Removes the tenant's secrets from texts. A new secret takes effect within 5 seconds. */
  redactor(): Promise<Redactor>
  /** The secrets of the scopes that the tool declares. */
  of(tool: ToolSpec): ToolPowers["secrets"]
}
