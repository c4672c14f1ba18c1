// Turns a run's report into events of the feed [H15]: each change of the status, and of the number of open questions.

import { isObject } from "../../../core/json.ts"
import type { ListedRun } from "../../../ports/tenant/run-list.ts"
import type { Feed } from "./feed.ts"

/** The run's current row in the tenant's list; undefined: there is none. */
export interface Standing {
  readonly status: string
  readonly pending: number
  /** false: the row is the promise of its start. */
  readonly reported: boolean
}

/** `before` is read only if there is a listener. */
export function tellReport(feed: Feed, row: ListedRun, before: () => Standing | undefined): void {
  if (!feed.isHeard) return
  const had = before()
  const pending = typeof row.view["pending"] === "number" ? row.view["pending"] : 0
  const { parent, thread } = row.view
  const said = {
    run: row.id,
    flow: row.flow,
    status: row.status,
    pending,
    parent: isObject(parent) && typeof parent["run"] === "string" ? parent["run"] : undefined,
    thread: typeof thread === "string" ? thread : undefined,
  }
  if (had === undefined) feed.tell("run.began", said)
  if (row.ended !== undefined) {
    // A report of effects that comes after the end is a change.
    feed.tell(had?.reported === true && had.status === row.status ? "run.changed" : "run.ended", said)
  } else if (had !== undefined && had.status !== row.status) feed.tell("run.changed", said)
  const asked = had?.pending ?? 0
  if (pending > asked) feed.tell("question.asked", said)
  else if (pending < asked) feed.tell("question.answered", said)
}
