// Defines the line of a tenant's starts [R5]: starts arrive, wait, and begin by the word of the tenant's object alone [R20].

import type { StartBlock } from "../../core/start/start-block.ts"
import type { StartWait } from "../../core/start/start-wait.ts"
import type { Brought, WindowKind } from "../../core/start/window.ts"
import type { StartTimes } from "../../core/run/event-parts.ts"
import type { Start } from "../../api/doc/run/starts.doc.ts"
import type { Shown } from "../../api/rows.ts"
import type { Limits, StartKind } from "./catalog.ts"

// [R11] limit: times that a start is decided anew, because the run that it joined had begun without it → 409 `key_busy`, or a later try
export const ANEW = 5

/** A start that arrives. The run's object says the same once more when it has stored the start. */
export interface LineAsk {
  readonly run: string
  /** The flow's id. */
  readonly flow: string
  readonly kind: StartKind | "child"
  readonly block: StartBlock
  /** What started it, for the list [R18]. */
  readonly by?: { readonly hook?: string; readonly schedule?: string; readonly api_key?: string; readonly key_id?: string }
  /** [R9] Of a block with a window: which windows it may join, and what it brings. Left out once the run's object has stored the start. */
  readonly window?: { readonly kind: WindowKind; readonly brought?: Brought }
  /** [R11] Its place among the starts of its window, if it was accepted before: an older delivery whose start is tried again is no newer start. By
   *  the clock, in thousandths of milliseconds. */
  readonly order?: number
  /** [R11] The run that it joined had begun without it: it is decided anew. */
  readonly refused?: string
  /** [R16] The run of its thread that is at work: the start may only join its window, or wait for its key. */
  readonly beside?: string
  /** [R14] Of a child: the runs above it, the nearest first. */
  readonly above?: readonly string[]
}

/** [R7, R15] The key is held, by this run if any has begun. */
export interface KeyBusy {
  readonly ok: false
  readonly code: "key_busy"
  readonly run?: string
  readonly pool: string
  readonly key: string
}

/** `stands`: call `start` with `held`, and with the number if there is one; the run begins or waits, and its view says which. */
export type Arrived =
  /** `again`: it stood here before. */
  | { readonly ok: true; readonly do: "stands"; readonly number?: number; readonly again?: true; readonly limits?: Limits }
  /** [R14] A run above the child holds its key: it begins at once and takes no place. */
  | { readonly ok: true; readonly do: "free"; readonly limits?: Limits }
  /** [R9, R11] Call `join` of this run with the start under this number. */
  | { readonly ok: true; readonly do: "joined"; readonly run: string; readonly number: number; readonly limits?: Limits }
  | KeyBusy
  /** [R16] */
  | { readonly ok: false; readonly code: "thread_busy"; readonly message: string }
  /** [R17, R22] The line or the minute is full. `retry`: milliseconds. */
  | { readonly ok: false; readonly code: "quota"; readonly message: string; readonly retry: number; readonly limits: Limits }
  | { readonly ok: false; readonly code: "storage_full"; readonly message: string }

/** [R19] By this word a run begins; the same when it is repeated. */
export type StartWord = Pick<StartTimes, "arrived" | "ready" | "began" | "held" | "merged">

/** How a start ends that never began: because a newer one of its key came, because it waited for too long,
 *  or because no key that it waits for can become free [R8, R13, R14]. */
export type UnbegunEnd =
  | { readonly superseded: string }
  | { readonly expired: string }
  | { readonly ring: string }
  | { readonly canceled: true }

/** What the object of a queued run is told: that it begins, that it ends, or that it is to report itself. `mark`: of what a beginning is judged by,
 *  as a start's money has it from its arrival [R13]. */
export type HeldWord =
  | { readonly word: StartWord; readonly mark: string }
  | { readonly end: UnbegunEnd; readonly times: StartTimes }
  | "report"

export type StartRow = Shown<typeof Start>

/** [R18] Filters of the list of starts. */
export interface StartFilter {
  readonly flow?: string
  readonly pool?: string
  readonly key?: string
  readonly hook?: string
  readonly schedule?: string
  readonly api_key?: string
}
export interface StartsQuery extends StartFilter {
  readonly states?: readonly StartRow["state"][]
  readonly limit: number
  readonly cursor?: string
}
export type StartsPage = { readonly data: readonly StartRow[]; readonly next_cursor: string | null } | { readonly badCursor: true }

/** The line, as callers within the tenant use it. */
export interface LinePort {
  arrive(ask: LineAsk): Promise<Arrived>
  /** [R18] Starts that wait and runs that hold a key, oldest first. */
  starts(query: StartsQuery): Promise<StartsPage>
  /** undefined: the run does not wait. */
  waiting(run: string): Promise<StartWait | undefined>
}
