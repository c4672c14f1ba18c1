// Sets how long a tenant's ended runs are kept [H6]: GET and PUT /v1/settings/retention. A change also applies to runs that have already
// ended.

import { readRetention, RetentionBody, tooLong } from "../../core/project/retention-body.ts"
import { durationText } from "../../core/text/duration.ts"
import { json } from "../middleware/body.ts"
import { routes, type Call } from "../middleware/call.ts"
import { invalid, refuse } from "../middleware/problem.ts"
import { settings } from "../../api/settings.ts"

export const getRetention = async (c: Call): Promise<Response> => c.json({ runs: durationText(await c.get("tenant").account.retention()) })

export async function putRetention(c: Call): Promise<Response> {
  const body = json(c, RetentionBody)
  if (!body.ok) return refuse(c, body.error)
  const ms = readRetention(body.value)
  if (!ms.ok) return refuse(c, invalid(ms.error))
  const done = await c.get("tenant").account.putRetention(ms.value)
  return done.ok ? getRetention(c) : refuse(c, invalid([tooLong(done.above)]))
}

export const RETENTION_ROUTES = routes(settings, { getRetention, putRetention })
