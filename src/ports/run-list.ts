// A tenant's list of runs. Each run reports its own row; the tenant's object keeps the list.

import type { JsonObject } from "../core/json.ts"
import type { Notice, StartCallback } from "../core/run/notice.ts"

export type RunRow = {
  readonly id: string
  readonly flow: string
  readonly status: string
  /** Milliseconds. */
  readonly created: number
  readonly ended?: number
  readonly view: JsonObject
  /** All notices that receivers may not know yet, and the receiver that the run's start named [W6]. */
  readonly notices?: readonly Notice[]
  readonly callback?: StartCallback
}

/** The answer to a run's report: how long the run is kept once it has ended [H6], in milliseconds. `gone`: the tenant was deleted, and
 *  the run has to go with it [N3]. */
export type Noted = { readonly retention: number } | "gone"

interface Page {
  readonly limit: number
  readonly cursor?: string
}
type Listed<Row> = { readonly data: readonly Row[]; readonly next_cursor: string | null } | { readonly badCursor: true }

export interface RunListPort {
  /** A late or repeated report is harmless: a row is replaced only by one with a newer `view.seq`. */
  note(row: RunRow): Promise<Noted>
  /** The run is gone, and its row goes too. */
  remove(id: string): Promise<void>
  /** Runs with open questions, oldest first. */
  asking(query: Page): Promise<Listed<{ readonly id: string; readonly flow: string }>>
  list(
    query: Page & {
      readonly flow?: readonly string[]
      readonly status?: readonly string[]
      readonly tag?: string
      /** Kinds of trigger. */
      readonly trigger?: readonly string[]
      /** Milliseconds: not before, and before. */
      readonly createdAfter?: number
      readonly createdBefore?: number
    },
  ): Promise<Listed<JsonObject>>
}
