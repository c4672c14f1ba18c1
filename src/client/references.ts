// Manages references [C20–C22] and plans [C30]: values and intents that agents pass on by name.

import type { Json } from "../core/json.ts"
import type { Paged } from "./transport/paged.ts"
import type * as shapes from "../api/doc/references.doc.ts"
import type { KindRow, PlanKindRow, Reference, Resolved, RunPlan } from "../api/doc/references.doc.ts"
import type { PlanKind, ReferenceKind, references } from "../api/references.ts"
import { Part } from "./transport/part.ts"
import { part } from "./transport/transport.ts"

export class ReferencesClient extends Part<typeof references, typeof shapes> {
  readonly kinds: () => Paged<KindRow> = this.paged("/v1/references")
  readonly kind: (name: string) => Promise<KindRow> = this.route("GET /v1/references/*")
  readonly putKind: (name: string, kind: ReferenceKind) => Promise<KindRow> = this.route("PUT /v1/references/*")
  /** Deletes all references of the kind, too. */
  readonly deleteKind: (name: string) => Promise<void> = this.route("DELETE /v1/references/*")
  /** The same value always gets the same id. `untrusted`: the value comes from outside and taints its readers [G11]. */
  create(kind: string, value: Json, untrusted?: boolean): Promise<Reference> {
    return this.json("POST", `/v1/references/${part(kind)}`, {
      body: value,
      query: { untrusted },
    })
  }
  readonly get: (kind: string, id: string) => Promise<Resolved> = this.route("GET /v1/references/*/*")
  /** The reference without its value. */
  glimpse(kind: string, id: string): Promise<Reference> {
    return this.json("GET", `/v1/references/${part(kind)}/${part(id)}`, { query: { glimpse: 1 } })
  }
}

export class Plans extends Part<typeof references, typeof shapes> {
  readonly kinds: () => Paged<PlanKindRow> = this.paged("/v1/plans")
  readonly kind: (name: string) => Promise<PlanKindRow> = this.route("GET /v1/plans/*")
  readonly putKind: (name: string, kind: PlanKind) => Promise<PlanKindRow> = this.route("PUT /v1/plans/*")
  readonly deleteKind: (name: string) => Promise<void> = this.route("DELETE /v1/plans/*")
  /** The plans of a run and its child runs, oldest first. */
  readonly ofRun: (run: string) => Paged<RunPlan> = this.paged("/v1/runs/*/plans")
}
