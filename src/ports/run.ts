// Defines a run for HTTP routes. The run's Durable Object implements it; every call is durable when it resolves.

import type { RunQuality } from "./tenant/quality/scoring.ts"
import type { Amount } from "../core/money/amount.ts"
import type { StartTimes } from "../core/run/event-parts.ts"
import type { EventFormat as NamedFormat } from "../api/run/runs.ts"
import type { Rules } from "../core/tool/policy/policy.ts"
import type { ChildReport } from "../core/run/steps/children.ts"
import type { Json } from "../core/json.ts"
import type { StartBlock } from "../core/start/start-block.ts"
import type { Pins } from "../core/run/event-parts.ts"
import type { FactOf, RunEvent } from "../core/run/event.ts"
import type { PiFlowsFrame } from "../core/run/views/pi-flows.ts"
import type { Answer, PauseReason } from "../core/run/signal.ts"
import type { StepMessage } from "../core/run/session/step-messages.ts"
import type { Pass } from "../core/run/views/passes.ts"
import type { InteractionView, RunView } from "../core/run/views/view.ts"
import type { TurnAsk, TurnRead } from "./turn.ts"
import type { EffectsPort } from "./tenant/effects.ts"
import type { Seal } from "./tenant/receipts.ts"
import type { ForkRequest, ForkResult } from "./fork.ts"
import type { RunDesk } from "./tenant/catalog.ts"
import type { PromptSeen } from "./prompt.ts"
import type { FileEntry } from "./workspace.ts"

/** The last six letters are a mark (cloudflare/platform/run-id.ts). */
export const RUN_ID = /^run_[0-9a-z]{26}$/

/** A request to start a run: the journal's first event, and data for the run's object. `startOf` in engine/run/begin/start.ts builds it. */
export interface StartRequest extends Readonly<
  Omit<FactOf<"run.started">, "type" | "tenant" | "pinned" | "rules" | "width" | "kernel" | "start">
> {
  readonly tenant: string
  readonly pins: Pins
  readonly rules?: Rules
  /** The tenant has a daily budget: the run needs a lease of it before it begins [B4]. */
  readonly daily?: true
  /** [H6] There is no room yet: the run stays `queued` until the tenant's object lets it begin. */
  readonly held?: true
  /** [R14] With `held`, of a child: the runs above it, the nearest first. */
  readonly above?: readonly string[]
  /** [R20] What the start obeys: with `held`, the run begins by the word of the tenant's object alone. */
  readonly block?: StartBlock
  /** [R27] How its calls stand in line, beside its block: a person waits for it, or its parent has a priority. */
  readonly pace?: Pick<StartTimes, "attended" | "priority">
  /** [R11] The number of the start in its window; absent: it opened it. */
  readonly number?: number
  /** [R13] With `held`: the id of the key that started it, by which a revocation finds it; names come back. */
  readonly keyId?: string
  /** [R13] With `held`: what of its money the start and its flow say. What the tenant says is that of the beginning. */
  readonly ownMoney?: OwnMoney
  /** The tenant's list has the run already: its first report can wait for a moment, and a run that ends by then reports once. */
  readonly listed?: true
  /** The desk of the tenant that takes this run's reports (ports/desks.ts). */
  readonly desk?: RunDesk
  /** [W8] Why the run cannot start: it is recorded as a failed run, so that a person who waits for it finds it. */
  readonly cannot?: string
}

/** `budget`: before the tenant's bounds [B6]. `dollars`: something of its flow limits dollars. `mark`: of what the start was judged by as it came. */
export interface OwnMoney {
  readonly mark?: string
  readonly budget: Amount
  readonly dollars: boolean
}

export type AnswerResult =
  | { readonly ok: true; readonly interaction: InteractionView }
  | { readonly ok: false; readonly code: "not_found" }
  | { readonly ok: false; readonly code: "invalid"; readonly errors: readonly { readonly path: string; readonly message: string }[] }
  /** [Q3] The answer's hash is of another call than the pending one. */
  | { readonly ok: false; readonly code: "other_hash"; readonly interaction: InteractionView }
  | { readonly ok: false; readonly code: "already_answered"; readonly interaction: InteractionView }
  | DefinitionsGone

/** [J12] The run is stopped until its definitions are found again, and takes no messages until then. */
export interface DefinitionsGone {
  readonly ok: false
  readonly code: "definitions_lost"
  readonly why: string
}

/** [K18] The result of a replay. */
export interface Replayed {
  /** How many events the journal has. */
  readonly events: number
  readonly identical: boolean
  /** Where the journal and this build's kernel part. */
  readonly first?: ReplayDifference
}
export interface ReplayDifference {
  readonly seq: number
  /** The journal's event; null: the journal ends before it. */
  readonly expected: RunEvent | null
  /** What this build's kernel does in its place: an event, a refusal, a fault; null: nothing. */
  readonly found: Json
}

/** [K17] The data of a run for a comparison. */
export interface ComparedRun {
  readonly last: number
  readonly steps: readonly string[]
  readonly definitions: readonly { readonly path: string; readonly hash: string }[]
  readonly output?: Json
  readonly usage: RunView["usage"]
}

/** [K40] The beginning of a receipt. */
export interface ReceiptStart extends Seal {
  readonly ok: true
  /** The first line. */
  readonly text: string
}

export interface PutSaid {
  readonly by: string
  readonly type?: string
  /** The file contains text from outside [G11]. */
  readonly tainted?: true
}
export type PutResult =
  | { readonly ok: true; readonly entry: FileEntry; readonly created: boolean }
  | { readonly ok: false; readonly code: "not_found" | "run_over" | "too_many" }
  | { readonly ok: false; readonly code: "invalid" | "busy"; readonly why: string }
  | DefinitionsGone

/** A changed file. Sizes in bytes; null if the file does not exist. `diff`: null if it is not compared by lines. `cut`: lines are left out. */
export interface ChangedRow {
  readonly path: string
  readonly state: "added" | "changed" | "removed"
  readonly before: number | null
  readonly after: number | null
  /** null: it was not read. */
  readonly binary: boolean | null
  readonly diff: string | null
  readonly cut: boolean
}
export interface ChangedPage {
  readonly rows: readonly ChangedRow[]
  readonly more: boolean
}

/** [K5] A part of a run as it was after an event. `first`, `last`: the range of the journal if there is no such event. */
export type Moment<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly first: number; readonly last: number }

/** [E3] The format of events; by default unchanged. `public`: only what a page may show to anyone [H1]; set by a token, never by a caller. */
export type EventFormat = NamedFormat | "public"

/** [F23i] The refusal of a signal for which no step of the flow waits. */
export interface UnknownSignal {
  readonly ok: false
  readonly code: "unknown_signal"
  /** The names that its steps wait for. */
  readonly known: readonly string[]
}

export interface RunPort extends EffectsPort, RunQuality {
  /** Idempotent by the run's id: a second start only returns the view of the existing run. */
  start(request: StartRequest): Promise<RunView>
  /** [R11] The start is one of those that this run is given. false: the run has begun without it. Safe to repeat. */
  join(request: StartRequest): Promise<boolean>
  /** `start` and then `wait`, in one call to the run's object. Absent: two calls. */
  startAndWait?(request: StartRequest, ms: number): Promise<RunView>
  /** [K7] Begins this run as a fork of another one; a repeat returns the view of the existing run. A refused fork leaves nothing. */
  fork(request: ForkRequest): Promise<ForkResult>
  /** undefined: there is no such run. */
  view(): Promise<RunView | undefined>
  /** Resolves when the tenant's list has been told how the run stands. */
  told(): Promise<void>
  /** Resolves when the run ends or waits for a person, or after `ms`. */
  wait(ms: number): Promise<RunView | undefined>
  /** How the run ended, as reported to its parent, also while it is being deleted. `unended`: it has not ended after `ms` (also if it waits for a
   *  person). undefined: no such run. */
  report(ms: number): Promise<ChildReport | "unended" | undefined>
  /** At most `limit` events, fewer if they are large. `more`: the journal already has further events. */
  events(
    after: number,
    limit: number,
  ): Promise<{ readonly data: readonly RunEvent[]; readonly ended: boolean; readonly more?: boolean } | undefined>
  /** SSE [E4]: the journal after `after`, then live events; closed after `run.ended`. 204: the run has ended and has no events after `after`. */
  stream(after: number, options: { readonly snapshot: boolean; readonly format?: EventFormat }): Promise<Response | undefined>
  /** WebSocket [E4]: the same events, one per message, closed after `run.ended`. `key`: the key that opened it; its revocation closes the
   *  socket [H1]. `acks`: the reader sends acknowledgements, and the sender waits for them. */
  socket(
    after: number,
    options: { readonly format?: EventFormat; readonly key?: string; readonly acks?: boolean },
  ): Promise<Response | undefined>
  /** [E3] A page of the journal in `format`, by default the events of pi-flows. `next`: the next cursor; null: the page reaches the journal's end. */
  frames(
    after: number,
    limit: number,
    format?: EventFormat,
  ): Promise<{ readonly data: readonly (PiFlowsFrame & { readonly seq: number })[]; readonly next: number | null } | undefined>
  cancel(by: string): Promise<RunView | undefined>
  /** No action begins until `resume`. Idempotent; no effect on an ended run. */
  pause(reason: PauseReason): Promise<RunView | undefined>
  resume(reason: PauseReason): Promise<RunView | undefined>
  /** Deletes the run without callbacks; a live run is canceled first. The answer stored for its Idempotency-Key stays. false: no such run. */
  remove(): Promise<boolean>
  interactions(status?: string): Promise<readonly InteractionView[] | undefined>
  interaction(id: string): Promise<InteractionView | undefined>
  /** `outside`: who answers is nobody of the tenant's [G11]. */
  answer(id: string, body: Answer, by: string, outside?: true): Promise<AnswerResult>
  /** [P20] All of these answers or none: the first that is refused, or undefined. `only`: they are judged and not given. */
  answerAll(
    answers: readonly { readonly id: string; readonly body: Answer }[],
    by: string,
    only?: "judge",
    outside?: true,
  ): Promise<{ readonly id: string; readonly result: Extract<AnswerResult, { ok: false }> } | undefined>
  /** What a protocol remembers of this run under a name, at most 64 KiB; it goes with the run. */
  note(name: string, value: Json): Promise<void>
  noted(name: string): Promise<Json | undefined>
  steer(
    step: string,
    message: string,
    by: string,
    /** [H4] Derived from the caller's Idempotency-Key: the same token queues the message only once. */
    idempotencyToken?: string,
  ): Promise<
    | { readonly ok: true; readonly id: string }
    | { readonly ok: false; readonly code: "not_found" | "not_running" | "too_many" }
    | DefinitionsGone
  >
  /** A signal for the step that waits for it, stored if none waits yet, also of a queued run. `too_many`: 100 signals are already stored. */
  signal(
    name: string,
    payload: Json,
    by: string,
    idempotencyToken?: string,
  ): Promise<"ok" | "not_found" | "over" | "too_many" | UnknownSignal | DefinitionsGone>
  /** [F55] Puts a file into the workspace. `invalid`: the path is a folder, or under a file. */
  putFile(path: string, body: Uint8Array, said: PutSaid): Promise<PutResult>
  files(): Promise<readonly FileEntry[] | undefined>
  file(path: string): Promise<{ readonly entry: FileEntry; readonly body: Uint8Array } | undefined>
  viewAt(seq: number): Promise<Moment<RunView> | undefined>
  filesAt(seq: number): Promise<Moment<readonly FileEntry[]> | undefined>
  /** null: there was no such file. */
  fileAt(path: string, seq: number): Promise<Moment<{ readonly entry: FileEntry; readonly body: Uint8Array } | null> | undefined>
  /** What became of the files from one moment to another; `to` absent: the newest. */
  filesBetween(
    from: number,
    to: number | undefined,
    page: { readonly limit: number; readonly past?: string },
  ): Promise<Moment<ChangedPage & { readonly to: number }> | undefined>
  /** [K19] The request of a recorded turn. undefined: there is no such run or step. */
  turn(ask: TurnAsk): Promise<TurnRead | DefinitionsGone | undefined>
  /** The full text of a truncated tool output [T5]. */
  output(handle: string): Promise<Uint8Array | undefined>
  /** [J21] The conversation of the step's latest pass, after event `after` and `skip` messages of the next one. `next` and `skip`: where the
   *  next page begins. undefined: no such step. */
  messages(
    step: string,
    after: number,
    page?: { readonly skip?: number; readonly limit?: number },
  ): Promise<{ readonly data: readonly StepMessage[]; readonly next: number | null; readonly skip?: number } | undefined>
  /** [K18] The journal, read back into signals and made again by this build's kernel. */
  replay(): Promise<Replayed | DefinitionsGone | undefined>
  /** [K40] The first line of the run's receipt, and what its last line says. */
  receipt(): Promise<ReceiptStart | { readonly ok: false; readonly code: "run_not_over" } | DefinitionsGone | undefined>
  /** [K40] A page of the whole journal, the postscript included [K34]. */
  journal(after: number, limit: number): Promise<readonly RunEvent[] | undefined>
  /** [K17] What of the run is compared with another one. */
  compared(): Promise<ComparedRun | undefined>
  /** A page of its passes, from this one on. `next`: where the next page begins; null: this is the last one. */
  passes(from: number): Promise<{ readonly data: readonly Pass[]; readonly next: number | null } | undefined>
  /** The hashes of the events with these seqs; null: the journal does not have it. */
  heads(seqs: readonly number[]): Promise<readonly (string | null)[] | undefined>
  /** The texts of these definitions; null: the run did not pin it, or it is lost. */
  texts(hashes: readonly string[]): Promise<readonly (string | null)[] | undefined>
  /** What the model of a turn was asked with; by default of the newest turn of the newest pass. `layer`: the one whose text is wanted.
   *  undefined: no such step, or no model was asked there. */
  prompt(step: string, of: { readonly pass?: number; readonly turn?: number; readonly layer?: number }): Promise<PromptSeen | undefined>
  stepTools(step: string): Promise<readonly { readonly name: string; readonly granted: boolean; readonly rule: string }[] | undefined>
}
