// Defines references [C20–C26, T40]: names for a tenant's values, so that a conversation contains the name and not the value. A reference
// that is missing, has expired, or belongs to another tenant is always "not found".

import type { Json, JsonObject } from "../core/json.ts"

export interface StoredReference {
  readonly kind: string
  readonly id: string
  readonly glimpse: JsonObject
  /** Its value came from outside [G11]. */
  readonly tainted?: true
}

export type ReferenceFault = "unknown_kind" | "not_found"

export type Created =
  | { readonly ok: true; readonly reference: StoredReference; readonly isNew: boolean }
  | { readonly ok: false; readonly code: "unknown_kind" }
  | { readonly ok: false; readonly code: "invalid"; readonly faults: readonly { readonly path: string; readonly message: string }[] }

export type LookedUp<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly code: ReferenceFault }

/** The operations on references for tools. */
export interface References {
  /** The names of all kinds. */
  kinds(): Promise<readonly string[]>
  /** Checks the value before it gets an id or is stored. The same value twice makes one reference. */
  create(kind: string, value: Json, options?: { readonly tainted?: boolean }): Promise<Created>
  resolve(kind: string, id: string): Promise<LookedUp<StoredReference & { readonly value: Json }>>
  glimpse(kind: string, id: string): Promise<LookedUp<StoredReference>>
}

/** A stored reference. */
export interface ReferenceRow {
  readonly kind: string
  readonly id: string
  /** Hash of the blob that holds the value. */
  readonly hash: string
  readonly glimpse: StoredReference["glimpse"]
  readonly tainted: boolean
  /** Milliseconds; absent: never. */
  readonly expires?: number
}
