// Stores a tenant's schedules, and the runs they fired that have not ended [W5]. A fire is one commit: it sets the next time and inserts
// the row of its run, under an id chosen in advance. After a crash the row is found, and that one run is started.

import { nextFires } from "../../../engine/time/cron.ts"
import type { Overlap, ScheduleRow, ScheduleSettings } from "../../../ports/tenant/schedules.ts"
import { MOST_SCHEDULES } from "../../../ports/tenant/schedules.ts"
import type { TenantRows, TenantSql } from "../tenant-sql.ts"

/** A fire whose run has not started yet. */
export interface Fire {
  readonly run: string
  readonly schedule: string
  /** When it was fired (ms). */
  readonly at: number
  readonly tries: number
}

export type Claim = "started" | "skipped" | "queued"

type ScheduleRecord = {
  id: string
  body: string
  created: number
  next: number | null
  last_at: number | null
  last_run: string | null
  last_error: string | null
}

/** No one has deleted the schedule. */
const IS_HERE = "json_extract(body, '$.deleted') IS NULL"

/** Selects a row if schedule `s` has a run that has not reported its end. */
const UNDER_WAY = "SELECT 1 FROM schedule_run r LEFT JOIN run ON run.id = r.run WHERE r.schedule = s.id AND run.ended IS NULL"

export class ScheduleStore {
  readonly #sql: TenantSql

  constructor(sql: TenantSql) {
    this.#sql = sql
  }

  create(id: string, created: number, settings: ScheduleSettings): ScheduleRow | "too_many" {
    const existing = this.find(id)
    if (existing) return existing
    if (this.list().length >= MOST_SCHEDULES) return "too_many"
    this.#sql.write((sql) =>
      sql.exec(
        "INSERT OR REPLACE INTO schedule (id, body, created, next) VALUES (?, ?, ?, ?)",
        id,
        JSON.stringify(settings),
        created,
        nextOf(settings, created),
      ),
    )
    return this.#found(id)
  }

  /** [F79] The schedule of a file, new or with its history kept. Answers when it fires next. */
  place(id: string, name: string, settings: ScheduleSettings, now: number): number | null {
    const body = { ...settings, name }
    const row = this.replace(id, body, now) ?? this.create(id, now, body)
    return row === "too_many" ? null : row.next
  }

  list(): ScheduleRow[] {
    return this.#sql.read<ScheduleRecord>(`SELECT * FROM schedule WHERE ${IS_HERE} ORDER BY created DESC, id DESC`).map(rowOf)
  }

  find(id: string): ScheduleRow | undefined {
    return this.#sql.read<ScheduleRecord>(`SELECT * FROM schedule WHERE id = ? AND ${IS_HERE}`, id).map(rowOf)[0]
  }

  /** What a fire starts, also after its schedule was deleted. */
  settings({ schedule }: Fire): ScheduleSettings | undefined {
    return this.#sql.read<ScheduleRecord>("SELECT * FROM schedule WHERE id = ?", schedule).map(rowOf)[0]
  }

  /** A queued fire is kept only if the new settings would queue it too. */
  replace(id: string, settings: ScheduleSettings, now: number): ScheduleRow | undefined {
    if (!this.find(id)) return undefined
    const keepsQueued = settings.enabled && settings.overlap === "queue"
    this.#sql.write((sql) =>
      sql.exec(
        `UPDATE schedule SET body = ?, next = ?${keepsQueued ? "" : ", queued = NULL"} WHERE id = ?`,
        JSON.stringify(settings),
        nextOf(settings, now),
        id,
      ),
    )
    return this.#found(id)
  }

  /** It fires no more. Fires whose runs were promised are still started, so its row stays for as long, and nobody sees it. */
  remove(id: string): boolean {
    if (!this.find(id)) return false
    this.#sql.write((sql) => {
      sql.exec("UPDATE schedule SET next = NULL, queued = NULL, body = json_set(body, '$.deleted', 1) WHERE id = ?", id)
      forgetDeleted(sql, id)
    })
    return true
  }

  /** Schedules that are due, with the time they are due for, and schedules whose queued fire no longer has to wait for a run. */
  due(now: number, limit: number): { id: string; at: number; queued: boolean }[] {
    const timed = this.#sql.read<{ id: string; at: number }>(
      "SELECT id, next AS at FROM schedule WHERE next <= ? ORDER BY next LIMIT ?",
      now,
      limit,
    )
    const freed = this.#sql.read<{ id: string; at: number }>(
      `SELECT id, queued AS at FROM schedule s WHERE queued IS NOT NULL AND NOT EXISTS (${UNDER_WAY}) LIMIT ?`,
      limit,
    )
    return [...freed.map((row) => ({ ...row, queued: true })), ...timed.map((row) => ({ ...row, queued: false }))]
  }

  /** When to look again. */
  earliest(): number | undefined {
    const [row] = this.#sql.read<{ next: number | null; freed: number | null; due: number | null }>(
      `SELECT (SELECT min(next) FROM schedule) AS next,
              (SELECT min(queued) FROM schedule s WHERE queued IS NOT NULL AND NOT EXISTS (${UNDER_WAY})) AS freed,
              (SELECT min(due) FROM schedule_run WHERE due IS NOT NULL) AS due`,
    )
    const times = [row?.next, row?.freed, row?.due].filter((at) => typeof at === "number")
    return times.length === 0 ? undefined : Math.min(...times)
  }

  /** The only way to fire. `expected`: the time that a timed or queued fire is for; if that fire has already happened, this does nothing.
   *  `due`: when to check whether the run has started. */
  claim(
    id: string,
    fire: { readonly run: string; readonly now: number; readonly due: number },
    expected?: { readonly at: number; readonly queued: boolean },
  ): Claim | undefined {
    const [row] = this.#sql.read<ScheduleRecord & { queued: number | null }>("SELECT * FROM schedule WHERE id = ?", id)
    if (!row || (expected && (expected.queued ? row.queued : row.next) !== expected.at)) return undefined
    const settings = rowOf(row)
    const busy = this.#sql.read(`SELECT 1 FROM schedule s WHERE s.id = ? AND EXISTS (${UNDER_WAY})`, id).length > 0
    // Another fire came first, so this one stays queued.
    if (expected?.queued && busy) return undefined
    if (expected && this.#wasFired(fire.run, row.last_run)) {
      this.#passOver(id, expected, settings, fire.now)
      return undefined
    }
    const verdict = verdictOf(settings.overlap, busy, row.queued !== null)
    this.#sql.write((sql) => {
      if (expected?.queued) sql.exec("UPDATE schedule SET queued = NULL WHERE id = ?", id)
      // All missed times become this one fire.
      else if (expected) sql.exec("UPDATE schedule SET next = ? WHERE id = ?", nextOf(settings, fire.now), id)
      if (verdict === "queued") sql.exec("UPDATE schedule SET queued = ? WHERE id = ?", expected?.at ?? fire.now, id)
      if (verdict !== "started") return
      sql.exec("UPDATE schedule SET last_at = ?, last_run = ?, last_error = NULL WHERE id = ?", fire.now, fire.run, id)
      sql.exec(
        "INSERT OR IGNORE INTO schedule_run (run, schedule, at, due, tries) VALUES (?, ?, ?, ?, 0)",
        fire.run,
        id,
        fire.now,
        fire.due,
      )
    })
    return verdict
  }

  /** The clock was set back, and this time comes anew: its run is there. */
  #wasFired(run: string, last: string | null): boolean {
    return (
      run === last || this.#sql.read("SELECT 1 FROM run WHERE id = ?1 UNION ALL SELECT 1 FROM schedule_run WHERE run = ?1", run).length > 0
    )
  }

  #passOver(id: string, { queued }: { readonly queued: boolean }, settings: ScheduleSettings, now: number): void {
    this.#sql.write((sql) =>
      queued
        ? sql.exec("UPDATE schedule SET queued = NULL WHERE id = ?", id)
        : sql.exec("UPDATE schedule SET next = ? WHERE id = ?", nextOf(settings, now), id),
    )
  }

  /** Fires whose runs should have started by now. */
  unstarted(now: number, limit: number): Fire[] {
    return this.#sql.read<{ run: string; schedule: string; at: number; tries: number }>(
      "SELECT run, schedule, at, tries FROM schedule_run WHERE due <= ? ORDER BY due LIMIT ?",
      now,
      limit,
    )
  }

  /** Did the schedule fire this run, whether or not the run has started? */
  hasFired(id: string, run: string): boolean {
    const query =
      "SELECT 1 FROM schedule_run WHERE run = ?1 AND schedule = ?2 UNION ALL SELECT 1 FROM schedule WHERE id = ?2 AND last_run = ?1"
    return this.#sql.read(query, run, id).length > 0
  }

  fire(run: string): Fire | undefined {
    return this.#sql.read<{ run: string; schedule: string; at: number; tries: number }>(
      "SELECT run, schedule, at, tries FROM schedule_run WHERE run = ? AND due IS NOT NULL",
      run,
    )[0]
  }

  started(run: string): void {
    const schedule = this.fire(run)?.schedule
    this.#sql.write((sql) => {
      sql.exec("UPDATE schedule_run SET due = NULL WHERE run = ?", run)
      if (schedule !== undefined) forgetDeleted(sql, schedule)
    })
  }

  putOff(run: string, due: number, failed: boolean): void {
    this.#sql.write((sql) =>
      sql.exec("UPDATE schedule_run SET due = ?, tries = tries + ? WHERE run = ? AND due IS NOT NULL", due, failed ? 1 : 0, run),
    )
  }

  /** `hasRun`: a failed run says why [W8]. */
  refused({ run, schedule }: Fire, error: string, hasRun: boolean): void {
    this.#sql.write((sql) => {
      sql.exec("DELETE FROM schedule_run WHERE run = ?", run)
      sql.exec("UPDATE schedule SET last_error = ? WHERE id = ? AND last_run = ?", error, schedule, run)
      if (!hasRun) sql.exec("UPDATE schedule SET last_run = NULL WHERE id = ? AND last_run = ?", schedule, run)
      forgetDeleted(sql, schedule)
    })
  }

  /** [R17] The fire is in the window of this run, or was skipped (null). A run that a fire joined is under way for its schedule [R7]. */
  decided({ run, schedule, at }: Fire, became: string | null): void {
    this.#sql.write((sql) => {
      sql.exec("DELETE FROM schedule_run WHERE run = ?", run)
      if (became !== null)
        sql.exec("INSERT OR IGNORE INTO schedule_run (run, schedule, at, due, tries) VALUES (?, ?, ?, NULL, 0)", became, schedule, at)
      sql.exec("UPDATE schedule SET last_run = ? WHERE id = ? AND last_run = ?", became, schedule, run)
      forgetDeleted(sql, schedule)
    })
  }

  /** The run has ended or was deleted. true: a queued fire may have waited for that. */
  ended(run: string): boolean {
    const [row] = this.#sql.read<{ schedule: string }>("SELECT schedule FROM schedule_run WHERE run = ?", run)
    if (!row) return false
    this.#sql.write((sql) => {
      sql.exec("DELETE FROM schedule_run WHERE run = ?", run)
      forgetDeleted(sql, row.schedule)
    })
    return this.#sql.read("SELECT 1 FROM schedule WHERE id = ? AND queued IS NOT NULL", row.schedule).length > 0
  }

  /** A fire that comes anew for a time that was fired already is passed over. `latest`: of a start that is
   *  tried again. */
  mend(now: number, latest: number): void {
    this.#sql.bringNear("schedule_run", "due", now, latest)
    this.#sql.bringNear("schedule", "queued", now, now)
    const rows = this.#sql.read<ScheduleRecord>("SELECT * FROM schedule WHERE next > ?", now)
    for (const { id, next, ...settings } of rows.map(rowOf)) {
      const due = nextOf(settings, now)
      if (due !== null && next !== null && due < next)
        this.#sql.write((sql) => sql.exec("UPDATE schedule SET next = ? WHERE id = ?", due, id))
    }
  }

  #found(id: string): ScheduleRow {
    const row = this.find(id)
    if (!row) throw new Error("a schedule that was just written cannot be found")
    return row
  }
}

/** A deleted schedule's rows go when its fires have all been started. */
function forgetDeleted(sql: TenantRows, id: string): void {
  const gone = sql.exec(
    `DELETE FROM schedule WHERE id = ? AND NOT (${IS_HERE})
     AND NOT EXISTS (SELECT 1 FROM schedule_run r WHERE r.schedule = schedule.id AND r.due IS NOT NULL) RETURNING 1`,
    id,
  )
  if (gone.toArray().length > 0) sql.exec("DELETE FROM schedule_run WHERE schedule = ?", id)
}

function verdictOf(overlap: Overlap, busy: boolean, hasQueued: boolean): Claim {
  if (!busy || overlap === "parallel") return "started"
  return overlap === "queue" && !hasQueued ? "queued" : "skipped"
}

const nextOf = ({ cron, zone, enabled }: ScheduleSettings, from: number): number | null =>
  enabled ? (nextFires(cron, zone, from, 1)[0] ?? null) : null

function rowOf({ id, body, created, next, last_at: at, last_run: run, last_error: error }: ScheduleRecord): ScheduleRow {
  const settings: ScheduleSettings & { name?: string } = JSON.parse(body)
  return { ...settings, id, created, next, last: at === null ? null : { at, run, ...(error === null ? {} : { error }) } }
}
