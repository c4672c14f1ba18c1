// Implements references over rows and blobs [C20–C26, T40]. The row has what lists and look-ups need; the value is an ordinary blob. An id
// is the SHA-256 of tenant, kind and value, so the same value of another tenant has a different id.

import { canonical, type Json } from "../../core/json.ts"
import { glimpseOf, type ReferenceKind } from "../../core/references/reference-kind.ts"
import { valueFaults } from "../../core/schema/strict-value.ts"
import type { Blobs } from "../../ports/blobs.ts"
import type { Created, LookedUp, StoredReference, ReferenceFault, ReferenceRow } from "../../ports/references.ts"
import { decode, encode } from "../catalog/catalog-bodies.ts"
import { sha256 } from "../sha256.ts"

export interface ReferenceRows {
  kind(name: string): ReferenceKind | undefined
  find(kind: string, id: string): ReferenceRow | undefined
  /** Replaces the row of the same kind and id. */
  put(row: ReferenceRow, now: number): void
}

interface Deps {
  readonly rows: ReferenceRows
  readonly blobs: Blobs
  readonly tenant: string
  readonly now: () => number
}

export async function createReference({ rows, blobs, tenant, now }: Deps, kind: string, value: Json, tainted: boolean): Promise<Created> {
  const spec = rows.kind(kind)
  if (!spec) return { ok: false, code: "unknown_kind" }
  const faults = valueFaults(spec.schema, value)
  if (faults.length > 0) return { ok: false, code: "invalid", faults }
  const text = canonical(value)
  const id = await sha256(encode(canonical([tenant, kind, value])))
  const hash = await blobs.put(encode(text))
  // The kind may have been deleted while the body was written.
  if (!rows.kind(kind)) return { ok: false, code: "unknown_kind" }
  const at = now()
  const before = live(rows.find(kind, id), at)
  const row: ReferenceRow = {
    kind,
    id,
    hash,
    // Made only once, so that earlier glimpses stay true even if the kind changes.
    glimpse: before?.glimpse ?? glimpseOf(spec, value),
    // A tainted value stays tainted when the same value comes from a clean source.
    tainted: tainted || before?.tainted === true,
    ...(spec.ttl_ms === undefined ? {} : { expires: at + spec.ttl_ms }),
  }
  rows.put(row, at)
  return { ok: true, reference: shown(row), isNew: before === undefined }
}

/** Finds only the row; the caller reads its blob. */
export function findReference({ rows, now }: Pick<Deps, "rows" | "now">, kind: string, id: string): LookedUp<ReferenceRow> {
  if (!rows.kind(kind)) return { ok: false, code: "unknown_kind" }
  const row = live(rows.find(kind, id), now())
  return row ? { ok: true, value: row } : { ok: false, code: "not_found" }
}

/** [C25] Hides an expired row that is not deleted yet. */
const live = (row: ReferenceRow | undefined, now: number): ReferenceRow | undefined =>
  row && (row.expires === undefined || now < row.expires) ? row : undefined

export const shown = ({ kind, id, glimpse, tainted }: ReferenceRow): StoredReference => ({
  kind,
  id,
  glimpse,
  ...(tainted ? { tainted } : {}),
})

/** Adds the value. A missing blob is a fault of the store, not a missing reference. */
export async function withValue(blobs: Blobs, row: ReferenceRow): Promise<StoredReference & { readonly value: Json }> {
  const body = await blobs.get(row.hash)
  const text = body && decode(body)
  if (text === undefined) throw new Error(`the value of the reference ${row.kind}/${row.id} is missing or damaged in the blob store`)
  const value: Json = JSON.parse(text)
  return { ...shown(row), value }
}

/** The message for a model or a person when a reference is not found. */
export const referenceFault = (code: ReferenceFault, kind: string, id: string, kinds: readonly string[]): string =>
  code === "unknown_kind"
    ? `there is no kind of reference ${JSON.stringify(kind.slice(0, 100))}; known: ${kinds.join(", ") || "none"}`
    : `there is no reference ${kind}/${id.slice(0, 100)}, or not any more`
