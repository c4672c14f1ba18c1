// Serves groups of failed runs and their statuses.

import { dayOf, GROUP_DAYS, GROUP_STATUSES, type FailureSighting } from "../../core/run/failure/group.ts"
import { isoTime, isoTimes } from "../../core/text/iso-time.ts"
import { GROUP_SORTS, GroupStatusBody, insight } from "../../api/insight.ts"
import { defined } from "../../core/defined.ts"
import type { KeyedGroup } from "../../ports/tenant/failures.ts"
import { json } from "../middleware/body.ts"
import { param, routes, type Call } from "../middleware/call.ts"
import { page } from "../middleware/page.ts"
import { NOT_FOUND, refuse } from "../middleware/problem.ts"
import { oneWord, words } from "../middleware/query.ts"
import { filterOf } from "../runs/run-filter.ts"

const DAY_MS = 86_400_000

const SHARED: readonly string[] = ["flow", "q", "since", "until"]

export async function listFailures(c: Call): Promise<Response> {
  const status = words("status", c.req.query("status"), GROUP_STATUSES)
  if (!status.ok) return refuse(c, status.error)
  const rehearsed = words("rehearsed", c.req.query("rehearsed"), ["0", "1"])
  if (!rehearsed.ok) return refuse(c, rehearsed.error)
  const low = words("low", c.req.query("low"), ["0", "1"])
  if (!low.ok) return refuse(c, low.error)
  const sort = oneWord("sort", c.req.query("sort"), GROUP_SORTS)
  if (!sort.ok) return refuse(c, sort.error)
  // These are as in the list of runs.
  const like = filterOf((name) => (SHARED.includes(name) ? c.req.query(name) : undefined))
  if (!like.ok) return refuse(c, like.error)
  const { flow, q, createdAfter: since, createdBefore: until } = like.value
  const groups = await c.get("tenant").failures.list({
    rehearsed: rehearsed.value?.[0] === "1",
    ...(low.value?.[0] === "1" ? { low: true as const } : {}),
    ...defined({ status: status.value, flow, q, since, until, sort: sort.value }),
  })
  const today = dayOf(Date.now())
  return page(
    c,
    groups.map((group) => shown(group, today)),
  )
}

export async function markFailure(c: Call): Promise<Response> {
  const key = param(c, "failure")
  const { failures } = c.get("tenant")
  const body = json(c, GroupStatusBody)
  if (!body.ok) {
    const [shownGroups, hidden] = await Promise.all([failures.list({ rehearsed: false }), failures.list({ rehearsed: true })])
    return refuse(c, [...shownGroups, ...hidden].some((group) => group.key === key) ? body.error : NOT_FOUND)
  }
  const group = await failures.put(key, body.value.status, c.get("caller").name)
  return group ? c.json(shown(group, dayOf(Date.now()))) : refuse(c, NOT_FOUND)
}

function shown({ days, first, last, set, reopened, ...group }: KeyedGroup, today: number): Record<string, unknown> {
  const counts = new Map(days)
  return {
    ...group,
    days: Array.from({ length: GROUP_DAYS }, (_, i) => {
      const day = today - GROUP_DAYS + 1 + i
      return { day: isoTime(day * DAY_MS).slice(0, 10), count: counts.get(day) ?? 0 }
    }),
    first: seen(first),
    last: seen(last),
    ...(set === undefined ? {} : { by: set.by, at: isoTime(set.at) }),
    ...defined({ reopened: reopened && seen(reopened) }),
  }
}

const seen = (row: FailureSighting) => isoTimes(row, "at")

export const FAILURE_ROUTES = routes(insight, { listFailures, markFailure })
