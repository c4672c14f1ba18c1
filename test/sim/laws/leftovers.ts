// What outlives its owner: no slice, place, promise, claim, key or queue row is left of a run that has ended or is gone; nothing that was due is
// still due; and every body in R2 has an owner, or is going.

import type { Rest } from "./rest.ts"

/** Rows that belong to a run: table → the column that names it. */
const OF_RUN: Readonly<Record<string, string>> = {
  run_tag: "id",
  effect_open: "run",
  effect_report: "run",
  decided: "run",
  watched_key: "run",
  push_config: "run",
  plan: "run",
  plan_mark: "run",
  callback_message: "run",
  retention_untold: "run",
  schedule_run: "run",
}

/** Rows that are there only until something happens, which must have happened long ago. `?1`: a while ago (ms). */
const PASSING: readonly (readonly [law: string, table: string, query: string])[] = [
  ["[W3] a delivery whose run has not begun", "delivery", "SELECT run AS what FROM delivery WHERE due IS NOT NULL AND at < ?1"],
  ["[W5] a fire whose run has not begun", "schedule_run", "SELECT run AS what FROM schedule_run WHERE due IS NOT NULL AND at < ?1"],
  ["[W5] a schedule that is due", "schedule", "SELECT id AS what FROM schedule WHERE next < ?1"],
  [
    "[W6] a callback that is due",
    "callback_message",
    "SELECT type || ' of ' || run AS what FROM callback_message WHERE status = 'pending' AND coalesce(due, 0) < ?1",
  ],
  ["[R44] a run of a bulk", "bulk_item", "SELECT run AS what FROM bulk_item WHERE due < ?1"],
  ["[F71] a body that was to go", "body_left", "SELECT hash AS what FROM body_left WHERE due < ?1"],
  ["[S18] readers of a revoked key", "watched_key", "SELECT run AS what FROM watched_key WHERE revoked < ?1"],
  ["[H6] runs that were not told of their retention", "retention_untold", "SELECT run AS what FROM retention_untold WHERE due < ?1"],
  [
    "[H6] a place of a run that never began",
    "promise",
    "SELECT id AS what FROM promise WHERE created < ?1 AND NOT EXISTS (SELECT 1 FROM run WHERE run.id = promise.id)",
  ],
]
/** Rows that go with another row. */
const OF_ROW: readonly (readonly [law: string, table: string, query: string])[] = [
  [
    "[W3] a delivery of a hook that is gone",
    "delivery",
    "SELECT id AS what FROM delivery WHERE due IS NULL AND hook NOT IN (SELECT id FROM hook)",
  ],
  [
    "[W3] what a delivery gave that is gone",
    "delivery_given",
    "SELECT DISTINCT delivery AS what FROM delivery_given WHERE delivery NOT IN (SELECT id FROM delivery)",
  ],
]
const WHILE_MS = 120_000

export function leftoversOf(rest: Rest): string[] {
  const wrong: string[] = []
  const ago = rest.service.border.wall() - WHILE_MS
  for (const [law, table, query] of PASSING)
    for (const { what } of rest.rows<{ what: string }>(table, query, ago)) wrong.push(`${law} is left: ${what}`)
  for (const [law, table, query] of OF_ROW)
    for (const { what } of rest.rows<{ what: string }>(table, query)) wrong.push(`${law} is left: ${what}`)
  for (const [table, column] of Object.entries(OF_RUN))
    for (const { what } of rest.rows<{ what: string }>(
      table,
      `SELECT DISTINCT ${column} AS what FROM ${table} WHERE ${column} NOT IN (SELECT id FROM run)`,
    ))
      wrong.push(`[H6] ${table} has rows of ${what}, which is not in the list`)
  const isOver = (run: string): boolean => rest.journals.of(rest.tenant, run)?.standing.isOver !== false
  for (const { run } of rest.rows<{ run: string }>("lease", "SELECT DISTINCT run FROM lease WHERE ended = 0"))
    if (isOver(run)) wrong.push(`[B4] ${run} is over and has a slice of the day`)
  for (const { claim } of rest.rows<{ claim: string }>("session", "SELECT claim FROM session WHERE claim IS NOT NULL"))
    if (hasBegun(rest, claim) && isOver(claim.split("/")[0] ?? "")) wrong.push(`[J25] ${claim} is over and holds a session`)
  for (const { run, at } of rest.rows<{ run: string; at: number }>("thread_turn", "SELECT run, at FROM thread_turn"))
    if (
      at < ago &&
      rest.journals.former.some((it) => it.run === run) &&
      rest.rows("run", "SELECT 1 FROM run WHERE id = ?", run).length === 0
    )
      wrong.push(`[P1] a thread is claimed by ${run}, which is gone`)
  // [H6] [R20] Given, delayed or in line.
  for (const { run } of rest.rows<{ run: string }>("start_line", "SELECT run FROM start_line WHERE state BETWEEN 0 AND 2"))
    if (rest.service.runs.objects.get(`${rest.tenant}/${run}`)?.storage.kv.get("held") === undefined)
      wrong.push(`[H6] ${run} is in line, and nothing is held`)
  return [...wrong, ...marksOf(rest)]
}

/** [J25] A session is claimed before its run begins. The claim of one that never began lapses after a minute, as the next to claim it finds
 *  (`#hasLapsed` of tenant/sessions/session-store.ts), so nobody waits for it; its row goes with its session. */
export function hasBegun({ journals, tenant }: Rest, claim: string): boolean {
  const [run = ""] = claim.split("/")
  return journals.of(tenant, run) !== undefined || journals.former.some((it) => it.run === run)
}

/** Marks of a run's object that belong to something that is over. */
function marksOf({ own, service, tenant }: Rest): string[] {
  const wrong: string[] = []
  for (const { run, standing } of own) {
    const storage = service.runs.objects.get(`${tenant}/${run}`)?.storage
    if (!storage || !standing.isOver) continue
    const keys = [...storage.kv.list({})].map(([key]) => key)
    for (const key of keys)
      if (key === "held" || key === "alarm_failures" || key === "unwanted" || key.startsWith("sandbox"))
        wrong.push(`[H6] ${run} is over and has the key ${key}`)
  }
  return wrong
}

/** Columns that name bodies. */
const NAMES: readonly (readonly [table: string, column: string])[] = [
  ["body_owner", "hash"],
  ["body_left", "hash"],
  ["file", "hash"],
  ["change", "before"],
  ["change", "after"],
  ["tool", "hash"],
  ["staged", "base"],
  ["staged", "hash"],
  ["workspace_file", "hash"],
  ["session_chunk", "hash"],
  ["reference", "hash"],
]

/** [F71] A body of content that no row names stays for ever. */
export function bodiesOf(rest: Rest): string[] {
  const named = new Set(
    NAMES.flatMap(([table, column]) => rest.rows<{ hash: string | null }>(table, `SELECT DISTINCT ${column} AS hash FROM ${table}`)).map(
      ({ hash }) => hash,
    ),
  )
  const texts = ["draft", "backtest", "repair"]
    .flatMap((table) => rest.rows<{ body: string }>(table, `SELECT body FROM ${table}`))
    .map(({ body }) => body)
  const prefix = `t/${rest.tenant}/blob/`
  const wrong: string[] = []
  for (const { key, customMetadata } of rest.service.blobs.kept.values()) {
    if (!key.startsWith(prefix) || customMetadata["kind"] === "definition") continue
    const hash = key.slice(prefix.length)
    if (!named.has(hash) && !texts.some((text) => text.includes(hash)))
      wrong.push(`[F71] the body ${hash.slice(0, 8)} is in R2, and nobody owns it`)
  }
  return wrong
}
