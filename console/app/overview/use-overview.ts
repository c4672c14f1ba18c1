// Reads what the overview shows, again each minute while it is looked at.

import type { FailureGroup } from "../../../src/api/doc/insight.doc.ts"
import type { Overview } from "../../../src/api/doc/overview.doc.ts"
import type { Asked as AskedPerson } from "../../../src/api/doc/run/interactions.doc.ts"
import { Failures, UsageClient } from "../../../src/client/insight.ts"
import { useAsked, type Asked } from "../parts/asked.ts"
import type { Api } from "../shell/session.ts"

const AGAIN_MS = 60_000
/** Rows of the lists beside the plot. */
const MOST_ROWS = 5
/** Questions whose age is counted. */
const MOST_ASKS = 200

export type Range = "day" | "week"

export interface Seen {
  readonly range: Range
  readonly overview: Overview
  readonly asks: readonly AskedPerson[]
  readonly groups: readonly FailureGroup[]
}

export function useOverview(api: Api, range: Range): Asked<Seen> {
  return useAsked(
    ["once", "overview", range],
    async () => {
      const [overview, asks, groups] = await Promise.all([
        new UsageClient(api.transport).overview({ since: sinceOf(range, new Date()), each: range === "day" ? "hour" : "day" }),
        api.interactions.list({ status: "open", limit: MOST_ASKS }).page(),
        new Failures(api.transport).list({ status: "open", limit: MOST_ROWS }).page(),
      ])
      return { range, overview, asks: asks.data, groups: groups.data }
    },
    { live: { pollMs: AGAIN_MS, slowMs: AGAIN_MS } },
  )
}

/** The local midnight that the range begins with. */
function sinceOf(range: Range, now: Date): string {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() - (range === "week" ? 6 : 0)).toISOString()
}
