// One run, as its HTTP routes see it. Behind it stands the run's Durable Object; every call is durable when it resolves.

import type { EventFormat } from "../api/runs.ts"
import type { Rules } from "../core/policy/policy.ts"
import type { ChildReport } from "../core/run/steps/children.ts"
import type { Json } from "../core/json.ts"
import type { FactOf, Pins, RunEvent } from "../core/run/event.ts"
import type { Frame } from "../core/run/views/pi-flows.ts"
import type { Answer, PauseReason } from "../core/run/signal.ts"
import type { Message } from "../core/run/session/step-messages.ts"
import type { InteractionView, RunView } from "../core/run/views/view.ts"
import type { FileEntry } from "./workspace.ts"

/** What starts a run: what the first event of its journal tells, and what only the object needs to know. `startOf` in engine/run/start.ts
 *  makes it. */
export interface StartRequest extends Readonly<Omit<FactOf<"run.started">, "type" | "tenant" | "pinned" | "rules">> {
  readonly tenant: string
  readonly pins: Pins
  readonly rules?: Rules
  /** The tenant limits its day: the run has to have a part of it before it begins [B4]. */
  readonly daily?: true
  /** [H6] There is no room for it yet: it is `queued` until the tenant's object lets it begin. */
  readonly held?: true
}

export type AnswerResult =
  | { readonly ok: true; readonly interaction: InteractionView }
  | { readonly ok: false; readonly code: "not_found" }
  | { readonly ok: false; readonly code: "invalid"; readonly errors: readonly { readonly path: string; readonly message: string }[] }
  /** [Q3] The answer names another call than the one that is asked about. */
  | { readonly ok: false; readonly code: "other_hash"; readonly interaction: InteractionView }
  | { readonly ok: false; readonly code: "already_answered"; readonly interaction: InteractionView }
  | DefinitionsGone

/** [J12] The run stands still until its definitions are found again: what is said to it now is not heard. */
interface DefinitionsGone {
  readonly ok: false
  readonly code: "definitions_lost"
  readonly why: string
}

/** [E3] Absent: the events themselves. */
export type { EventFormat }

export interface RunPort {
  /** Idempotent by the run's id: a second start of a run that exists answers its view and starts nothing. */
  start(request: StartRequest): Promise<RunView>
  /** undefined: there is no such run. */
  view(): Promise<RunView | undefined>
  /** Resolves when the run ended or waits for a person, or after `ms`. */
  wait(ms: number): Promise<RunView | undefined>
  /** How it ended, as a parent hears it; undefined: after `ms` it goes on, also when it waits for a person, or there is none. */
  report(ms: number): Promise<ChildReport | undefined>
  /** At most `limit`, fewer when they are large; `more`: others follow them already. */
  events(
    after: number,
    limit: number,
  ): Promise<{ readonly data: readonly RunEvent[]; readonly ended: boolean; readonly more?: boolean } | undefined>
  /** SSE [E4]: the journal after `after`, then live, closed after `run.ended`. 204 when there is nothing after `after` and the run has ended. */
  stream(after: number, options: { readonly snapshot: boolean; readonly format?: EventFormat }): Promise<Response | undefined>
  /** WebSocket [E4]: the same log, an event a message, closed after `run.ended`. `key`: what opened it, so that it ends with it [H1].
   *  `acks`: the reader says a word now and then, and is waited for. */
  socket(
    after: number,
    options: { readonly format?: EventFormat; readonly key?: string; readonly acks?: boolean },
  ): Promise<Response | undefined>
  /** [E3] A page of the journal in that format, by default the original's events. `next`: the cursor after it, null at the journal's present end. */
  frames(
    after: number,
    limit: number,
    format?: EventFormat,
  ): Promise<{ readonly data: readonly (Frame & { readonly seq: number })[]; readonly next: number | null } | undefined>
  cancel(by: string): Promise<RunView | undefined>
  /** No action begins until it is resumed; twice is once, an ended run stays as it is. */
  pause(reason: PauseReason): Promise<RunView | undefined>
  resume(reason: PauseReason): Promise<RunView | undefined>
  /** The run is taken away, a live one cancelled first, without callbacks; false: there is none. What is said under its Idempotency-Key stays. */
  remove(): Promise<boolean>
  interactions(status?: string): Promise<readonly InteractionView[] | undefined>
  interaction(id: string): Promise<InteractionView | undefined>
  answer(id: string, body: Answer, by: string): Promise<AnswerResult>
  steer(
    step: string,
    message: string,
    by: string,
    /** [H4] Follows from the caller's Idempotency-Key: under one token the message is queued once. */
    idempotencyToken?: string,
  ): Promise<
    | { readonly ok: true; readonly id: string }
    | { readonly ok: false; readonly code: "not_found" | "not_running" | "too_many" }
    | DefinitionsGone
  >
  /** A word for the step that waits for it, kept when none does yet; `too_many`: 100 are kept already. */
  signal(
    name: string,
    payload: Json,
    by: string,
    idempotencyToken?: string,
  ): Promise<"ok" | "not_found" | "over" | "too_many" | DefinitionsGone>
  files(): Promise<readonly FileEntry[] | undefined>
  file(path: string): Promise<{ readonly entry: FileEntry; readonly body: Uint8Array } | undefined>
  /** The whole of a truncated tool output [T5]. */
  output(handle: string): Promise<Uint8Array | undefined>
  /** [J21] The conversation of its latest pass after this event; undefined: no such step. `next`: there is more after it. */
  messages(step: string, after: number): Promise<{ readonly data: readonly Message[]; readonly next: number | null } | undefined>
  stepTools(step: string): Promise<readonly { readonly name: string; readonly granted: boolean; readonly rule: string }[] | undefined>
}

/** [H4] The record of one Idempotency-Key; lives in the object named after (tenant, key). */
export interface IdempotencyPort {
  begin(digest: string): Promise<
    /** `again`: a try before this one was begun, and nobody knows how far it came. */
    | { readonly state: "new"; readonly again?: true }
    | { readonly state: "replay"; readonly answer: StoredAnswer }
    | { readonly state: "conflict" }
    | { readonly state: "busy" }
  >
  /** Keeps the answer (24 h at least), or forgets the key when `answer` is null (401, 409, 429, 5xx are not kept). */
  end(digest: string, answer: StoredAnswer | null): Promise<void>
}
export interface StoredAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}
