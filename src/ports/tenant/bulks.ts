// Defines bulks [R42]: one act on many runs, which the tenant's object carries out.

import type { z } from "zod"
import type { BulkBody, BulkFork } from "../../api/run/bulk.ts"
import type { Bulk, BulkBegun, BulkCheck, BulkItem } from "../../api/doc/run/bulk.doc.ts"
import type { Row } from "../../api/rows.ts"
import type { BulkAction } from "../../core/run/bulk-act.ts"
import type { RunFilter } from "./run-list.ts"

/** Which runs: those that match now, or these. */
export type BulkRuns = { readonly filter: RunFilter } | { readonly runs: readonly string[] }

export interface BulkOrder {
  readonly action: BulkAction
  /** The name of the caller's key. */
  readonly by: string
  /** [R13] Its id, by which a revocation finds what the bulk has put in line. */
  readonly keyId?: string
  readonly again?: z.output<typeof BulkBody>["again"]
  readonly fork?: BulkFork
}

export type BulkRow = Row<typeof Bulk>
export type BulkItemRow = Row<typeof BulkItem>

export const MOST_UNDER_WAY = 5 // limit: bulks of a tenant under way → 429 `quota`
/** Rows of the list of runs. Twice as many as a bulk may have runs: 20,000 rows of 700 bytes take less than 40 ms. */
export const MOST_LOOKED = 20_000 // limit: runs that a bulk's filter looks at → 422 at `/filter`; a count says that it is not complete

/** `too_many`: more match than `most`. `too_wide`: the filter has more runs to look at than it may. */
export type BulkResult =
  | { readonly ok: true; readonly bulk: Row<typeof BulkBegun> }
  | { readonly ok: false; readonly code: "too_many"; readonly count: number }
  | { readonly ok: false; readonly code: "too_wide" | "busy" }

interface Page {
  readonly limit: number
  readonly cursor?: string
}
type Listed<T> = { readonly data: readonly T[]; readonly next_cursor: string | null } | { readonly badCursor: true }

export interface BulksPort {
  count(runs: BulkRuns): Promise<Omit<Row<typeof BulkCheck>, "action">>
  /** `act`: a repeat of the request has the same, and begins nothing else. */
  begin(order: BulkOrder, runs: BulkRuns, most: number, act?: string): Promise<BulkResult>
  /** Newest first. */
  list(page: Page): Promise<Listed<BulkRow>>
  find(id: string): Promise<BulkRow | undefined>
  /** undefined: there is no such bulk. */
  items(id: string, page: Page & { readonly outcome?: readonly BulkItemRow["outcome"][] }): Promise<Listed<BulkItemRow> | undefined>
  stop(id: string): Promise<BulkRow | undefined>
}
