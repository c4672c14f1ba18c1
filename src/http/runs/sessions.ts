// Sticky sessions over HTTP [J25]: list them, last used first, and forget one. Their agents' runs are at /v1/runs.

import { param, routes, type Call } from "../middleware/call.ts"
import { NOT_FOUND, refuse } from "../middleware/problem.ts"
import { page } from "../middleware/page.ts"
import { runs } from "../../api/runs.ts"

export async function listSticky(c: Call): Promise<Response> {
  return page(c, await c.get("tenant").sessions.list())
}

export async function deleteSticky(c: Call): Promise<Response> {
  const gone = await c.get("tenant").sessions.remove(param(c, "agent"), param(c, "session"))
  return gone ? c.body(null, 204) : refuse(c, NOT_FOUND)
}

export const SESSION_ROUTES = routes(runs, { listSessions: listSticky, deleteSession: deleteSticky })
