// Questions to people: the inbox, and the answers [Q2].

import type { InteractionView } from "../core/run/views/view.ts"
import { Paged } from "./paged.ts"
import type { Asked, Question } from "../api/doc/run/interactions.doc.ts"
import type { Answer } from "../api/interactions.ts"
import { part, type Transport } from "./transport.ts"

/** Which questions to list. */
export interface InboxFilter {
  readonly status?: "open" | "answered"
  readonly flow?: string | readonly string[]
  readonly kind?: InteractionView["kind"] | readonly InteractionView["kind"][]
  readonly limit?: number
}

const listed = (given: string | readonly string[]): string => (typeof given === "string" ? given : given.join(","))

export class Interactions {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** The tenant's questions: every open one, oldest first; with `status: "answered"` what was decided, newest first. */
  list({ status, flow, kind, limit }: InboxFilter = {}): Paged<Asked> {
    return new Paged(this.#transport, "/v1/interactions", {
      ...(status === undefined ? {} : { status }),
      ...(flow === undefined ? {} : { flow: listed(flow) }),
      ...(kind === undefined ? {} : { kind: listed(kind) }),
      ...(limit === undefined ? {} : { limit }),
    })
  }
  get(run: string, id: string): Promise<InteractionView> {
    return this.#transport.json("GET", `/v1/runs/${part(run)}/interactions/${part(id)}`)
  }
  /** The first decision counts: a second one is a SluiceError `already_answered`. `definitions_lost` means that the run is stopped. */
  answer(run: string, id: string, answer: Answer): Promise<InteractionView> {
    return this.#transport.json("POST", `/v1/runs/${part(run)}/interactions/${part(id)}`, { body: answer })
  }
  /** Answers a question that was asked outside a run. */
  answerQuestion(id: string, answer: Answer): Promise<Question> {
    return this.#transport.json("POST", `/v1/interactions/${part(id)}`, { body: answer })
  }
  /** A link for a person without a key; `ttl` in seconds. Only with `allow` may that person edit a call or raise a budget. */
  link(
    run: string,
    id: string,
    ttl?: number,
    allow?: readonly ("edit" | "raise")[],
  ): Promise<{ readonly url: string; readonly expires: string }> {
    const body = { ...(ttl === undefined ? {} : { ttl }), ...(allow === undefined ? {} : { allow: [...allow] }) }
    return this.#transport.json("POST", `/v1/runs/${part(run)}/interactions/${part(id)}/link`, { body })
  }
}
