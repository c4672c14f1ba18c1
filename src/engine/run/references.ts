// References over rows and blobs [C20–C26, T40]. The row has what lists and look-ups need, the value is a blob like any other; an id is
// the SHA-256 of tenant, kind and value, so nobody meets another tenant's by sending the same.

import { canonical, type Json } from "../../core/json.ts"
import { glimpseOf, type ReferenceKind } from "../../core/references/reference-kind.ts"
import { valueFaults } from "../../core/schema/strict-value.ts"
import type { Blobs } from "../../ports/blobs.ts"
import type { Created, Looked, Reference, ReferenceFault, ReferenceRow } from "../../ports/references.ts"
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
  // The kind may have been taken away while the body was written.
  if (!rows.kind(kind)) return { ok: false, code: "unknown_kind" }
  const at = now()
  const before = live(rows.find(kind, id), at)
  const row: ReferenceRow = {
    kind,
    id,
    hash,
    // Made once: what was told of it stays true, whatever the kind says by now.
    glimpse: before?.glimpse ?? glimpseOf(spec, value),
    // The same value from inside does not make clean what came from outside.
    tainted: tainted || before?.tainted === true,
    ...(spec.ttl_ms === undefined ? {} : { expires: at + spec.ttl_ms }),
  }
  rows.put(row, at)
  return { ok: true, reference: shown(row), isNew: before === undefined }
}

/** The row, for whoever reads its blob. */
export function findReference({ rows, now }: Pick<Deps, "rows" | "now">, kind: string, id: string): Looked<ReferenceRow> {
  if (!rows.kind(kind)) return { ok: false, code: "unknown_kind" }
  const row = live(rows.find(kind, id), now())
  return row ? { ok: true, value: row } : { ok: false, code: "not_found" }
}

/** [C25] An expired row may still stand there; nobody sees it. */
const live = (row: ReferenceRow | undefined, now: number): ReferenceRow | undefined =>
  row && (row.expires === undefined || now < row.expires) ? row : undefined

export const shown = ({ kind, id, glimpse, tainted }: ReferenceRow): Reference => ({ kind, id, glimpse, ...(tainted ? { tainted } : {}) })

/** With its value. A blob that is gone is a fault of the store, not a missing reference. */
export async function withValue(blobs: Blobs, row: ReferenceRow): Promise<Reference & { readonly value: Json }> {
  const body = await blobs.get(row.hash)
  const text = body && decode(body)
  if (text === undefined) throw new Error(`the value of the reference ${row.kind}/${row.id} is missing or damaged in the blob store`)
  const value: Json = JSON.parse(text)
  return { ...shown(row), value }
}

/** For a model or a person: why there is none. */
export const referenceFault = (code: ReferenceFault, kind: string, id: string, kinds: readonly string[]): string =>
  code === "unknown_kind"
    ? `there is no kind of reference ${JSON.stringify(kind.slice(0, 100))}; known: ${kinds.join(", ") || "none"}`
    : `there is no reference ${kind}/${id.slice(0, 100)}, or not any more`
