// Serves the usage of runs: sums by day, flow, model, agent or tool, as JSON or CSV.

import { accepts } from "hono/accepts"
import { csvOf } from "../../core/text/csv.ts"
import { isoTime } from "../../core/text/iso-time.ts"
import { err, ok, type Result } from "../../core/result.ts"
import { insight, MAX_HOURLY_USAGE_DAYS, MAX_USAGE_DAYS, USAGE_EACH, USAGE_FORMATS, DEFAULT_DAYS } from "../../api/insight.ts"
import { defined } from "../../core/defined.ts"
import { USAGE_BY } from "../../core/run/usage/run-usage.ts"
import type { UsageQuery, UsageSum } from "../../ports/tenant/usage.ts"
import { routes, type Call } from "../middleware/call.ts"
import { disposition } from "../middleware/download.ts"
import { invalid, refuse, type Refusal } from "../middleware/problem.ts"
import { oneWord, time, words } from "../middleware/query.ts"

const DAY_MS = 86_400_000
const COLUMNS = [
  "runs",
  "failed",
  "children",
  "input",
  "cached",
  "output",
  "usd",
  "unpriced",
  "model_calls",
  "tool_calls",
  "tool_errors",
  "questions",
  "approvals",
  "answered",
  "waited_ms",
] as const satisfies readonly Exclude<keyof UsageSum, "lost">[]
/** The table has one value in a place. */
const LOST_COLUMNS = ["lost_calls", "lost_tokens"] as const

export async function readUsage(c: Call): Promise<Response> {
  const isOfScorers = c.req.query("by") === "scorer"
  const query = queryOf(c, isOfScorers ? "flow" : c.req.query("by"))
  if (!query.ok) return refuse(c, query.error)
  if (isOfScorers) return scorerSums(c, query.value)
  const format = oneWord("format", c.req.query("format"), USAGE_FORMATS)
  if (!format.ok) return refuse(c, format.error)
  const { by, from, to, rehearsed, daily, hourly } = query.value
  const slice = hourly ? "hour" : daily ? "day" : undefined
  const { data, total, complete } = await c.get("tenant").usage.sums(query.value)
  c.header("vary", "Accept", { append: true })
  const wanted = accepts(c, { header: "Accept", supports: ["application/json", "text/csv"], default: "application/json" })
  if (format.value === undefined ? wanted !== "text/csv" : format.value === "json")
    return c.json({ by, ...defined({ each: slice }), from: dayText(from), to: dayText(to), rehearsed, data, total, complete })
  const rows = data.map(({ day, hour, key, ...sums }) => [
    ...(slice ? [hour ?? day ?? ""] : []),
    key,
    ...COLUMNS.map((name) => sums[name]),
    sums.lost.calls,
    sums.lost.tokens,
  ])
  return c.body(csvOf([...(slice ? [slice] : []), by, ...COLUMNS, ...LOST_COLUMNS], rows), 200, {
    "content-type": "text/csv; charset=utf-8",
    "content-disposition": disposition(`usage-by-${by}${slice ? `-each-${slice}` : ""}-${dayText(from)}-${dayText(to)}.csv`),
  })
}

/** [V17] */
async function scorerSums(c: Call, { from, to, daily, hourly }: UsageQuery): Promise<Response> {
  if (hourly) return refuse(c, invalid([{ pointer: "?each", message: "hour does not go with by=scorer" }]))
  const sums = await c.get("tenant").scores.sums(from, to, daily)
  const data = sums.map(({ day, flow, scorer, ...sum }) => ({
    ...(day === undefined ? {} : { day: dayText(day) }),
    key: `${flow}/${scorer}`,
    ...sum,
  }))
  return c.json({ by: "scorer", ...(daily ? { each: "day" } : {}), from: dayText(from), to: dayText(to), data })
}

function queryOf(c: Call, named: string | undefined): Result<UsageQuery, Refusal> {
  const by = oneWord("by", named, USAGE_BY)
  if (!by.ok) return by
  const each = oneWord("each", c.req.query("each"), USAGE_EACH)
  if (!each.ok) return each
  const isHourly = each.value === "hour"
  if (isHourly && (by.value ?? "day") !== "day" && by.value !== "flow")
    return err(invalid([{ pointer: "?each", message: "hour needs by=day, which is in all, or by=flow" }]))
  if (each.value === "day" && (by.value ?? "day") === "day")
    return err(invalid([{ pointer: "?each", message: "needs a grouping by name: by=flow, model, agent or tool" }]))
  const from = time("from", c.req.query("from"))
  if (!from.ok) return from
  const to = time("to", c.req.query("to"))
  if (!to.ok) return to
  const rehearsed = words("rehearsed", c.req.query("rehearsed"), ["0", "1"])
  if (!rehearsed.ok) return rehearsed
  const last = Math.floor((to.value ?? Date.now()) / DAY_MS)
  const first = from.value === undefined ? last - (isHourly ? MAX_HOURLY_USAGE_DAYS : DEFAULT_DAYS) + 1 : Math.floor(from.value / DAY_MS)
  if (first > last) return err(invalid([{ pointer: "?from", message: "must not be after `to`" }]))
  if (last - first >= MAX_USAGE_DAYS)
    return err(invalid([{ pointer: "?from", message: `must be less than ${MAX_USAGE_DAYS} days before \`to\`` }]))
  if (isHourly && last - first >= MAX_HOURLY_USAGE_DAYS)
    return err(invalid([{ pointer: "?from", message: `must be less than ${MAX_HOURLY_USAGE_DAYS} days before \`to\` with each=hour` }]))
  const sliced = isHourly ? ({ hourly: true } as const) : each.value === "day" ? ({ daily: true } as const) : {}
  return ok({ by: by.value ?? "day", from: first, to: last, rehearsed: rehearsed.value?.[0] === "1", ...sliced })
}

const dayText = (day: number): string => isoTime(day * DAY_MS).slice(0, 10)

export const USAGE_ROUTES = routes(insight, { readUsage })
