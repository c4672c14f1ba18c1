// Defines forks of a run [K7–K15]: the request, the source's data, and the result.

import { defined } from "../core/defined.ts"
import type { Diagnostic } from "../core/diagnostic.ts"
import type { JsonObject } from "../core/json.ts"
import type { Amount } from "../core/money/amount.ts"
import type { Rules } from "../core/tool/policy/policy.ts"
import type { Pins, Trial } from "../core/run/event-parts.ts"
import type { EffectsMode } from "../core/tool/policy/effects-modes.ts"
import type { From, NoCut } from "../core/run/fork/cut.ts"
import type { Answer, InsteadFinish, InsteadReply } from "../core/run/signal.ts"
import type { RunView } from "../core/run/views/view.ts"
import type { Trace } from "../core/trace.ts"
import type { KeyBusy } from "./tenant/line.ts"
import type { Limits, PinnedMoney, PinResult } from "./tenant/catalog.ts"
import type { JournalRow, SealedState } from "./journal.ts"

/** [K13] Changes to the source's definitions. `revision`: use those of the catalog at that revision, or the newest with `latest`. */
export interface ForkPatch {
  readonly revision?: number | "latest"
  readonly definitions?: Readonly<Record<string, string | null>>
  readonly models?: Readonly<Record<string, string>>
  readonly task?: string
  readonly inputs?: JsonObject
  readonly trigger?: JsonObject
}

export interface ForkWish {
  readonly from: From
  readonly instead?: { readonly finish: InsteadFinish } | { readonly reply: InsteadReply } | { readonly answer: Answer }
  readonly patch?: ForkPatch
  readonly effects?: EffectsMode
  readonly budget?: Amount
  readonly autonomous?: boolean
  readonly rehearse?: boolean
  readonly tags?: readonly string[]
}

export interface ForkRequest extends Omit<ForkWish, "effects"> {
  /** Absent: staged. `source`: as the source's. */
  readonly effects?: EffectsMode | "source"
  readonly tenant: string
  /** The fork. */
  readonly run: string
  readonly source: string
  /** The name of the caller's key. */
  readonly by: string
  /** [R13] With `lined`: the id of that key. */
  readonly keyId?: string
  readonly trace?: Trace
  /** Only say what would become of it. */
  readonly check?: true
  /** [V34] It is a trial: dry, by these definitions. */
  readonly trial?: { readonly of: Trial; readonly pins: Pins }
  /** [F77] An agent wrote the patch, and nobody has accepted it. */
  readonly unaccepted?: true
  /** [R44] It stands in line with the priority `low`, and its view is answered once it has arrived. */
  readonly lined?: true
  /** It begins with what the source ran with, which may be a fork with another task. */
  readonly again?: true
}

/** [R44] What a fork in line begins with: as it arrived, but for what the tenant says then. */
export interface HeldFork {
  readonly asked: ForkRequest
  readonly offer: ForkSource
  readonly rows: readonly JournalRow[]
  readonly ground: Extract<ForkOrigin, { ok: true }>
}

/** The forecast of a fork that is not started. */
export interface ForkCheck {
  /** Steps whose results are kept. */
  readonly kept: readonly StepAt[]
  /** Steps of the source that are asked again, or go on, after the cut. */
  readonly asked: readonly StepAt[]
  /** Calls of the source after the cut that change something outside, and that the fork would not carry out by itself. */
  readonly staged: readonly (StepAt & { readonly tool: string })[]
  /** Steps that the fork defines otherwise than the source. */
  readonly changed: readonly string[]
}

export interface StepAt {
  readonly step: string
  readonly pass: number
}

export interface ForkFault {
  readonly pointer: string
  readonly message: string
  readonly line?: number
  readonly column?: number
  readonly suggestion?: string
}

export type ForkResult =
  | { readonly ok: true; readonly view: RunView; readonly limits?: Limits }
  | { readonly ok: true; readonly check: ForkCheck }
  | { readonly ok: false; readonly code: "not_found" }
  /** `why` absent: nothing of this run can be forked, as `what` says. */
  | { readonly ok: false; readonly code: "not_forkable"; readonly why?: NoCut; readonly what?: string }
  | { readonly ok: false; readonly code: "patch_conflict"; readonly steps: readonly string[] }
  | { readonly ok: false; readonly code: "invalid"; readonly errors: readonly ForkFault[] }
  | { readonly ok: false; readonly code: "no_price"; readonly models: readonly string[] }
  | { readonly ok: false; readonly code: "definitions_lost"; readonly why: string }
  /** [R15] */
  | KeyBusy
  | { readonly ok: false; readonly code: "refused"; readonly why: Extract<PinResult, { ok: false }> }

/** The data of a fork's source. */
export interface ForkSource {
  readonly cut: number
  /** The hash of event `cut`, and when it happened. */
  readonly head: string
  readonly at: number
  readonly flow: string
  readonly effects: EffectsMode
  /** What the source, itself a fork, ran with in place of what its history began with. */
  readonly autonomous: boolean
  readonly ran: RanWith
  /** The definitions of the history, each with the first event that they apply to. */
  readonly eras: readonly { readonly from: number; readonly pins: Pins }[]
  /** What the source did after the cut, for a check. */
  readonly after?: Pick<ForkCheck, "asked" | "staged">
}

export interface RanWith {
  readonly task?: string
  readonly inputs?: JsonObject
  readonly payload?: JsonObject
  readonly autonomous?: boolean
  readonly budget?: Amount
}

export interface ForkSourcePort {
  /** undefined: there is no such run. */
  offer(from: From, check?: true): Promise<({ readonly ok: true } & ForkSource) | Extract<ForkResult, { ok: false }> | undefined>
  /** A part of the history up to `cut`, after event `after`. */
  prefix(after: number, cut: number): Promise<readonly JournalRow[]>
  states(rows: readonly string[]): Promise<readonly SealedState[]>
}

/** The request for a fork's definitions to the catalog. */
export interface ForkGroundAsk {
  readonly flow: string
  readonly pins: Pins
  readonly patch?: ForkPatch
  readonly rehearse?: boolean
  readonly autonomous?: boolean
  /** [V34] The definitions of a trial. */
  readonly fixed?: Pins
}
export type ForkOrigin =
  | {
      readonly ok: true
      /** As in the source, if absent. */
      readonly pins?: Pins
      readonly rehearsed?: boolean
      /** Hashes of the patch's texts. */
      readonly definitions?: Readonly<Record<string, string | null>>
      readonly revision?: number
      readonly inputs: JsonObject
      readonly rules: Rules
      readonly money: PinnedMoney
    }
  | { readonly ok: false; readonly code: "invalid"; readonly errors: readonly ForkFault[] }
  | { readonly ok: false; readonly code: "refused"; readonly why: Extract<PinResult, { ok: false }> }

export const faultsAt = (pointer: string, diagnostics: readonly Diagnostic[]): ForkFault[] =>
  diagnostics
    .filter(({ severity }) => severity === "error")
    .map(({ line, column, message, suggestion }) => ({ pointer, message, line, ...defined({ column, suggestion }) }))
