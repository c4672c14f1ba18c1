// A tenant's references, as its object answers for them [C20–C25].

import type { Json } from "../../core/json.ts"
import type { ReferenceKind } from "../../core/references/reference-kind.ts"
import { createReference, findReference, type ReferenceRow } from "../../engine/run/references.ts"
import type { Blobs } from "../../ports/blobs.ts"
import type { Created, Looked } from "../../ports/references.ts"
import type { ReferenceStore } from "./reference-store.ts"

export interface ReferenceDeps {
  readonly rows: ReferenceStore
  /** Where values lie. */
  readonly blobs: Blobs
  readonly tenant: string
  readonly now: () => number
}

export class ReferenceRpc {
  readonly #deps: ReferenceDeps

  constructor(deps: ReferenceDeps) {
    this.#deps = deps
  }

  kinds(): readonly ReferenceKind[] {
    return this.#deps.rows.kinds()
  }

  putKind(kind: ReferenceKind): "created" | "replaced" | "full" {
    return this.#deps.rows.putKind(kind, this.#deps.now())
  }

  removeKind(name: string): boolean {
    return this.#deps.rows.removeKind(name)
  }

  create(kind: string, value: Json, tainted: boolean): Promise<Created> {
    return createReference(this.#deps, kind, value, tainted)
  }

  find(kind: string, id: string): Looked<ReferenceRow> {
    return findReference(this.#deps, kind, id)
  }
}
