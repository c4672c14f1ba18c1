// Serves what steps leave for later runs: sticky sessions [J25], which are listed, read and deleted, and kept results [R41], which are forgotten.

import { ERASED } from "./runs.ts"
import { param, routes, type Call } from "../middleware/call.ts"
import { NOT_FOUND, refuse } from "../middleware/problem.ts"
import { BAD_CURSOR, page } from "../middleware/page.ts"
import { whole } from "../middleware/query.ts"
import { MAX_PAGE } from "../../api/route/route.ts"
import { cursorPosition, cursorText } from "../../engine/cursor.ts"
import { runs } from "../../api/run/runs.ts"

export async function listSticky(c: Call): Promise<Response> {
  return page(c, await c.get("tenant").sessions.list())
}

/** Oldest first, as a step's messages. */
export async function readSticky(c: Call): Promise<Response> {
  const limit = whole("limit", c.req.query("limit"), { min: 1, max: MAX_PAGE, otherwise: 50 })
  const list = `${c.get("caller").tenant} ${c.req.path}`
  const cursor = c.req.query("cursor")
  const place = cursor === undefined ? { part: 1, index: 0 } : placeOf(cursor, list)
  const faulty = limit.ok ? (place ? undefined : BAD_CURSOR) : limit.error
  const found = await c.get("tenant").conversation(param(c, "agent"), param(c, "session"), {
    ...(place ?? { part: 1, index: 0 }),
    limit: limit.ok ? limit.value : 1,
  })
  if (!found || faulty) return refuse(c, found && faulty ? faulty : NOT_FOUND)
  const { session, data, unreadable, next } = found
  const lost = unreadable.length === 0 ? {} : { unreadable }
  return c.json({ ...session, ...lost, data, next_cursor: next && cursorText(list, next.part, next.index) })
}

function placeOf(cursor: string, list: string): { readonly part: number; readonly index: number } | undefined {
  const [part, index, ...more] = cursorPosition(cursor, list) ?? []
  return isPlace(part) && isPlace(index) && part > 0 && more.length === 0 ? { part, index } : undefined
}
const isPlace = (n: unknown): n is number => typeof n === "number" && Number.isSafeInteger(n) && n >= 0

export async function deleteSticky(c: Call): Promise<Response> {
  const gone = await c.get("tenant").sessions.remove(param(c, "agent"), param(c, "session"))
  return gone ? c.body(null, 204, ERASED) : refuse(c, NOT_FOUND)
}

/** [R41] */
export async function forgetCached(c: Call): Promise<Response> {
  await c.get("tenant").cachedPasses.forget(param(c, "flow"), c.req.query("step"))
  return c.body(null, 204)
}

export const SESSION_ROUTES = routes(runs, { forgetCached, listSessions: listSticky, readSession: readSticky, deleteSession: deleteSticky })
