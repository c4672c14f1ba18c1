// The architect: it turns a wish into a staged flow, which a person reads, sends back with notes, or accepts.

import { Paged } from "./paged.ts"
import type { ArchitectAccepted, ArchitectBegun, ArchitectRow, ArchitectSession } from "../api/doc/architect.doc.ts"
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
  /** Waits up to `wait` seconds, at most 90: the session if the architect is done by then, otherwise where to find it. */
  open(wish: ArchitectWish, wait?: number): Promise<ArchitectBegun | ArchitectSession> {
    return this.#transport.json("POST", "/v1/architect", { body: wish, headers: prefer(wait) })
  }
  get(session: string): Promise<ArchitectSession> {
    return this.#transport.json("GET", of(session))
  }
  /** Writes the session's files as one revision of the catalog, or writes nothing. */
  accept(session: string): Promise<ArchitectAccepted> {
    return this.#transport.json("POST", `${of(session)}/accept`)
  }
  /** `fresh` discards the files written so far. */
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
