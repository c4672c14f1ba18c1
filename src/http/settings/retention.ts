// Sets how long a tenant's ended runs are kept [H6]: GET and PUT /v1/settings/retention. A change also applies to runs that have already
// ended.

import { parseDuration } from "../../core/text/duration.ts"
import { json } from "../middleware/body.ts"
import { routes, type Call } from "../middleware/call.ts"
import { invalid, refuse } from "../middleware/problem.ts"
import { RetentionBody, settings } from "../../api/settings.ts"

export const getRetention = async (c: Call): Promise<Response> => c.json({ runs: duration(await c.get("tenant").account.retention()) })

export async function putRetention(c: Call): Promise<Response> {
  const body = json(c, RetentionBody)
  if (!body.ok) return refuse(c, body.error)
  const ms = parseDuration(body.value.runs)
  if (ms === undefined || ms < 1000)
    return refuse(
      c,
      invalid([
        { pointer: "/runs", message: "must be a duration of at least one second: milliseconds, or a number with a unit, such as 30d" },
      ]),
    )
  const done = await c.get("tenant").account.putRetention(ms)
  if (!done.ok)
    return refuse(c, invalid([{ pointer: "/runs", message: `exceeds this instance's maximum retention of ${duration(done.above)}` }]))
  return getRetention(c)
}

const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1_000],
] as const

/** The duration in the largest unit that gives a whole number. */
export function duration(ms: number): string {
  const [unit, size] = UNITS.find(([, size]) => ms >= size && ms % size === 0) ?? ["ms", 1]
  return `${ms / size}${unit}`
}

export const RETENTION_ROUTES = routes(settings, { getRetention, putRetention })
