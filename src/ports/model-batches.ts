// Defines the port to a provider's batch API [R32]: calls of one model that are answered together, within a day, at a lower price.

import type { Result } from "../core/result.ts"
import type { FinalMessage, ModelError, ModelRequest } from "./model.ts"

/** A model call as a batch holds it: the body of its request. `beta`: what its request would say in a header of the provider's. */
export interface BatchedBody {
  readonly body: string
  readonly beta?: string
}

export interface BatchedCall extends BatchedBody {
  readonly id: string
}

/** What became of a call in a batch. `lost`: the provider does not report on it. */
export type BatchedOutcome =
  | { readonly kind: "answer"; readonly status: number; readonly body: string }
  | { readonly kind: "expired" | "canceled" | "lost" }

export interface SentBatch {
  /** The provider's name for it. */
  readonly id: string
  /** When the provider gives up what it has not answered (ms). */
  readonly expires: number
}

/** `rest`: what became of calls on which an ended batch does not report. */
export type BatchLook = { readonly isEnded: false } | { readonly isEnded: true; readonly rest: BatchedOutcome }

/** Of an error without a status nobody knows whether the request has arrived. */
type Answered<T> = Promise<Result<T, ModelError>>

export interface ModelBatches {
  /** `name`: our own, by which `find` knows it. */
  send(name: string, calls: readonly BatchedCall[], signal: AbortSignal): Answered<SentBatch>
  /** Absent: the provider cannot say whether a batch of this name was sent. undefined: none was. */
  find?(name: string, signal: AbortSignal): Answered<SentBatch | undefined>
  look(id: string, signal: AbortSignal): Answered<BatchLook>
  /** Takes one outcome after another. */
  read(id: string, take: (call: string, outcome: BatchedOutcome) => Promise<void>, signal: AbortSignal): Answered<void>
  /** A batch that is over, or unknown, needs no cancel. */
  cancel(id: string, signal: AbortSignal): Answered<void>
  /** Deletes what the provider has of it. */
  remove(id: string, signal: AbortSignal): Answered<void>
}

/** The calls of one model in batches. */
export interface BatchedModel {
  body(request: ModelRequest): Promise<Result<BatchedBody, ModelError>>
  /** The reply in an answer, read as if it had come at once. */
  reply(request: ModelRequest, answer: Extract<BatchedOutcome, { kind: "answer" }>): Promise<FinalMessage>
}
