// Serves the overview of a tenant's runs and the measures of a flow [H16], from sums by hour and by day.

import { insight } from "../../api/insight.ts"
import { asksIn, flowNamesIn, measuresOf, namesIn, spreadTimes } from "../../core/run/usage/measures.ts"
import { hoursBefore, overviewOf, type Hours } from "../../core/run/usage/overview.ts"
import { sumOfAll, type Sum } from "../../core/run/usage/sum.ts"
import { ok, type Result } from "../../core/result.ts"
import { isoTime } from "../../core/text/iso-time.ts"
import { sha256 } from "../../engine/sha256.ts"
import { KEPT_HOURS, type StoredSum } from "../../ports/tenant/sums.ts"
import { param, routes, type Call } from "../middleware/call.ts"
import { matches } from "../middleware/download.ts"
import { notFoundNear } from "../middleware/near.ts"
import { refuse, type Refusal } from "../middleware/problem.ts"
import { words } from "../middleware/query.ts"
import { DAY_HOURS, measuredRange, spanOf, type MeasuredRange } from "./measured-range.ts"

const HOUR_MS = 3_600_000
/** Of a flow, only sums are told. */
const NOTHING_OPEN = { open: 0, changes: [], active: 0, begun: [] } as const

export async function readOverview(c: Call): Promise<Response> {
  const now = Date.now()
  const range = measuredRange(c, now)
  if (!range.ok) return refuse(c, range.error)
  const names = namesWished(c)
  if (!names.ok) return refuse(c, names.error)
  const named = names.value
  const { from, n, each, byHour, rehearsed } = range.value
  if (!byHour) {
    const slices = await daysOf(c, range.value, now)
    const data = slices.map(({ sum, ...slice }) => ({ ...slice, ...measuresOf(sum), open: null, active: null, ...named(sum) }))
    return tagged(c, { ...spanOf(range.value), data, total: totalOf(sumOfAll(slices.map(({ sum }) => sum))) })
  }
  const heads = hoursBefore(range.value)
  const thisHour = Math.floor(now / HOUR_MS)
  const openSince = Math.max(heads?.at(-1)?.[0] ?? from, thisHour - KEPT_HOURS)
  const read = await c
    .get("tenant")
    .sums.read({ unit: "hour", rehearsed, whole: [from, from + n - 1], open: [openSince, thisHour], ...(heads ? { heads } : {}) })
  const { open, changes, active, begun } = read
  const sums = sumsOf([...read.whole, ...read.heads])
  const hours: Hours = { from, n, each: each === "hour" ? 1 : DAY_HOURS, now, sums, open, changes, active, begun }
  const { slices, total, numbers } = overviewOf(hours)
  const isUsual = heads !== undefined
  return tagged(c, {
    ...spanOf(range.value),
    data: slices.map(({ at, partial, sum, open: left, active: still, usual, so_far, usual_so_far }) => ({
      at: isoTime(at),
      partial,
      ...measuresOf(sum),
      open: left,
      active: still,
      so_far,
      ...(isUsual ? { usual, usual_so_far } : {}),
      ...named(sum),
    })),
    total: totalOf(total),
    ...(isUsual ? { numbers } : {}),
  })
}

export async function readFlowMeasures(c: Call): Promise<Response> {
  const flow = param(c, "flow")
  const now = Date.now()
  const range = measuredRange(c, now)
  if (!range.ok) return (await isFlow(c, flow)) ? refuse(c, range.error) : notFoundNear(c, "flow", flow)
  const names = namesWished(c)
  if (!names.ok) return refuse(c, names.error)
  const { from, n, each, byHour, rehearsed } = range.value
  const slices = byHour
    ? overviewOf({
        from,
        n,
        each: each === "hour" ? 1 : DAY_HOURS,
        now,
        sums: sumsOf((await c.get("tenant").sums.read({ unit: "hour", flow, rehearsed, whole: [from, from + n - 1] })).whole),
        ...NOTHING_OPEN,
      }).slices.map(({ at, partial, sum }) => ({ at: isoTime(at), partial, sum }))
    : await daysOf(c, range.value, now, flow)
  const total = sumOfAll(slices.map(({ sum }) => sum))
  // A flow that is deleted has its past.
  if (Object.keys(total).length === 0 && !(await isFlow(c, flow))) return notFoundNear(c, "flow", flow)
  const data = slices.map(({ sum, ...slice }) => ({
    ...slice,
    ...measuresOf(sum),
    ...names.value(sum),
    revisions: flowNamesIn(sum).revisions.flatMap(({ revision }) => (typeof revision === "number" ? [revision] : [])),
  }))
  return tagged(c, { flow, ...spanOf(range.value), data, total: { ...totalOf(total), ...flowNamesIn(total) } })
}

/** What is counted by name, of a slice, if the request wishes it. */
function namesWished(c: Call): Result<(sum: Sum) => object, Refusal> {
  const wish = words("names", c.req.query("names"), ["0", "1"])
  if (!wish.ok) return wish
  const named = (sum: Sum): object => {
    const { models, tools, keys, tags } = namesIn(sum)
    return { models, tools, keys, tags }
  }
  return ok(wish.value?.[0] === "1" ? named : () => ({}))
}

const isFlow = async (c: Call, flow: string): Promise<boolean> => (await c.get("tenant").catalog.read("flow", flow)) !== undefined

/** Days in UTC, also those without a run. */
async function daysOf(c: Call, { from, n, rehearsed }: MeasuredRange, now: number, flow?: string) {
  const [first, last] = [from / DAY_HOURS, (from + n) / DAY_HOURS - 1]
  const { whole } = await c
    .get("tenant")
    .sums.read({ unit: "day", rehearsed, whole: [first, last], ...(flow === undefined ? {} : { flow }) })
  const sums = sumsOf(whole)
  return Array.from({ length: last - first + 1 }, (_, i) => ({
    at: isoTime((first + i) * DAY_HOURS * HOUR_MS),
    partial: (first + i + 1) * DAY_HOURS * HOUR_MS > now,
    sum: sums.get(first + i) ?? {},
  }))
}

const sumsOf = (stored: readonly StoredSum[]): Map<number, Sum> => new Map(stored.map(({ at, text }) => [at, JSON.parse(text)]))

const totalOf = (sum: Sum) => ({
  ...measuresOf(sum),
  questions: asksIn(sum.questions),
  approvals: asksIn(sum.approvals),
  ...namesIn(sum, spreadTimes),
})

/** Pages that are open ask again and again: what has not changed is not sent again. */
async function tagged(c: Call, body: object): Promise<Response> {
  const text = JSON.stringify(body)
  const etag = `"${(await sha256(text)).slice(0, 32)}"`
  if (matches(c.req.header("if-none-match"), etag)) return new Response(null, { status: 304, headers: { etag } })
  return c.body(text, 200, { "content-type": "application/json", etag })
}

export const OVERVIEW_ROUTES = routes(insight, { readOverview, readFlowMeasures })
