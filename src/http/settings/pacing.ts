// Serves how a tenant's models stand [R31]: GET /v1/settings/pacing/now.

import { defined } from "../../core/defined.ts"
import { isoTime } from "../../core/text/iso-time.ts"
import { settings } from "../../api/settings.ts"
import { routes, type Call } from "../middleware/call.ts"

async function readPacingNow(c: Call): Promise<Response> {
  const rows = await c.get("tenant").settings.pacingNow()
  const data = rows.map(({ longestMs, stoppedUntil, ...row }) => ({
    ...row,
    longest_ms: longestMs,
    ...defined({ stopped_until: isoTime(stoppedUntil) }),
  }))
  return c.json({ data })
}

export const PACING_ROUTES = routes(settings, { readPacingNow })
