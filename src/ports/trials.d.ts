import type { Diagnostic } from "../core/diagnostic.ts"
import type { CaseAnswer, Expectation } from "../core/flow/case/test-case.ts"
import type { JsonObject } from "../core/json.ts"
import type { GivenFiles } from "../core/run/given-file.ts"
import type { Limits, PinOptions, PinResult } from "./catalog.ts"
export interface TrialWish {
  readonly flow: string
  /** Only the case of this name. */
  readonly case?: string
  /** Path → text, or null for a file that goes: the catalog as it would be. Nothing is written. */
  readonly definitions?: Readonly<Record<string, string | null>>
  /** [H6] Takes a place for the run of the first case. */
  readonly start?: PinOptions["start"]
}
export type Pinned = Extract<
  PinResult,
  {
    ok: true
  }
>
/** A case and what its run starts with. */
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
}
export type TrialReady =
  | {
      readonly ok: true
      readonly flow: string
      readonly cases: readonly TrialCase[]
      readonly limits?: Limits
    }
  | {
      readonly ok: false
      readonly code: "no_tests"
    }
  | {
      readonly ok: false
      readonly code: "no_case"
      readonly names: readonly string[]
    }
  /** Of the definitions that were sent, or of the flow's tests. */
  | {
      readonly ok: false
      readonly code: "faults"
      readonly diagnostics: Readonly<Record<string, readonly Diagnostic[]>>
    }
  /** The flow cannot be started. */
  | {
      readonly ok: false
      readonly code: "not_pinned"
      readonly why: Extract<
        PinResult,
        {
          ok: false
        }
      >
    }
export interface TrialsPort {
  ready(wish: TrialWish): Promise<TrialReady>
}
export interface CaseFailure {
  /** JSON Pointer into the case's `expect`, or `/answers`, `/inputs`, `/task`. */
  readonly at: string
  readonly expected: unknown
  readonly found: unknown
}
export interface CaseResult {
  readonly name: string
  readonly passed: boolean
  readonly run: string | null
  readonly ms: number
  readonly failures: readonly CaseFailure[]
}
export interface TestReport {
  readonly flow: string
  readonly passed: number
  readonly failed: number
  readonly cases: readonly CaseResult[]
}
