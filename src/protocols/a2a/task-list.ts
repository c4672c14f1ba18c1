// Lists the runs of a flow by their latest status [P16], as tasks.

import { cursorPosition, cursorText } from "../../engine/cursor.ts"
import type { RunListPort } from "../../ports/tenant/run-list.ts"

type Query = Omit<Parameters<RunListPort["tasks"]>[0], "thread">
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

interface Rows {
  read<T extends Record<string, SqlStorageValue>>(query: string, ...bindings: readonly SqlStorageValue[]): readonly T[]
}

/** `from`: the runs of a thread, in place of the table of all. */
export function taskList(
  sql: Rows,
  tenant: string,
  { flow, state, since, limit, cursor }: Query,
  from: { readonly sql: string; readonly values: readonly string[] } = { sql: "run", values: [] },
): Tasks {
  const list = `${tenant}/tasks/${flow}`
  const [at, id] = cursor === undefined ? [] : (cursorPosition(cursor, list) ?? [])
  if (cursor !== undefined && (typeof at !== "string" || typeof id !== "string")) return { badCursor: true }
  const where = ["flow = ?", "json_extract(view, '$.parent') IS NULL", "json_extract(view, '$.trigger.kind') IS NOT 'test'"]
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
