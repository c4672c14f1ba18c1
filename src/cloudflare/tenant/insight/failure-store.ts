// Stores groups of failures. Each failed run is added once, in the commit of its row.

import { isObject } from "../../../core/json.ts"
import {
  type Failure,
  type FailureGroup,
  type GroupStatus,
  newGroup,
  sameness,
  withFailure,
  withStatus,
} from "../../../core/run/failure/group.ts"
import type { Verdict } from "../../../core/run/said/score.ts"
import type { Answers } from "../../../ports/objects.ts"
import { hasWords } from "../../../core/text/plain-words.ts"
import type { FailureFilter, FailuresPort, KeyedGroup } from "../../../ports/tenant/failures.ts"
import type { ListedRun } from "../../../ports/tenant/run-list.ts"
import { flowCheck } from "../run-list/row-check.ts"
import { sha256 } from "../../platform/sha256.ts"
import type { TenantSql } from "../tenant-sql.ts"

const MOST_GROUPS = 500 // limit: groups of failures of a tenant → the one that was seen longest ago leaves
const ID_LENGTH = 24

interface LowScore extends Verdict {
  readonly run: string
  readonly flow: string
  readonly scorer: string
  readonly at: number
}

export class FailureStore implements Answers<FailuresPort> {
  readonly #sql: TenantSql
  readonly #now: () => number

  constructor(sql: TenantSql, now: () => number) {
    this.#sql = sql
    this.#now = now
  }

  /** Call this once for a run that has ended. */
  add(row: ListedRun): void {
    const failure = failureOf(row)
    if (failure) this.#add(failure)
  }

  /** [V18] A succeeded run's score that its rule calls low. A run that is in the group already counts once. */
  addLow({ run, flow, scorer, score, level, reason, at }: LowScore): void {
    const [row] = this.#sql.read<{ created: number; view: string }>("SELECT created, view FROM run WHERE id = ?", run)
    if (!row) return
    const { revision, rehearsed } = JSON.parse(row.view) as ListedRun["view"]
    const message = reason ?? level ?? `scored ${score ?? "nothing"}`
    const low = { scorer, shape: level ?? "a low score" }
    const more = { rehearsed: rehearsed === true, began: row.created, at, ...(typeof revision === "number" ? { revision } : {}) }
    this.#add({ run, flow, source: "score", message, low, ...more })
  }

  #add(failure: Failure): void {
    const key = `fail_${sha256(sameness(failure)).slice(0, ID_LENGTH)}`
    const before = this.#group(key)
    if (failure.low && before?.runs.includes(failure.run) === true) return
    const group = before === undefined ? newGroup(failure) : withFailure(before, failure)
    this.#sql.write((sql) => {
      sql.exec("INSERT OR REPLACE INTO failure (key, last, body) VALUES (?, ?, ?)", key, group.last.at, JSON.stringify(group))
      if (before === undefined)
        sql.exec(
          `DELETE FROM failure WHERE key IN (SELECT key FROM failure WHERE key <> ? ORDER BY last DESC, key LIMIT -1 OFFSET ${MOST_GROUPS - 1})`,
          key,
        )
    })
  }

  list(filter: FailureFilter): readonly KeyedGroup[] {
    const rows = this.#sql.read<{ key: string; body: string }>("SELECT key, body FROM failure ORDER BY last DESC, key")
    const groups = rows.map(({ key, body }): KeyedGroup => ({ key, ...JSON.parse(body) })).filter(asked(filter))
    if (filter.sort === "count") return groups.toSorted((a, b) => b.count - a.count)
    return filter.sort === "oldest" ? groups.toReversed() : groups
  }

  put(key: string, status: GroupStatus, by: string): KeyedGroup | undefined {
    const before = this.#group(key)
    if (before === undefined) return undefined
    // Saying the same again changes nothing: who said it first stays.
    if (before.status === status) return { key, ...before }
    const group = withStatus(before, status, by, this.#now())
    this.#sql.write((sql) => sql.exec("UPDATE failure SET body = ? WHERE key = ?", JSON.stringify(group), key))
    return { key, ...group }
  }

  #group(key: string): FailureGroup | undefined {
    const [row] = this.#sql.read<{ body: string }>("SELECT body FROM failure WHERE key = ?", key)
    return row && JSON.parse(row.body)
  }
}

function asked({
  low,
  rehearsed,
  status,
  flow,
  q = [],
  since = -Infinity,
  until = Infinity,
}: FailureFilter): (group: KeyedGroup) => boolean {
  const isOfFlow = flow === undefined ? () => true : flowCheck(flow)
  return (group) =>
    group.rehearsed === rehearsed &&
    (low === undefined || group.scorer !== undefined) &&
    (status?.includes(group.status) ?? true) &&
    isOfFlow(group.flow) &&
    group.last.at >= since &&
    group.first.at < until &&
    hasWords([group.key, group.flow, group.step ?? "", group.scorer ?? "", group.source, group.message].join("\n"), q)
}

/** undefined: the run did not fail. */
function failureOf({ id, flow, status, created, ended, view }: ListedRun): Failure | undefined {
  const { error, revision, rehearsed } = view
  if (status !== "failed" || ended === undefined || !isObject(error)) return undefined
  const { step, source, message } = error
  return {
    run: id,
    flow,
    ...(typeof step === "string" ? { step } : {}),
    source: typeof source === "string" ? source : "engine",
    message: typeof message === "string" ? message : "",
    rehearsed: rehearsed === true,
    began: created,
    at: ended,
    ...(typeof revision === "number" ? { revision } : {}),
  }
}
