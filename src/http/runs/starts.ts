// Serves the list of starts that wait and of runs that hold a key [R18].

import { defined } from "../../core/defined.ts"
import { START_FILTERS, START_STATES, starts } from "../../api/run/starts.ts"
import { MAX_PAGE } from "../../api/route/route.ts"
import type { StartFilter } from "../../ports/tenant/line.ts"
import { routes, type Call } from "../middleware/call.ts"
import { BAD_CURSOR } from "../middleware/page.ts"
import { refuse } from "../middleware/problem.ts"
import { whole, words } from "../middleware/query.ts"

const PAGE = 50

export async function listStarts(c: Call): Promise<Response> {
  const limit = whole("limit", c.req.query("limit"), { min: 1, max: MAX_PAGE, otherwise: PAGE })
  if (!limit.ok) return refuse(c, limit.error)
  const states = words("state", c.req.query("state"), START_STATES)
  if (!states.ok) return refuse(c, states.error)
  const filter = Object.fromEntries(
    Object.keys(START_FILTERS).flatMap((name) => (c.req.query(name) === undefined ? [] : [[name, c.req.query(name)]])),
  )
  const found = await c
    .get("tenant")
    .line.starts({ ...(filter as StartFilter), limit: limit.value, ...defined({ states: states.value, cursor: c.req.query("cursor") }) })
  return "badCursor" in found ? refuse(c, BAD_CURSOR) : c.json(found)
}

export const STARTS_ROUTES = routes(starts, { listStarts })
