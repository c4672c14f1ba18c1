// Defines how calls of models wait for their turn [R26–R31]: what an isolate asks the tenant's object together with the settings of a provider.

import type { Usage } from "../../core/money/usage.ts"
import type { Answer, PaceNow, Question } from "../../core/pacing/pacer.ts"
import type { RateSeen } from "../../core/pacing/rate-headers.ts"
import type { Rank } from "../../core/pacing/turns.ts"
import type { ProviderSettings } from "./providers.ts"

export type { PaceNow, Question }

/** A call that asks for its turn. */
export interface PacedCall {
  /** Of the run and the call: the same however often it asks. */
  readonly key: string
  /** The run without a parent above it. */
  readonly family: string
  readonly rank: Rank
  /** Of the request. */
  readonly bytes: number
  readonly maxOutput: number
}

/** `other`: it may go to another model instead. */
export interface PaceWait {
  readonly until: number
  readonly ahead: number
  readonly other: boolean
}

/** Stands before a model of a provider: one for each call. */
export interface ModelGate {
  /** Resolves when the call may leave, or as soon as it is known that its turn comes later than in so many milliseconds. Rejects if nobody
   *  can be asked. */
  pass(patience: number, stop: { readonly aborted: boolean }): Promise<"now" | PaceWait>
  /** What became of a call that left. */
  done(end: CallEnd | undefined): Promise<void>
}

interface CallEnd {
  readonly usage?: Usage
  readonly error?: { readonly status?: number; readonly retryAfter?: number }
  readonly rates?: readonly RateSeen[]
}

/** The settings of a provider, with the answers to what an isolate asked of its models. */
export interface PacedSettings {
  /** Absent: there is no such provider. */
  readonly settings?: ProviderSettings
  /** By model, as `provider/model`. */
  readonly answers: Readonly<Record<string, Answer>>
  /** The models of the provider that something bounds now. */
  readonly bound: readonly string[] | "all"
}
