// References [C20–C22] and plans [C30]: values and intents that agents pass on by name.

import type { Json } from "../core/json.ts"
import { Paged } from "./paged.ts"
import type { KindRow, PlanKindRow, Reference, Resolved, RunPlan } from "../api/doc/references.doc.ts"
import type { PlanKind, ReferenceKind } from "../api/references.ts"
import { part, type Transport } from "./transport.ts"

export class References {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  kinds(): Paged<KindRow> {
    return new Paged(this.#transport, "/v1/references")
  }
  kind(name: string): Promise<KindRow> {
    return this.#transport.json("GET", `/v1/references/${part(name)}`)
  }
  putKind(name: string, kind: ReferenceKind): Promise<KindRow> {
    return this.#transport.json("PUT", `/v1/references/${part(name)}`, { body: kind })
  }
  /** Deletes all references of the kind, too. */
  deleteKind(name: string): Promise<void> {
    return this.#transport.json("DELETE", `/v1/references/${part(name)}`)
  }
  /** The same value always gets the same id. `untrusted`: the value comes from outside and taints its readers [G11]. */
  create(kind: string, value: Json, untrusted?: boolean): Promise<Reference> {
    return this.#transport.json("POST", `/v1/references/${part(kind)}`, {
      body: value,
      query: { untrusted: untrusted === true ? 1 : undefined },
    })
  }
  get(kind: string, id: string): Promise<Resolved> {
    return this.#transport.json("GET", `/v1/references/${part(kind)}/${part(id)}`)
  }
  /** The reference without its value. */
  glimpse(kind: string, id: string): Promise<Reference> {
    return this.#transport.json("GET", `/v1/references/${part(kind)}/${part(id)}`, { query: { glimpse: 1 } })
  }
}

export class Plans {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  kinds(): Paged<PlanKindRow> {
    return new Paged(this.#transport, "/v1/plans")
  }
  kind(name: string): Promise<PlanKindRow> {
    return this.#transport.json("GET", `/v1/plans/${part(name)}`)
  }
  putKind(name: string, kind: PlanKind): Promise<PlanKindRow> {
    return this.#transport.json("PUT", `/v1/plans/${part(name)}`, { body: kind })
  }
  deleteKind(name: string): Promise<void> {
    return this.#transport.json("DELETE", `/v1/plans/${part(name)}`)
  }
  /** The plans of a run and its child runs, oldest first. */
  ofRun(run: string): Paged<RunPlan> {
    return new Paged(this.#transport, `/v1/runs/${part(run)}/plans`)
  }
}
