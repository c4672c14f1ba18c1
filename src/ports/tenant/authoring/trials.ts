// Prepares the tests of a flow [K21]: each case with the pins of its run. The tenant's object prepares them, because only it has the
// catalog; the caller runs them.

import type { Diagnostic } from "../../../core/diagnostic.ts"
import type { CaseAnswer, Expectation } from "../../../core/case/test-case.ts"
import type { JsonObject } from "../../../core/json.ts"
import type { GivenFiles } from "../../../core/run/given-file.ts"
import type { KnownScorer } from "../quality/scorers.ts"
import type { Pins } from "../../../core/run/event-parts.ts"
import type { Limits, PinOptions, PinResult } from "../catalog.ts"

export interface TrialWish {
  readonly flow: string
  /** Only the case of this name. */
  readonly case?: string
  /** Path → text, or null for a file that goes: the catalog as it would be. Nothing is written. */
  readonly definitions?: Readonly<Record<string, string | null>>
  /** [F80] In the catalog with this draft over it. */
  readonly draft?: string
  /** [H6] Takes a place for the run of the first case. */
  readonly start?: PinOptions["start"]
}

export type Pinned = Extract<PinResult, { ok: true }>

/** A case with the data for its run's start. */
export interface TrialCase {
  readonly name: string
  readonly task: string
  readonly inputs: JsonObject
  readonly payload?: JsonObject
  readonly autonomous?: boolean
  readonly files?: GivenFiles
  readonly answers: readonly CaseAnswer[]
  readonly expect: Expectation
  readonly pinned: Pinned
  /** [V39] The scorers that it names. */
  readonly scorers?: readonly KnownScorer[]
}

export type TrialReady =
  | { readonly ok: true; readonly flow: string; readonly cases: readonly TrialCase[]; readonly limits?: Limits }
  | { readonly ok: false; readonly code: "no_tests" }
  | { readonly ok: false; readonly code: "no_case"; readonly names: readonly string[] }
  /** Of the definitions that were sent, or of the flow's tests. */
  | { readonly ok: false; readonly code: "faults"; readonly diagnostics: Readonly<Record<string, readonly Diagnostic[]>> }
  /** The flow cannot be started. */
  | { readonly ok: false; readonly code: "not_pinned"; readonly why: Extract<PinResult, { ok: false }> }

/** A case's scripted turns, as core/case/play.ts pins them: texts by step, by flow and by child. */
export interface PlayTexts {
  readonly own?: string
  readonly others: Readonly<Record<string, string>>
}

export interface TrialsPort {
  ready(wish: TrialWish): Promise<TrialReady>
  /** [K22] The pins of an earlier run with these plays, every model rehearsed. */
  replayed(pins: Pins, plays: PlayTexts): Promise<Pinned>
}
