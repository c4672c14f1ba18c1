// Drafts of the catalog [F80]: folders that only the starts which name them use, as `flow@draft:NAME`.

import type { Plan } from "../api/catalog.ts"
import type { Draft, DraftWritten } from "../api/doc/drafts.doc.ts"
import { Paged } from "./paged.ts"
import { part, type Transport } from "./transport.ts"

export class Drafts {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  list(): Paged<Draft> {
    return new Paged(this.#transport, "/v1/catalog/drafts")
  }
  get(name: string): Promise<Draft> {
    return this.#transport.json("GET", `/v1/catalog/drafts/${part(name)}`)
  }
  /** Replaces the draft as a whole. If a file has an error, the draft stays as it was (SluiceError `not_written`). */
  put(name: string, plan: Plan): Promise<DraftWritten> {
    return this.#transport.json("PUT", `/v1/catalog/drafts/${part(name)}`, { body: plan })
  }
  delete(name: string): Promise<void> {
    return this.#transport.json("DELETE", `/v1/catalog/drafts/${part(name)}`)
  }
}
