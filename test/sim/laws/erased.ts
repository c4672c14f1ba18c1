// [N3], [H5] What is deleted is nowhere: the object of a run that is gone holds at most the record of its Idempotency-Key [H4], and no row of its
// tenant names it, but for what is kept of deliveries and failures.

import { STATE } from "../../../src/cloudflare/tenant/starts/line-store.ts"
import type { HostedObject } from "../platform/objects.ts"
import { hasBegun } from "./leftovers.ts"
import { hasTable, lastOf } from "./stored-journal.ts"
import type { Rest } from "./rest.ts"

/** Columns that name another run: the source of a fork, the turn before in a thread. */
const OTHERS: Readonly<Record<string, readonly string[]>> = {
  run: ["view"],
  // A message about a run may say what became of a run below it.
  callback_message: ["body"],
  // A claim of a run that never began counts for a minute, and is deleted when another one is made an hour later.
  thread_turn: ["after", "run"],
}
/** History that may name a run after it is gone. */
const HISTORY: ReadonlySet<string> = new Set([
  "deleted_run",
  "failure",
  "delivery",
  "delivery_given",
  "hook_seen",
  "schedule",
  "lease",
  "given_answer",
  "backtest",
  "architect",
  "repair",
  // [R45] What became of each run of a bulk.
  "bulk_item",
])
/** Rows of other tables that are history. */
const PAST: Readonly<Record<string, string>> = {
  // [R11] Who joined is remembered for a day after the end, and a beginning counts in its period.
  start_line: `state NOT IN (${STATE.over}, ${STATE.joined})`,
}
const RECORD_MS = 24 * 3_600_000

export function erasedOf(rest: Rest): string[] {
  const wrong: string[] = []
  const { runs, border } = rest.service
  const there = new Set(rest.own.map(({ run }) => run))
  const gone: string[] = []
  for (const object of runs.objects.values()) {
    const [tenant, run = ""] = object.name.split("/")
    if (tenant !== rest.tenant || there.has(run) || object.storage.kv.get("held") !== undefined) continue
    gone.push(run)
    wrong.push(...remainsOf(object, run, border.wall()))
  }
  return [...wrong, ...namesOf(rest, new Set([...gone, ...rest.story.told.deleted]))]
}

/** What the object of a run that is not there still holds. */
function remainsOf({ storage }: HostedObject, run: string, now: number): string[] {
  const wrong: string[] = []
  if (lastOf(storage) > 0) wrong.push(`[N3] ${run} is being deleted, and that does not end`)
  for (const table of storage.tables()) {
    if (table === "answer") {
      for (const { at } of storage.rows<{ at: number }>("SELECT at FROM answer"))
        if (at + RECORD_MS < now - 60_000) wrong.push(`[H4] the record of ${run} is too old`)
      continue
    }
    const count = storage.rows<{ n: number }>(`SELECT count(*) AS n FROM "${table}"`)[0]?.n ?? 0
    if (table === "_cf_KV" && storage.kv.get("unwanted") !== undefined) continue
    if (count > 0) wrong.push(`[N3] ${run} is gone, and its table ${table} has ${count} rows`)
  }
  // An empty table of records goes when the alarm that was set for its record rings.
  const isOwed = hasTable(storage, "answer") || storage.kv.get("unwanted") !== undefined
  if (storage.durableAlarm !== null && !isOwed)
    wrong.push(`[N3] ${run} is gone, and its alarm is set (${Math.round((storage.durableAlarm - now) / 1000)} s ahead)`)
  return wrong
}

/** Tables of the tenant that name a run which is gone. */
function namesOf(rest: Rest, gone: ReadonlySet<string>): string[] {
  if (gone.size === 0) return []
  const wrong: string[] = []
  for (const table of rest.storage.tables()) {
    if (HISTORY.has(table) || table.startsWith("_cf")) continue
    const names = rest.storage.rows<{ name: string }>(`SELECT name FROM pragma_table_info('${table}')`).map(({ name }) => name)
    const columns = names.filter((name) => OTHERS[table]?.includes(name) !== true).map((name) => `"${name}"`)
    const text = columns.map((column) => `coalesce(CAST(${column} AS TEXT), '')`).join(" || ' ' || ")
    for (const { row } of rest.storage.rows<{ row: string }>(
      `SELECT ${text} AS row FROM "${table}" WHERE ${PAST[table] ?? "1"} AND ${text} LIKE '%run\\_%' ESCAPE '\\'`,
    ))
      for (const run of row.match(/\brun_[a-z0-9]{20,}/g) ?? [])
        if (gone.has(run) && (table !== "session" || hasBegun(rest, run)))
          wrong.push(`[N3] ${run} is gone, and the tenant's ${table} names it`)
  }
  return [...new Set(wrong)]
}
