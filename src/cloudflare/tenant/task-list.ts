// The runs of a flow by their latest status [P16], as a door shows them.

import { cursorPosition, cursorText } from "../../engine/cursor.ts"
import type { RunListPort } from "../../ports/tenant/run-list.ts"
import { runsOf } from "./run-list/run-indexes.ts"
import type { TenantSql } from "./tenant-sql.ts"

type Query = Parameters<RunListPort["tasks"]>[0]
type Tasks = Awaited<ReturnType<RunListPort["tasks"]>>

const MAX_PAGE = 100 // limit: tasks of a page → 400
const SINCE = "json_extract(view, '$.since')"
const OPEN = "(json_extract(view, '$.pending') > 0 OR json_extract(view, '$.waiting.reason') = 'child_interaction')"
const STATES: Readonly<Record<NonNullable<Query["state"]>, string>> = {
  queued: "status = 'queued'",
  working: `(status IN ('running', 'paused') OR (status = 'waiting' AND NOT ${OPEN}))`,
  asking: `status = 'waiting' AND ${OPEN}`,
  succeeded: "status = 'succeeded'",
  failed: "status = 'failed'",
  canceled: "status = 'canceled'",
}

export function taskList(sql: Pick<TenantSql, "read">, tenant: string, { flow, thread, state, since, limit, cursor }: Query): Tasks {
  const list = `${tenant}/tasks/${flow}`
  const [at, id] = cursor === undefined ? [] : (cursorPosition(cursor, list) ?? [])
  if (cursor !== undefined && (typeof at !== "string" || typeof id !== "string")) return { badCursor: true }
  const where = ["flow = ?", "json_extract(view, '$.parent') IS NULL", "json_extract(view, '$.trigger.kind') IS NOT 'test'"]
  const from = thread === undefined ? { sql: "run", values: [] } : runsOf(thread)
  const values: string[] = [...from.values, flow]
  const and = (condition: string, ...more: string[]): void => {
    where.push(condition)
    values.push(...more)
  }
  if (state !== undefined) and(STATES[state])
  if (since !== undefined) and(`${SINCE} >= ?`, since)
  const [counted] = sql.read<{ n: number }>(`SELECT count(*) AS n FROM ${from.sql} WHERE ${where.join(" AND ")}`, ...values)
  if (typeof at === "string" && typeof id === "string") and(`(${SINCE}, id) < (?, ?)`, at, id)
  const most = Math.max(1, Math.min(MAX_PAGE, Math.trunc(limit)))
  const rows = sql.read<{ id: string; since: string; view: string }>(
    `SELECT id, ${SINCE} AS since, view FROM ${from.sql} WHERE ${where.join(" AND ")} ORDER BY ${SINCE} DESC, id DESC LIMIT ?`,
    ...values,
    most + 1,
  )
  const page = rows.slice(0, most)
  const last = page.at(-1)
  return {
    data: page.map(({ view }) => JSON.parse(view)),
    total: counted?.n ?? 0,
    next_cursor: rows.length > most && last ? cursorText(list, last.since, last.id) : null,
  }
}
