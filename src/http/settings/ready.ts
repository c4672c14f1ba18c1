// GET /readyz [N7]: does what every request stands on answer? For a load balancer, so it needs no key and names nothing of anybody's.

import type { Call } from "../middleware/call.ts"
import { refuse } from "../middleware/problem.ts"

export async function ready(c: Call): Promise<Response> {
  const checks = await c.get("house").ready()
  const silent = Object.keys(checks).filter((name) => checks[name] === false)
  if (silent.length === 0) return c.json({ status: "ok", checks })
  return refuse(c, {
    code: "not_ready",
    detail: `No answer in time from: ${silent.join(", ")}.`,
    more: { checks },
    headers: { "retry-after": "2" },
  })
}
