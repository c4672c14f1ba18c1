// Calls the architect, which turns a request into a staged flow that a person reads, sends back with notes, or accepts.

import type { Paged } from "./transport/paged.ts"
import type * as shapes from "../api/doc/architect.doc.ts"
import type { ArchitectAccepted, ArchitectBegun, ArchitectRow, ArchitectSession } from "../api/doc/architect.doc.ts"
import type { architect, ArchitectWish } from "../api/architect.ts"
import { Part } from "./transport/part.ts"
import { part } from "./transport/transport.ts"

export class Architect extends Part<typeof architect, typeof shapes> {
  /** Newest first. */
  readonly list: () => Paged<ArchitectRow> = this.paged("/v1/architect")
  /** Waits up to `wait` seconds, at most 90: the session if the architect is done by then, otherwise where to find it. */
  open(wish: ArchitectWish, wait?: number): Promise<ArchitectBegun | ArchitectSession> {
    return this.json("POST", "/v1/architect", { body: wish, wait })
  }
  readonly get: (session: string) => Promise<ArchitectSession> = this.route("GET /v1/architect/*")
  /** Writes the session's files as one revision of the catalog, or writes nothing. */
  readonly accept: (session: string) => Promise<ArchitectAccepted> = this.route("POST /v1/architect/*/accept")
  /** `fresh` discards the files written so far. */
  revise(
    session: string,
    notes: string,
    { fresh, wait }: { readonly fresh?: boolean; readonly wait?: number } = {},
  ): Promise<ArchitectBegun | ArchitectSession> {
    return this.json("POST", `/v1/architect/${part(session)}/revise`, { body: { notes, fresh }, wait })
  }
  readonly discard: (session: string) => Promise<void> = this.route("DELETE /v1/architect/*")
}
