// Lists questions to people in the inbox, and answers them [Q2].

import type { InteractionView } from "../core/run/views/view.ts"
import { listed, Paged } from "./transport/paged.ts"
import type * as shapes from "../api/doc/run/interactions.doc.ts"
import type { Asked, InboxCount, Question } from "../api/doc/run/interactions.doc.ts"
import type { AnswerInput, interactions } from "../api/run/interactions.ts"
import { Part } from "./transport/part.ts"
import { part } from "./transport/transport.ts"

/** The filter of the inbox. */
export interface InboxFilter {
  readonly status?: "open" | "answered"
  readonly flow?: string | readonly string[]
  readonly kind?: InteractionView["kind"] | readonly InteractionView["kind"][]
  readonly limit?: number
}

export class Interactions extends Part<typeof interactions, typeof shapes> {
  /** The tenant's questions: every open one, oldest first; with `status: "answered"` what was decided, newest first. */
  list({ status, flow, kind, limit }: InboxFilter = {}): Paged<Asked> {
    return new Paged(this.transport, "/v1/interactions", { status, flow: listed(flow), kind: listed(kind), limit })
  }
  /** How much waits for a person. */
  readonly count: () => Promise<InboxCount> = this.route("GET /v1/interactions/count")
  readonly get: (run: string, id: string) => Promise<InteractionView> = this.route("GET /v1/runs/*/interactions/*")
  /** The first decision counts: a second one is a SluiceError `already_answered`. `definitions_lost` means that the run is stopped. */
  readonly answer: (run: string, id: string, answer: AnswerInput) => Promise<InteractionView> = this.route("POST /v1/runs/*/interactions/*")
  /** Answers a question that was asked outside a run. */
  readonly answerQuestion: (id: string, answer: AnswerInput) => Promise<Question> = this.route("POST /v1/interactions/*")
  /** A link for a person without a key; `ttl` in seconds. Only with `allow` may that person edit a call or raise a budget. */
  link(
    run: string,
    id: string,
    ttl?: number,
    allow?: readonly ("edit" | "raise")[],
  ): Promise<{ readonly url: string; readonly expires: string }> {
    return this.json("POST", `/v1/runs/${part(run)}/interactions/${part(id)}/link`, { body: { ttl, allow } })
  }
}
