// Defines questions outside any run: `ask_user` from a caller that is not an agent [Q2]. The tenant's object stores them, and people answer
// them like the questions of a run [Q2].

import type { JsonObject } from "../../core/json.ts"
import type { Answer } from "../../core/run/signal.ts"

export interface QuestionView {
  readonly id: string
  readonly run: null
  readonly kind: "ask_user"
  readonly status: "pending" | "answered" | "withdrawn"
  readonly payload: JsonObject
  readonly schema: JsonObject
  /** ISO 8601 UTC. */
  readonly created: string
  readonly answer?: JsonObject
  readonly by?: string
  /** ISO 8601 UTC; only in the list of what was answered. */
  readonly decided?: string
}

export type QuestionAnswer =
  | { readonly ok: true; readonly question: QuestionView }
  | { readonly ok: false; readonly code: "not_found" }
  | { readonly ok: false; readonly code: "invalid"; readonly errors: readonly { readonly path: string; readonly message: string }[] }
  | { readonly ok: false; readonly code: "already_answered"; readonly question: QuestionView }

export interface QuestionsPort {
  /** `args`: arguments of ask_user, already checked against its schema. */
  ask(args: JsonObject, by: string, act?: string): Promise<QuestionView>
  /** Oldest first, at most 200. */
  open(): Promise<readonly QuestionView[]>
  find(id: string): Promise<QuestionView | undefined>
  answer(id: string, body: Answer, by: string): Promise<QuestionAnswer>
  /** Resolves when the question is answered, or after `ms`. */
  wait(id: string, ms: number): Promise<QuestionView | undefined>
}
