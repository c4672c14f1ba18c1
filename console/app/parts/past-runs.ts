// Reads the newest runs and their events, for what looks back at calls of tools.

import type { RunEvent } from "../../../src/core/run/event.ts"
import type { ListedRun } from "../../../web/policy/pick-runs.ts"
import type { Api } from "../shell/session.ts"

/** Rows that are looked through, in pages. */
const [LISTS, LIST] = [5, 100] as const
/** Events of one run that are read, in pages. */
const [PAGES, PAGE] = [3, 1_000] as const

/** With their children. */
export async function newestRuns(api: Api): Promise<readonly ListedRun[]> {
  const all: ListedRun[] = []
  let cursor: string | undefined
  for (let page = 0; page < LISTS; page++) {
    const { data, next_cursor } = await api.runs.list({ limit: LIST, children: 1 }).page(cursor)
    all.push(...data.map(({ id, flow, usage, parent }) => ({ id, flow, calls: usage.tool_calls, parent: parent?.run })))
    if (next_cursor === null) break
    cursor = next_cursor
  }
  return all
}

export async function pastEvents({ transport }: Api, run: string): Promise<readonly RunEvent[]> {
  const all: RunEvent[] = []
  let after = 0
  for (let page = 0; page < PAGES; page++) {
    const { data, next_cursor } = await transport.json<{ readonly data: readonly RunEvent[]; readonly next_cursor: string | null }>(
      "GET",
      `/v1/runs/${encodeURIComponent(run)}/events`,
      { query: { after, limit: PAGE } },
    )
    all.push(...data)
    if (next_cursor === null) break
    after = Number(next_cursor)
  }
  return all
}
