// The architect: a wish becomes a flow that is staged, looked at, sent back with notes or accepted.

import { Paged } from "./paged.ts"
import type { ArchitectAccepted, ArchitectBegun, ArchitectRow, ArchitectSession } from "../api/architect.doc.ts"
import type { ArchitectWish } from "../api/architect.ts"
import { part, type Transport } from "./transport.ts"

const of = (session: string): string => `/v1/architect/${part(session)}`
const prefer = (seconds: number | undefined): { prefer: string | undefined } => ({
  prefer: seconds === undefined ? undefined : `wait=${seconds}`,
})

export class Architect {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Newest first. */
  list(): Paged<ArchitectRow> {
    return new Paged(this.#transport, "/v1/architect")
  }
  /** `wait`, in seconds and at most 90: the session, when the architect is done within them; else that it has begun. */
  open(wish: ArchitectWish, wait?: number): Promise<ArchitectBegun | ArchitectSession> {
    return this.#transport.json("POST", "/v1/architect", { body: wish, headers: prefer(wait) })
  }
  get(session: string): Promise<ArchitectSession> {
    return this.#transport.json("GET", of(session))
  }
  /** Its files become one revision of the catalog, or nothing does. */
  accept(session: string): Promise<ArchitectAccepted> {
    return this.#transport.json("POST", `${of(session)}/accept`)
  }
  /** `fresh`: what was written so far is dropped first. */
  revise(
    session: string,
    notes: string,
    { fresh, wait }: { readonly fresh?: boolean; readonly wait?: number } = {},
  ): Promise<ArchitectBegun | ArchitectSession> {
    const body = { notes, ...(fresh === undefined ? {} : { fresh }) }
    return this.#transport.json("POST", `${of(session)}/revise`, { body, headers: prefer(wait) })
  }
  discard(session: string): Promise<void> {
    return this.#transport.json("DELETE", of(session))
  }
}
