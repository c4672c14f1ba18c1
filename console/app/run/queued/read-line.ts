// Reads the line in which a queued run stands: its starts, and what their runs are about.

import type { RunRow } from "../../../../src/api/doc/run/runs.doc.ts"
import type { StartRow } from "../../../../src/api/doc/run/starts.doc.ts"
import type { RunView } from "../../../../src/core/run/views/view.ts"
import { StartsClient } from "../../../../src/client/starts.ts"
import type { Api } from "../../shell/session.ts"

/** Starts and runs that are read. */
const [MOST_STARTS, MOST_RUNS] = [200, 200]

export interface Line {
  readonly view: RunView
  /** What the run itself obeys; undefined: it has left the line. */
  readonly own: StartRow | undefined
  /** Those that share the key that it waits for, oldest first. */
  readonly line: readonly StartRow[]
  readonly rows: ReadonlyMap<string, RunRow>
  readonly hasMore: boolean
}

export async function readLine(api: Api, run: string): Promise<Line> {
  const view = await api.runs.get(run)
  const { waiting } = view
  const starts = new StartsClient(api.transport)
  const [pool, key] = waiting !== undefined && "pool" in waiting ? [waiting.pool, waiting.key] : []
  const of = pool === undefined ? { flow: view.flow } : { pool, ...(key === undefined ? {} : { key }) }
  const [page, runs] = await Promise.all([
    starts.list({ ...of, limit: MOST_STARTS }).page(),
    api.runs.list({ status: ["queued", "running", "waiting", "paused"], limit: MOST_RUNS }).page(),
  ])
  return {
    view,
    own: page.data.find((start) => start.run === run),
    line: pool === undefined ? [] : page.data.filter((start) => inLine(start, waiting?.reason)),
    rows: new Map(runs.data.map((row) => [row.id, row])),
    hasMore: page.next_cursor !== null,
  }
}

/** Who waits for a rate, or for more starts, shares nothing with runs at work. */
const inLine = (start: StartRow, reason: string | undefined): boolean =>
  reason === "concurrency" || (reason === "throttle" && start.state === "waiting")
