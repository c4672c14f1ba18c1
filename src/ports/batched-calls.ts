// Defines how the run of a map and the runs below it talk about calls in batches [R33].

import type { BatchedBody, BatchedOutcome } from "./model-batches.ts"

/** A model call as it is handed to the map's run: `key` is its key in the run that wants it. */
export interface HandedCall extends BatchedBody {
  /** The same for a repeat, another one for the next try. */
  readonly id: string
  /** The map's step and its pass. */
  readonly step: string
  readonly pass: number
  readonly run: string
  readonly key: string
  readonly provider: string
  /** The model as the provider calls it. */
  readonly model: string
}

/** What became of it. */
export interface BatchedWord {
  readonly id: string
  readonly key: string
  readonly batch: string
  readonly outcome: BatchedOutcome
}

export interface BatchedCalls {
  /** Of the map's run. false: it has no use for the call any more. */
  take(call: HandedCall): Promise<boolean>
  /** Of the run that wants the call. false: not now, say it again. */
  hear(word: BatchedWord): Promise<boolean>
}
