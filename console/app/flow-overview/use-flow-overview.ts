// Reads what the page of a flow shows, again each minute while it is looked at. Who may not read a part sees the page without it.

import type { Revision } from "../../../src/api/doc/catalog.doc.ts"
import type { HookRow } from "../../../src/api/doc/hooks.doc.ts"
import type { FlowMeasures } from "../../../src/api/doc/overview.doc.ts"
import type { RunCounts, RunRow } from "../../../src/api/doc/run/runs.doc.ts"
import type { ScheduleRow } from "../../../src/api/doc/schedules.doc.ts"
import type { GraphView } from "../../../src/core/flow/check/graph-view.ts"
import { Failures, UsageClient } from "../../../src/client/insight.ts"
import { Hooks, Schedules } from "../../../src/client/triggers.ts"
import { ownOf, touching } from "../../../web/flow/revision-words.ts"
import { useAsked, type Asked } from "../parts/asked.ts"
import type { Api } from "../shell/session.ts"

const [HOUR_MS, AGAIN_MS] = [3_600_000, 60_000]
/** Revisions of the catalog among which those of the flow are looked for. */
const MOST_REVISIONS = 100
const MOST_ASKS = 200
const MOST_GROUPS = 50
/** Runs of which the scores of each revision are taken: the newest. */
export const MOST_SCORED = 200

export type DaySpan = "day" | "weeks"
const DAYS: Readonly<Record<DaySpan, number>> = { day: 1, weeks: 14 }

export interface FlowSeen {
  readonly span: DaySpan
  readonly measures: FlowMeasures
  /** Of the time before, as long. */
  readonly before: FlowMeasures["total"]
  readonly graph: GraphView | undefined
  /** Those that changed the flow, its tests, its code or its agents. */
  readonly revisions: readonly Revision[]
  /** Step → runs that wait there for a person. */
  readonly asking: ReadonlyMap<string, number>
  readonly failures: number
  /** The newest runs of this time, with their scores [V44]. */
  readonly runs: readonly RunRow[]
  readonly tests: number | undefined
  readonly failingTests: number
  /** Kind of trigger → how many runs it started in this time. */
  readonly triggers: RunCounts["data"]
  readonly hooks: readonly HookRow[]
  readonly schedules: readonly ScheduleRow[]
}

export function useFlowOverview(api: Api, flow: string, span: DaySpan): Asked<FlowSeen> {
  return useAsked(["once", "flow overview", flow, span], () => readFlow(api, flow, span, Date.now()), {
    live: { pollMs: AGAIN_MS, slowMs: AGAIN_MS },
  })
}

async function readFlow(api: Api, flow: string, span: DaySpan, now: number): Promise<FlowSeen> {
  const usage = new UsageClient(api.transport)
  const since = sinceOf(span, now)
  const each = span === "day" ? "hour" : "day"
  const earlier = new Date(Date.parse(since) - DAYS[span] * 24 * HOUR_MS).toISOString()
  const graph = await orElse(undefined, () => api.flows.graph(flow))
  const touches = touching(ownOf(flow, `flows/${flow.replaceAll(":", "/")}.yaml`), graph)
  const [measures, before, revisions, asks, groups, cases, triggers, runs, hooks, schedules] = await Promise.all([
    usage.ofFlow(flow, { since, each, names: 1 }),
    usage.ofFlow(flow, { since: earlier, until: since, each }).then(({ total }) => total),
    orElse([], async () => (await api.catalog.history(MOST_REVISIONS).page()).data),
    orElse([], async () => (await api.interactions.list({ status: "open", flow, limit: MOST_ASKS }).page()).data),
    orElse([], async () => (await new Failures(api.transport).list({ status: "open", flow, limit: MOST_GROUPS }).page()).data),
    orElse(undefined, async () => (await api.flows.cases(flow)).cases),
    orElse([], async () => (await api.runs.counts("trigger", { flow, since, children: 1 })).data),
    orElse([], async () => (await api.runs.list({ flow, since, children: 1, limit: MOST_SCORED }).page()).data),
    orElse([], () => new Hooks(api.transport).list().all()),
    orElse([], () => new Schedules(api.transport).list().all()),
  ])
  const asking = new Map<string, number>()
  for (const ask of asks) if ("step" in ask) asking.set(ask.step, (asking.get(ask.step) ?? 0) + 1)
  return {
    span,
    measures,
    before,
    graph,
    revisions: revisions.filter(({ changes }) => changes.some(({ path }) => touches(path))),
    asking,
    failures: groups.length,
    tests: cases?.length,
    failingTests: cases?.filter(({ last }) => last?.passed === false).length ?? 0,
    triggers,
    runs,
    hooks: hooks.filter((hook) => hook.flow === flow),
    schedules: schedules.filter((schedule) => schedule.flow === flow),
  }
}

/** A day is the last 24 hours, and weeks begin at the local midnight. */
function sinceOf(span: DaySpan, now: number): string {
  if (span === "day") return new Date(Math.floor(now / HOUR_MS) * HOUR_MS - 23 * HOUR_MS).toISOString()
  const day = new Date(now)
  return new Date(day.getFullYear(), day.getMonth(), day.getDate() - DAYS.weeks + 1).toISOString()
}

const orElse = <T>(other: T, ask: () => Promise<T>): Promise<T> => ask().catch(() => other)
