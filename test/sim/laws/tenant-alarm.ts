// [J12] What a tenant's object owes by its durable rows, and until when its alarm must ring for it. Any other object owes nothing, and a desk
// stores nothing.

import type { HostedObject } from "../platform/objects.ts"
import type { Owed } from "./run-alarm.ts"
import { hasTable } from "./stored-journal.ts"

/** After a failure, memory alone says when a part of the object tries again: at most so much later. */
const SLOWEST_TRY_MS = 300_000
/** The same while what is due is still ahead. */
const TRY_MS = 60_000
/** What the object's own clock calls due may be so much ahead of the service's. */
const CLOCK_MS = 2_000

const UNDER_WAY = "SELECT 1 FROM schedule_run WHERE schedule_run.schedule = s.id"

/** What is due → when the first of it is. */
const DUE: Readonly<Record<string, string>> = {
  "a delivery whose run has not begun [W3]": "SELECT min(due) FROM delivery WHERE due IS NOT NULL",
  "a schedule [W5]": "SELECT min(next) FROM schedule WHERE next IS NOT NULL",
  "a fire that waited for a run [W5]": `SELECT min(queued) FROM schedule s WHERE queued IS NOT NULL AND NOT EXISTS (${UNDER_WAY})`,
  "a fire whose run has not begun [W5]": "SELECT min(due) FROM schedule_run WHERE due IS NOT NULL",
  "a callback [W6]": "SELECT min(coalesce(due, 0)) FROM callback_message WHERE status = 'pending'",
}
/** The same, where a failure or a quota may put it off. */
const ABOUT: Readonly<Record<string, string>> = {
  "a run of a bulk [R44]": "SELECT min(due) FROM bulk_item",
  "a body without an owner [F71]": "SELECT min(due) FROM body_left",
  "a revoked key [S18]": "SELECT min(revoked) FROM watched_key WHERE revoked IS NOT NULL",
  "a shorter retention [H6]": "SELECT min(0) FROM retention_sweep",
  "a day to sum up [H16]": `SELECT min((at / 24 + 1) * 86400000 + 600000) FROM run_sum AS h WHERE unit = 0
    AND at / 24 > coalesce((SELECT max(at) FROM run_sum AS d WHERE unit = 1 AND flow = '' AND d.rehearsed = h.rehearsed), -1)`,
  "a sum of an hour that is old [H16]": "SELECT min((at + 1440) * 3600000) FROM run_sum WHERE unit = 0",
  "a sum of a day that is old [H16]": "SELECT min((at + 366) * 86400000) FROM run_sum WHERE unit = 1",
  "a deletion that is under way [N3]": "SELECT min(0) FROM setting WHERE name = 'leaving'",
  "a run that was not told of its retention [H6]": "SELECT min(due) FROM retention_untold",
}
/** A look for bodies that nobody owns [F71] is under a key. */
const STRAYS = "strays"
const NAMES = [...Object.keys(DUE), ...Object.keys(ABOUT)]
/** [H6] Its table is made with the first start that waits. */
const LINE = "SELECT min(due) AS due FROM (SELECT due FROM start_line UNION ALL SELECT due FROM start_thing)"
const QUERY = `SELECT ${[...Object.values(DUE), ...Object.values(ABOUT)].map((query, i) => `(${query}) AS d${i}`).join(", ")}`

export function* owedByTenant({ storage }: HostedObject, now: number): Generator<Owed> {
  const grave = storage.kv.get("deleted")
  if (typeof grave === "number") yield ["the end of its grave [N3]", Math.max(grave, now + TRY_MS)]
  if (!hasTable(storage, "setting")) return
  const [row] = storage.rows<Record<string, number | null>>(QUERY)
  if (!row) return
  for (const [i, what] of NAMES.entries()) {
    const due = row[`d${i}`]
    if (typeof due !== "number") continue
    const ahead = what in DUE ? due : Math.max(due, now + TRY_MS)
    yield [what, due > now + CLOCK_MS ? ahead : now + SLOWEST_TRY_MS]
  }
  const line = hasTable(storage, "start_line") ? storage.rows<{ due: number | null }>(LINE)[0]?.due : undefined
  if (typeof line === "number") yield ["a start in line [R5]", line > now + CLOCK_MS ? Math.max(line, now + TRY_MS) : now + SLOWEST_TRY_MS]
  const { due } = (storage.kv.get(STRAYS) ?? {}) as { readonly due?: number }
  const isLeaving = storage.rows("SELECT 1 FROM setting WHERE name = 'leaving'").length > 0
  if (due !== undefined && !isLeaving)
    yield ["a look for bodies without an owner [F71]", due > now + CLOCK_MS ? Math.max(due, now + TRY_MS) : now + SLOWEST_TRY_MS]
}
