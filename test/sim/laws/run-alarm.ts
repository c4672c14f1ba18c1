// [J12] What a run's object owes, waits for or holds, as its durable rows and those of the objects that it tells say; and until when its alarm
// must ring for it.

import { askedAbove } from "./asked-above.ts"
import type { HostedObject } from "../platform/objects.ts"
import type { Service } from "../platform/service.ts"
import type { Journal, Journals } from "./journals.ts"
import { hasTable } from "./stored-journal.ts"

/** Effects under way, and messages that have not arrived, are looked after so often. */
const WATCH_MS = 10_000
const HELD_MS = 600_000
const RECORD_MS = 24 * 3_600_000
/** No alarm is further ahead. */
const FARTHEST_MS = 30 * 86_400_000

/** What is owed, and the latest time (ms) of an alarm for it. */
export type Owed = readonly [what: string, at: number]

export function* owedByRun({ storage }: HostedObject, journal: Journal | undefined, service: Service, journals: Journals): Generator<Owed> {
  const now = service.border.wall()
  const soon = now + WATCH_MS
  if (!journal) {
    if (storage.kv.get("held") !== undefined) yield ["a start that waits for room [H6]", now + HELD_MS]
    const unwanted = storage.kv.get("unwanted")
    if (typeof unwanted === "number") yield ["a mark that the run is not wanted [F23d]", unwanted]
    if (!hasTable(storage, "answer")) return
    for (const { at } of storage.rows<{ at: number }>("SELECT at FROM answer")) yield ["the record of a key [H4]", at + RECORD_MS]
    return
  }
  const { standing } = journal
  if (storage.kv.get("leaving") !== undefined) return yield ["its deletion", soon]
  if (standing.underway.size > 0) yield [`effects under way: ${[...standing.underway.keys()].join()}`, soon]
  if (standing.isOver) {
    yield ["the end of its retention [H6]", now + FARTHEST_MS]
    const next = service.isTraced ? traceDueOf(storage.kv.get("traces")) : undefined
    if (next !== undefined) yield ["its trace for the collector [N9]", Math.max(next, soon)]
  }
  if (!standing.isOver && standing.status !== "paused") {
    // What is due waits for a free place, for the tenant's day [B4], or for money [B2]: a call that does not fit waits for the answer to the question,
    // after which this asks for the alarm again.
    const mayWait = standing.hasDay || standing.asksForMoney
    for (const [what, at] of standing.timers)
      if (!mayWait || !what.endsWith(" retries")) yield [what, Math.max(at, standing.underway.size > 0 ? soon : now)]
    for (const [id, expires] of standing.open) if (expires !== undefined) yield [`the expiry of ${id}`, Math.max(expires, now)]
  }
  const unheard = unheardOf(journal, service)
  if (unheard !== undefined) yield [unheard, soon]
  yield* familyOf(journal, journals, soon)
  yield* askedAbove(journal, journals, soon)
}

/** When its spans are sent, or sent again; undefined: they were, or nobody tries any more. */
export function traceDueOf(mark: unknown): number | undefined {
  if (mark === "done") return undefined
  const next: unknown = Reflect.get(Object(mark), "next")
  return typeof next === "number" ? next : 0
}

/** What the tenant does not know of the run. */
function unheardOf(journal: Journal, { tenants }: Service): string | undefined {
  const { run, tenant, standing } = journal
  const rows = tenants.objects.get(tenant)?.storage
  if (!rows || !hasTable(rows, "run")) return undefined
  const { status, reason, isOver, open } = standing
  const shown = status === "waiting" && reason === "child" ? "running" : status
  const [row] = rows.rows<{ status: string; pending: number | null; asks: string | null }>(
    "SELECT status, json_extract(view, '$.pending') AS pending, json_extract(view, '$.now.asks.id') AS asks FROM run WHERE id = ?",
    run,
  )
  if (!row) {
    const isPromised = shown === "running" && open.size === 0 && rows.rows("SELECT 1 FROM promise WHERE id = ?", run).length > 0
    return isPromised ? undefined : `the list does not have it, and it is ${shown}`
  }
  if (row.status !== shown) return `the list says ${row.status}, and it is ${shown}`
  if (!isOver && (row.pending ?? 0) !== open.size) return `the list says that it asks ${row.pending}, and it asks ${open.size}`
  const [oldest] = open.keys()
  if (!isOver && shown === "waiting" && oldest !== undefined && row.asks !== oldest)
    return `the list says that it asks ${row.asks}, and it asks ${oldest}`
  if (!isOver) return undefined
  const hasSlice = rows.rows("SELECT 1 FROM lease WHERE run = ? AND ended = 0 LIMIT 1", run).length > 0
  if (hasSlice) return "its slice of the day [B4]"
  if (rows.rows("SELECT 1 FROM session WHERE claim >= ? AND claim < ? LIMIT 1", `${run}/`, `${run}0`).length > 0)
    return "a session that it holds [J25]"
  return undefined
}

/** What its parent and its children do not know. */
function* familyOf({ tenant, run, standing }: Journal, journals: Journals, soon: number): Generator<Owed> {
  if (!standing.isOver) return
  const parent = standing.started?.parent
  const above = parent && journals.of(tenant, parent.run)
  if (above && !above.isLeaving && !above.standing.isOver && above.standing.children.has(run))
    yield [`its end, for its parent ${parent.run}`, soon]
  for (const child of standing.children) {
    const below = journals.of(tenant, child)
    if (below && !below.isLeaving && !below.standing.isOver) yield [`the cancel of its child ${child} [F23d]`, soon]
  }
}
