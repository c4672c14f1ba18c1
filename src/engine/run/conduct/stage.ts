// Defines what a conductor depends on: the run's journal, a clock, and the shell that performs effects.

import type { Effect } from "../../../core/run/begin.ts"
import type { RunEvent } from "../../../core/run/event.ts"
import type { Signal } from "../../../core/run/signal.ts"
import type { Run } from "../../../core/run/state.ts"
import type { Clock } from "../../../ports/clock.ts"
import type { Journal, Prefix, SealedState } from "../../../ports/journal.ts"
import type { Stop } from "../../../ports/model.ts"
import type { FileChange } from "../../../ports/workspace.ts"
import type { Stopper } from "./stopper.ts"

export interface Performed {
  readonly signal: Signal
  readonly files?: readonly FileChange[]
  /** [J11] The call may have changed something else than these files: it is not made again for them. */
  readonly once?: true
  /** [J20] */
  readonly states?: readonly SealedState[]
  /** [K9] Of the first signal of a fork. */
  readonly prefix?: Prefix
}

/** The batching of decisions into a single commit. */
export interface CommitBatch {
  /** Whether the effect stays in this object and leaves no trace: it may be lost with its decision, and both are made again. */
  isInHouse(run: Run, effect: Effect): boolean
  /** false: someone follows each event as it happens. */
  mayWait(): boolean
  /** Calls back after `ms`; 0: when what is already there has been handled. The answer cancels it. */
  later(work: () => void, ms: number): () => void
}

export interface Stage {
  /** Absent: each decision is a commit of its own. */
  readonly holding?: CommitBatch
  readonly journal: Journal
  readonly clock: Clock
  /** SHA-256 hex. */
  hash(text: string): string
  /** Performs one effect. Must not reject. Must read the run only before its first await. */
  perform(run: Run, effect: Effect, stop: Stop): Promise<Performed>
  /** Committed events, in order. */
  publish(events: readonly RunEvent[], run: Run): void
  /** Whether another part of the object works on what is under way under this key; absent: none does. */
  elsewhere?(key: string): boolean
  /** Asks for a `tick` at this time; undefined: no tick is needed. */
  alarm(at: number | undefined): void
  /** Logs an internal fault. */
  fault(where: string, error: unknown): void
}

/** An effect that has begun and not answered. */
export interface Flight {
  readonly stop: Stopper
  readonly isInHouse: boolean
  /** If it is lost, it is asked again [J11]. */
  readonly isModel: boolean
}
