// Sticky sessions [J25]: list them, read what was said in one, forget one.

import type { Session, SessionMessage } from "../api/doc/run/messages.doc.ts"
import { Paged } from "./paged.ts"
import { part, type Transport } from "./transport.ts"

export class Sessions {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Last used first. */
  list(): Paged<Session> {
    return new Paged(this.#transport, "/v1/sessions")
  }
  /** The conversation, oldest first. */
  messages(agent: string, session: string): Paged<SessionMessage> {
    return new Paged(this.#transport, `/v1/sessions/${part(agent)}/${part(session)}`)
  }
  delete(agent: string, session: string): Promise<void> {
    return this.#transport.json("DELETE", `/v1/sessions/${part(agent)}/${part(session)}`)
  }
}
