// Lists the starts that wait and the runs that hold a key [R18], in the order of their arrival.

import { shownWait } from "../../../core/start/start-wait.ts"
import { windowOf } from "../../../core/start/window.ts"
import { isoTime } from "../../../core/text/iso-time.ts"
import type { StartRow, StartsPage, StartsQuery } from "../../../ports/tenant/line.ts"
import { cursorOf, positionOf } from "../../platform/list-cursor.ts"
import { blockOf, STATE, type LineRow, type LineStore, type StartedBy } from "./line-store.ts"
import { askedWait } from "./line-wait.ts"

const SCAN = 2_000 // limit: starts read for a page of the list of starts → its cursor continues there

export function lineList(store: LineStore, tenant: string, query: StartsQuery): StartsPage {
  const owner = `${tenant} starts`
  const from = query.cursor === undefined ? undefined : positionOf(query.cursor, owner)
  if (from === null) return { badCursor: true }
  const data: StartRow[] = []
  const rows = store.after(from?.created ?? 0, SCAN)
  for (const row of rows) {
    if (fits(row, query)) data.push(shown(store, row))
    if (data.length < query.limit) continue
    return { data, next_cursor: row === rows.at(-1) && rows.length < SCAN ? null : cursorOf(owner, { created: row.n, id: row.run }) }
  }
  const last = rows.length < SCAN ? undefined : rows.at(-1)
  return { data, next_cursor: last ? cursorOf(owner, { created: last.n, id: last.run }) : null }
}

const stateOf = ({ state }: LineRow): StartRow["state"] => (state === STATE.begun ? "running" : "waiting")

function fits(row: LineRow, { flow, pool, key, hook, schedule, api_key, states }: StartsQuery): boolean {
  const { concurrency, throttle, ...rest } = blockOf(row)
  if (
    row.state === STATE.over ||
    row.state === STATE.ending ||
    row.state === STATE.joined ||
    (row.state === STATE.begun && concurrency === undefined)
  )
    return false
  if (flow !== undefined && row.flow !== flow) return false
  if (states !== undefined && !states.includes(stateOf(row))) return false
  // [R9] All whose starts are in the run have started it.
  const { by = {}, also = [] } = row.body
  const isBy = (is: (one: StartedBy) => boolean): boolean => [by, ...also].some(is)
  if (hook !== undefined && !isBy((one) => one.hook === hook)) return false
  if (schedule !== undefined && !isBy((one) => one.schedule === schedule)) return false
  if (api_key !== undefined && !isBy((one) => one.api_key === api_key)) return false
  if (pool === undefined && key === undefined) return true
  return [concurrency, throttle, windowOf(rest)].some(
    (of) => of && (pool === undefined || of.pool === pool) && (key === undefined || of.key === key),
  )
}

function shown(store: LineStore, row: LineRow): StartRow {
  const { concurrency, throttle, priority } = blockOf(row)
  const state = stateOf(row)
  return {
    run: row.run,
    flow: row.flow,
    state,
    arrived: isoTime(row.body.arrived),
    priority,
    merged: row.body.window?.number ?? 1,
    ...(concurrency ? { concurrency: { pool: concurrency.pool, key: concurrency.key, limit: concurrency.limit } } : {}),
    ...(throttle ? { throttle: { pool: throttle.pool, key: throttle.key, limit: throttle.limit, period: throttle.period } } : {}),
    ...(state === "waiting" ? { waiting: shownWait(askedWait(store, row)) } : {}),
  }
}
