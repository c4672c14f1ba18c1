// A bulk as it goes on: its figures, what became of each run, and the runs that it started, which have its id as a tag.

import { useMemo } from "react"
import type { BulkItemRow, BulkRow } from "../../../../src/api/doc/run/bulk.doc.ts"
import type { RunRow } from "../../../../src/api/doc/run/runs.doc.ts"
import { BulkClient } from "../../../../src/client/bulk.ts"
import { useAsked, type Asked } from "../../parts/asked.ts"
import type { Api } from "../../shell/session.ts"

/** How often it is read while it is under way: without a stream, and with one. */
const LOOK_MS = 1_500
const SLOW_MS = 5_000
const NEVER = 3_600_000
/** Items, and started runs, that are read. */
const ROWS = 200

export interface BulkAsked {
  readonly bulk: Asked<BulkRow>
  readonly items: Asked<{ readonly rows: readonly BulkItemRow[]; readonly isCut: boolean }>
  /** Status → how many of the started runs have it. */
  readonly statuses: Readonly<Record<string, number>>
  /** Those that were read, by their ids. */
  readonly started: ReadonlyMap<string, RunRow>
}

const isOver = (row: BulkRow | undefined): boolean => row !== undefined && row.status !== "running"
const makesRuns = (row: BulkRow | undefined): boolean => row?.action === "again" || row?.action === "fork"

export function useBulk(api: Api, id: string, outcome: BulkItemRow["outcome"] | undefined): BulkAsked {
  const client = useMemo(() => new BulkClient(api.transport), [api])
  const bulk = useAsked(["bulk", "one", id], () => client.get(id), { live: { pollMs: LOOK_MS, slowMs: SLOW_MS } })
  const row = bulk.value
  const at = row === undefined ? "" : `${row.status} ${row.done} ${row.skipped} ${row.failed}`
  const items = useAsked(["once", "bulk items", id, outcome, at], async () => {
    const { data, next_cursor } = await client.items(id, outcome).page()
    return { rows: data, isCut: next_cursor !== null }
  })
  const runs = useAsked(
    ["runs", "of bulk", id, makesRuns(row), isOver(row)],
    async () => {
      if (!makesRuns(row)) return { counts: [], rows: [] }
      const [counts, rows] = await Promise.all([api.runs.counts("status", { tag: id }), api.runs.list({ tag: id, limit: ROWS }).page()])
      return { counts: counts.data, rows: rows.data }
    },
    { live: { pollMs: isOver(row) ? SLOW_MS : LOOK_MS, slowMs: isOver(row) ? NEVER : SLOW_MS } },
  )
  return {
    bulk,
    items,
    statuses: useMemo(() => Object.fromEntries(runs.value?.counts.map(({ key, count }) => [key, count]) ?? []), [runs.value]),
    started: useMemo(() => new Map(runs.value?.rows.map((run) => [run.id, run])), [runs.value]),
  }
}
