// Reads what the overview shows, again each minute while it is looked at. Only the numbers are needed: who may not read the rest sees them without it.

import type { Revision } from "../../../src/api/doc/catalog.doc.ts"
import type { FailureGroup } from "../../../src/api/doc/insight.doc.ts"
import type { FlowMeasures, Overview } from "../../../src/api/doc/overview.doc.ts"
import type { Asked as AskedPerson } from "../../../src/api/doc/run/interactions.doc.ts"
import type { ScheduleRow } from "../../../src/api/doc/schedules.doc.ts"
import { Failures, UsageClient } from "../../../src/client/insight.ts"
import { settingsOver } from "../../../src/client/settings.ts"
import { Schedules } from "../../../src/client/triggers.ts"
import { touchedBy } from "../../../web/overview/touched.ts"
import { useAsked, type Asked } from "../parts/asked.ts"
import type { Api } from "../shell/session.ts"

const [HOUR_MS, DAY_MS] = [3_600_000, 86_400_000]
const AGAIN_MS = 60_000
/** Rows of each list. */
export const MOST_ROWS = 4
/** Questions whose age is counted, and groups of which those that failed in the range are shown. */
const MOST_ASKS = 200
const MOST_GROUPS = 50
/** Changes are shown of this time, and compared with the runs of this time. */
const CHANGED_MS = 7 * DAY_MS
const COMPARED_MS = 14 * DAY_MS

export type Range = "day" | "week"

/** A revision, and how the runs of its first flow went with the revisions before it and since. */
export interface Change {
  readonly revision: Revision
  readonly flow?: string
  readonly revisions: FlowMeasures["total"]["revisions"]
}

export interface Fire {
  readonly schedule: ScheduleRow
  /** Of its last run. */
  readonly status?: string
}

export interface Seen {
  readonly range: Range
  /** From midnight to midnight: its numbers are those of now. */
  readonly overview: Overview
  /** What the plot shows. */
  readonly plotted: Overview
  readonly asks: readonly AskedPerson[]
  readonly groups: readonly FailureGroup[]
  readonly changes: readonly Change[]
  readonly fires: readonly Fire[]
  /** Dollars of a day. */
  readonly limit: number | undefined
}

export function useOverview(api: Api, range: Range): Asked<Seen> {
  return useAsked(["once", "overview", range], () => readOverview(api, range, Date.now()), {
    live: { pollMs: AGAIN_MS, slowMs: AGAIN_MS },
  })
}

async function readOverview(api: Api, range: Range, now: number): Promise<Seen> {
  const usage = new UsageClient(api.transport)
  const each = range === "day" ? "hour" : "day"
  const whole = usage.overview({ since: midnight(now, range === "week" ? -6 : 0), until: midnight(now, 1), each })
  const lastDay = (): Promise<Overview> =>
    usage.overview({ since: new Date(Math.floor(now / HOUR_MS) * HOUR_MS - 23 * HOUR_MS).toISOString(), each })
  const isAdmin = api.who.scopes.includes("admin")
  const [overview, plotted, asks, groups, changes, fires, limit] = await Promise.all([
    whole,
    range === "week" ? whole : lastDay(),
    orElse([], async () => (await api.interactions.list({ status: "open", limit: MOST_ASKS }).page()).data),
    orElse([], async () => (await new Failures(api.transport).list({ status: "open", limit: MOST_GROUPS }).page()).data),
    orElse([], () => readChanges(api, usage, now)),
    orElse([], () => readFires(api)),
    isAdmin ? orElse(undefined, async () => (await settingsOver(api.transport).budget.get()).usd) : undefined,
  ])
  return { range, overview, plotted, asks, groups, changes, fires, limit }
}

async function readChanges(api: Api, usage: UsageClient, now: number): Promise<readonly Change[]> {
  const { data } = await api.catalog.history(MOST_ROWS).page()
  const recent = data.filter(({ at }) => Date.parse(at) > now - CHANGED_MS)
  const measured = new Map<string, Promise<Change["revisions"]>>()
  const revisionsOf = (flow: string): Promise<Change["revisions"]> => {
    const known = measured.get(flow)
    if (known) return known
    const since = new Date(now - COMPARED_MS).toISOString()
    const asked = orElse([], async () => (await usage.ofFlow(flow, { since, each: "day" })).total.revisions)
    measured.set(flow, asked)
    return asked
  }
  return Promise.all(
    recent.map(async (revision) => {
      const flow = touchedBy(revision.changes).find(({ kind }) => kind === "flow")?.name
      return flow === undefined ? { revision, revisions: [] } : { revision, flow, revisions: await revisionsOf(flow) }
    }),
  )
}

async function readFires(api: Api): Promise<readonly Fire[]> {
  const all = await new Schedules(api.transport).list().all()
  const next = all
    .filter((row) => row.next !== null)
    .toSorted((a, b) => (a.next ?? "").localeCompare(b.next ?? ""))
    .slice(0, MOST_ROWS)
  return Promise.all(
    next.map(async (schedule) => {
      const run = schedule.last?.run ?? undefined
      const status = run === undefined ? undefined : await orElse(undefined, async () => (await api.runs.get(run)).status)
      return { schedule, ...(status === undefined ? {} : { status }) }
    }),
  )
}

const orElse = <T>(other: T, ask: () => Promise<T>): Promise<T> => ask().catch(() => other)

/** The local midnight so many days from now. */
export function midnight(now: number, days: number): string {
  const day = new Date(now)
  return new Date(day.getFullYear(), day.getMonth(), day.getDate() + days).toISOString()
}
