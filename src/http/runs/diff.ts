// Serves GET /v1/runs/{run}/diff [K5]: the changes of the workspace between two moments, or since the start.

import { filesDiff } from "../../api/files-diff.ts"
import { defined } from "../../core/defined.ts"
import { cursorPosition, cursorText } from "../../engine/cursor.ts"
import { isRunId, param, routes, type Call } from "../middleware/call.ts"
import { BAD_CURSOR } from "../middleware/page.ts"
import { invalid, NOT_FOUND, refuse } from "../middleware/problem.ts"
import { whole } from "../middleware/query.ts"
import { refuseIf } from "./runs.ts"

const MAX_ROWS = 200 // limit: files of a page of a diff → 422 at `?limit`
const SEQ = { min: 1, max: Number.MAX_SAFE_INTEGER, otherwise: 0 }

async function diffFiles(c: Call): Promise<Response> {
  const id = param(c, "run")
  const run = isRunId(id) ? c.get("tenant").run(id) : undefined
  const limit = whole("limit", c.req.query("limit"), { min: 1, max: MAX_ROWS, otherwise: 50 })
  const from = whole("from", c.req.query("from"), { ...SEQ, otherwise: 1 })
  const to = whole("to", c.req.query("to"), SEQ)
  const wrong = [limit, from, to].flatMap((r) => (r.ok ? [] : [r.error]))[0]
  if (!run || wrong || !limit.ok || !from.ok || !to.ok) return refuseIf(c, run?.view(), wrong ?? invalid([]))
  if (to.value !== 0 && to.value < from.value)
    return refuseIf(c, run.view(), invalid([{ pointer: "?to", message: "must not be before `from`" }]))
  // The next page is of the same two moments, also of a run that goes on.
  const list = `${c.get("caller").tenant} ${c.req.path}`
  const cursor = c.req.query("cursor")
  const place = cursor === undefined ? undefined : placeOf(cursor, list)
  if (cursor !== undefined && (!place || place.from !== from.value || (to.value !== 0 && place.to !== to.value)))
    return refuseIf(c, run.view(), BAD_CURSOR)
  const until = place?.to ?? (to.value === 0 ? undefined : to.value)
  const then = await run.filesBetween(from.value, until, { limit: limit.value, ...defined({ past: place?.past }) })
  if (!then) return refuse(c, NOT_FOUND)
  if (!then.ok) {
    const { first, last } = then
    const name = from.value > last ? "?from" : "?to"
    const message = last < first ? "the run has not begun, and has no event yet" : `must be a \`seq\` of this run, from ${first} to ${last}`
    return refuse(c, { ...invalid([{ pointer: name, message }]), more: { first, last } })
  }
  const { rows, more, to: end } = then.value
  const past = rows.at(-1)?.path
  return c.json({
    from: from.value,
    to: end,
    data: rows,
    next_cursor: more && past !== undefined ? cursorText(list, from.value, end, past) : null,
  })
}

function placeOf(cursor: string, list: string): { readonly from: number; readonly to: number; readonly past: string } | undefined {
  const [from, to, past, ...more] = cursorPosition(cursor, list) ?? []
  return typeof from === "number" && typeof to === "number" && typeof past === "string" && more.length === 0
    ? { from, to, past }
    : undefined
}

export const FILES_DIFF_ROUTES = routes(filesDiff, { diffFiles })
