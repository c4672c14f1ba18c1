// Stores the deliveries to a tenant's hooks [W2, W3], newest first. Accepting a delivery is one transaction: the check for a duplicate, the
// delivery, the id of its run and the input of that run are all written, or none are.

import { defined } from "../../../core/defined.ts"
import type { Amount } from "../../../core/money/amount.ts"
import type { JsonObject } from "../../../core/json.ts"
import type { EffectsMode } from "../../../core/tool/policy/effects-modes.ts"
import type { GivenFiles } from "../../../core/run/given-file.ts"
import type { TriggerStart } from "../../../core/start/start-schema.ts"
import { noValueIn } from "../../../core/run/missing.ts"
import type { Trace } from "../../../core/trace.ts"
import type { DeliveryVerdict } from "../../../ports/tenant/hooks.ts"
import {
  DELIVERY_DAYS,
  FILTERED_CHARS,
  KEPT_DELIVERIES,
  KEPT_FILTERED,
  KEPT_REFUSALS,
  type Delivered,
  type DeliveryRow,
  type DeliveryResult,
} from "../../../ports/tenant/hooks.ts"
import { cursorOf, positionOf } from "../../platform/list-cursor.ts"
import type { TenantRows, TenantSql } from "../tenant-sql.ts"

const SEEN_MS = 24 * 3_600_000 // [W3] limit: milliseconds that a delivery's id is remembered → it starts a run again
/** Old rows are deleted once per this many deliveries. */
const PRUNE_EVERY = 50
const MAX_LISTED = 200 // limit: deliveries of a page → 422 at `?limit`
/** A row may have 2 MB, and a UTF-16 unit takes up to three bytes in UTF-8. */
const PIECE_CHARS = 500_000 // limit: characters of a delivery in a row → it is in pieces

/** The input for the run of a delivery. */
export interface DeliveryInput {
  readonly flow: string
  readonly autonomous: boolean
  /** [K30] */
  readonly effects?: EffectsMode
  readonly budget?: Amount
  /** [R1] As the hook has it. */
  readonly start?: TriggerStart
  readonly task: string
  readonly inputs: JsonObject
  /** [F55] */
  readonly files?: GivenFiles
  /** [P1] */
  readonly thread?: string
  /** [F40] References of the mapping without a value. */
  readonly missing?: readonly string[]
  /** [N2] */
  readonly address?: string
  /** [W7] */
  readonly depth?: number
  /** [H8] */
  readonly trace?: Trace
  /** Why its run cannot start, if that is known already [W8]. */
  readonly cannot?: string
  /** The keys that detect duplicates of the delivery. They are deleted if its run cannot start, so that the sender may try again. */
  readonly keys: readonly string[]
}

export interface Waiting {
  /** Grows with each delivery. */
  readonly n: number
  readonly id: string
  readonly hook: string
  readonly run: string
  readonly at: number
  readonly tries: number
}

type Record_ = DeliveryRow & { readonly n: number; readonly hook: string }
/** A type, because rows from SQLite need an index signature, which an interface does not have. */
type Row = { [K in keyof Record_]: Record_[K] }
const COLUMNS = "n, id, hook, at, external_id, verdict, reason, run, duplicates, redelivery_of"

export class DeliveryStore {
  readonly #sql: TenantSql

  constructor(sql: TenantSql) {
    this.#sql = sql
  }

  /** `id` and `run` are used if the delivery is new. `due`: when to start its run again if the first start is not recorded. */
  take(
    hook: string,
    delivered: Delivered,
    fresh: {
      id: string
      run: string
      due: number
      given: Omit<DeliveryInput, "task" | "inputs" | "files" | "thread" | "missing" | "address" | "keys">
    },
  ): DeliveryResult {
    const { what, keys, external } = delivered
    const now = Date.now()
    return this.#sql.write((sql): DeliveryResult => {
      sql.exec("DELETE FROM hook_seen WHERE until <= ?", now)
      for (const key of keys) {
        const [seen] = sql
          .exec<{ delivery: string; run: string | null }>("SELECT delivery, run FROM hook_seen WHERE hook = ? AND key = ?", hook, key)
          .toArray()
        if (!seen) continue
        // What an earlier filter held back does not stand in the way of what the present one lets through.
        if (seen.run === null && what.verdict !== "filtered") {
          sql.exec("DELETE FROM hook_seen WHERE hook = ? AND delivery = ? AND run IS NULL", hook, seen.delivery)
          continue
        }
        // The keys of the duplicate are not added: an unsigned id among them could block a later delivery.
        sql.exec("UPDATE delivery SET duplicates = duplicates + 1 WHERE id = ?", seen.delivery)
        // [R17] What joined another run has that one, and what was skipped has none.
        const [first] = sql.exec<{ run: string | null }>("SELECT run FROM delivery WHERE id = ?", seen.delivery).toArray()
        return { delivery: seen.delivery, run: first ? first.run : seen.run, verdict: "duplicate" }
      }
      const accepted = what.verdict === "accepted"
      // [W8] A delivery that cannot start leaves a failed run.
      const leavesRun = accepted || what.verdict === "failed"
      const run = leavesRun ? fresh.run : null
      const reason = "reason" in what ? (what.reason ?? null) : "missing" in what ? saidOf(what) : null
      this.#insert(sql, {
        id: fresh.id,
        hook,
        at: now,
        external,
        verdict: what.verdict,
        reason,
        run,
        of: null,
        due: leavesRun ? fresh.due : null,
      })
      if (accepted || what.verdict === "filtered")
        for (const key of keys)
          sql.exec(
            "INSERT INTO hook_seen (hook, key, delivery, run, until) VALUES (?, ?, ?, ?, ?)",
            hook,
            key,
            fresh.id,
            run,
            now + SEEN_MS,
          )
      if (accepted) this.#give(sql, fresh.id, { ...fresh.given, ...givenOf(what), keys }, what.payload)
      if (what.verdict === "filtered" && what.payload !== undefined) this.#keepFiltered(sql, hook, fresh.id, what.payload)
      if (what.verdict === "failed")
        this.#give(sql, fresh.id, { ...fresh.given, task: "", inputs: {}, cannot: what.reason, keys: [] }, undefined)
      return { delivery: fresh.id, run, verdict: what.verdict }
    })
  }

  again(
    of: DeliveryRow & { readonly hook: string },
    fresh: { id: string; run: string; due: number; given: DeliveryInput; payload: JsonObject | undefined },
  ): void {
    this.#sql.write((sql) => {
      const { id, run, due } = fresh
      this.#insert(sql, {
        id,
        hook: of.hook,
        at: Date.now(),
        external: of.external_id,
        verdict: "accepted",
        reason: saidOf(fresh.given),
        run,
        of: of.id,
        due,
      })
      this.#give(sql, id, { ...fresh.given, keys: [] }, fresh.payload)
    })
  }

  /** Stores only the verdict and the reason [W2]. */
  refuse(hook: string, id: string, verdict: "rejected" | "malformed", reason: string): void {
    this.#sql.write((sql) => {
      this.#insert(sql, { id, hook, at: Date.now(), external: null, verdict, reason, run: null, of: null, due: null })
      sql.exec(
        `DELETE FROM delivery WHERE hook = ?1 AND verdict IN ('rejected', 'malformed') AND n <= (
           SELECT n FROM delivery WHERE hook = ?1 AND verdict IN ('rejected', 'malformed') ORDER BY n DESC LIMIT 1 OFFSET ?2)`,
        hook,
        KEPT_REFUSALS,
      )
    })
  }

  find(hook: string, id: string): (DeliveryRow & { readonly hook: string }) | undefined {
    return this.#sql.read<Row>(`SELECT ${COLUMNS} FROM delivery WHERE id = ? AND hook = ?`, id, hook)[0]
  }

  list(
    hook: string,
    query: { readonly limit: number; readonly cursor?: string },
  ): { data: DeliveryRow[]; next_cursor: string | null } | { badCursor: true } {
    const after = query.cursor === undefined ? undefined : positionOf(query.cursor, hook)
    if (after === null) return { badCursor: true }
    const limit = Math.max(1, Math.min(MAX_LISTED, Math.trunc(query.limit)))
    const rows = this.#sql.read<Row>(
      `SELECT ${COLUMNS} FROM delivery WHERE hook = ? AND n < ? ORDER BY n DESC LIMIT ?`,
      hook,
      after?.created ?? Number.MAX_SAFE_INTEGER,
      limit + 1,
    )
    const page = rows.slice(0, limit)
    const last = page.at(-1)
    return {
      data: page.map(({ n: _n, hook: _hook, ...row }) => row),
      next_cursor: rows.length > limit && last ? cursorOf(hook, { created: last.n, id: last.id }) : null,
    }
  }

  /** The delivery, if its run is not recorded as started or failed. */
  waiting(id: string): Waiting | undefined {
    return this.#sql.read<Waiting & Record<string, string | number>>(
      "SELECT n, id, hook, run, at, tries FROM delivery WHERE id = ? AND due IS NOT NULL",
      id,
    )[0]
  }

  /** The delivery that promises this run, while the run has not started. Reads only waiting deliveries, which are few and have an index. */
  waitingFor(run: string): string | undefined {
    return this.#sql.read<{ id: string }>("SELECT id FROM delivery WHERE due IS NOT NULL AND run = ?", run)[0]?.id
  }

  earliest(): number | undefined {
    return this.#sql.read<{ due: number }>("SELECT due FROM delivery WHERE due IS NOT NULL ORDER BY due LIMIT 1")[0]?.due
  }

  due(now: number, limit: number): string[] {
    return this.#sql.read<{ id: string }>("SELECT id FROM delivery WHERE due <= ? ORDER BY due LIMIT ?", now, limit).map((row) => row.id)
  }

  /** Characters of what its run is given. */
  chars(id: string): number {
    const sum = "SELECT coalesce(sum(length(body)), 0) AS chars FROM delivery_given WHERE delivery = ?"
    return this.#sql.read<{ chars: number }>(sum, id)[0]?.chars ?? 0
  }

  given(id: string): DeliveryInput | undefined {
    const text = this.#pieces(id, "given")
    return text === "" ? undefined : (JSON.parse(text) as DeliveryInput)
  }

  payload(id: string): JsonObject | undefined {
    const text = this.#pieces(id, "payload")
    return text === "" ? undefined : (JSON.parse(text) as JsonObject)
  }

  /** The run has started. The payload is deleted here because the run's journal contains it now. */
  started(id: string): void {
    this.#sql.write((sql) => {
      sql.exec("UPDATE delivery SET due = NULL WHERE id = ?", id)
      sql.exec("DELETE FROM delivery_given WHERE delivery = ? AND name = 'payload'", id)
      this.#drop(sql, id)
    })
  }

  /** `hasRun`: a failed run says why [W8]. */
  failed({ id, hook }: Waiting, reason: string, hasRun: boolean): void {
    const keys = this.given(id)?.keys ?? []
    this.#sql.write((sql) => {
      sql.exec("UPDATE delivery SET due = NULL, verdict = 'failed', reason = ? WHERE id = ?", reason, id)
      if (!hasRun) sql.exec("UPDATE delivery SET run = NULL WHERE id = ?", id)
      for (const key of keys) sql.exec("DELETE FROM hook_seen WHERE hook = ? AND key = ? AND delivery = ?", hook, key, id)
      this.#drop(sql, id)
    })
  }

  /** [R9] It is in the window of another run. What it brought is kept, because that run's journal may have another start's. */
  merged(id: string, run: string): void {
    this.#decided(id, "merged", run, null)
  }

  /** [R7] */
  skipped(id: string, reason: string): void {
    this.#decided(id, "skipped", null, reason)
  }

  #decided(id: string, verdict: "merged" | "skipped", run: string | null, reason: string | null): void {
    this.#sql.write((sql) => {
      sql.exec("UPDATE delivery SET due = NULL, verdict = ?, run = ?, reason = coalesce(?, reason) WHERE id = ?", verdict, run, reason, id)
      this.#drop(sql, id)
    })
  }

  putOff(id: string, due: number): void {
    this.#sql.write((sql) => sql.exec("UPDATE delivery SET due = ?, tries = tries + 1 WHERE id = ? AND due IS NOT NULL", due, id))
  }

  mend(now: number, latest: number): void {
    this.#sql.bringNear("delivery", "due", now, latest)
  }

  /** Deletes the delivery if its hook was deleted while the delivery waited. */
  #drop(sql: TenantRows, id: string): void {
    sql.exec(
      "DELETE FROM delivery_given WHERE delivery = ? AND NOT EXISTS (SELECT 1 FROM delivery d JOIN hook h ON h.id = d.hook WHERE d.id = ?)",
      id,
      id,
    )
    sql.exec("DELETE FROM delivery WHERE id = ? AND NOT EXISTS (SELECT 1 FROM hook h WHERE h.id = delivery.hook)", id)
  }

  #insert(
    sql: TenantRows,
    row: {
      id: string
      hook: string
      at: number
      external: string | null
      verdict: DeliveryVerdict
      reason: string | null
      run: string | null
      of: string | null
      due: number | null
    },
  ): void {
    const { n } = sql
      .exec<{ n: number }>(
        "INSERT INTO delivery (id, hook, at, external_id, verdict, reason, run, duplicates, redelivery_of, due, tries) VALUES (?, ?, ?, ?, ?, ?, ?, 0, ?, ?, 0) RETURNING n",
        row.id,
        row.hook,
        row.at,
        row.external,
        row.verdict,
        row.reason,
        row.run,
        row.of,
        row.due,
      )
      .one()
    if (n % PRUNE_EVERY === 0) this.#prune(sql, row.hook, row.at - DELIVERY_DAYS * 86_400_000)
  }

  #prune(sql: TenantRows, hook: string, before: number): void {
    const old = `SELECT id FROM delivery WHERE hook = ?1 AND due IS NULL AND (at < ?2 OR n <= (SELECT n FROM delivery WHERE hook = ?1 ORDER BY n DESC LIMIT 1 OFFSET ?3))`
    sql.exec(`DELETE FROM delivery_given WHERE delivery IN (${old})`, hook, before, KEPT_DELIVERIES)
    sql.exec(`DELETE FROM delivery WHERE id IN (${old})`, hook, before, KEPT_DELIVERIES)
  }

  #keepFiltered(sql: TenantRows, hook: string, id: string, payload: JsonObject): void {
    const text = JSON.stringify(payload)
    if (text.length > FILTERED_CHARS) return
    this.#put(sql, id, "payload", text)
    sql.exec(
      `DELETE FROM delivery_given WHERE name = 'payload' AND delivery IN (
         SELECT id FROM delivery WHERE hook = ?1 AND verdict = 'filtered' ORDER BY n DESC LIMIT 1 OFFSET ?2)`,
      hook,
      KEPT_FILTERED,
    )
  }

  #give(sql: TenantRows, id: string, given: DeliveryInput, payload: JsonObject | undefined): void {
    this.#put(sql, id, "given", JSON.stringify(given))
    if (payload !== undefined) this.#put(sql, id, "payload", JSON.stringify(payload))
  }

  #put(sql: TenantRows, id: string, name: "given" | "payload", text: string): void {
    for (let at = 0, n = 0; at < text.length; n++) {
      // UTF-8 cannot encode half of a surrogate pair.
      const end = /[\ud800-\udbff]/.test(text[at + PIECE_CHARS - 1] ?? "") ? at + PIECE_CHARS - 1 : at + PIECE_CHARS
      sql.exec("INSERT INTO delivery_given (delivery, name, n, body) VALUES (?, ?, ?, ?)", id, name, n, text.slice(at, end))
      at = end
    }
  }

  #pieces(id: string, name: string): string {
    const rows = this.#sql.read<{ body: string }>("SELECT body FROM delivery_given WHERE delivery = ? AND name = ? ORDER BY n", id, name)
    return rows.map((row) => row.body).join("")
  }
}

/** [F40] An accepted delivery has no other reason. */
const saidOf = ({ missing = [] }: Pick<DeliveryInput, "missing">): string | null => (missing.length === 0 ? null : noValueIn(missing))

const givenOf = ({
  task,
  inputs,
  files,
  thread,
  missing,
  address,
  depth,
  trace,
}: Extract<Delivered["what"], { verdict: "accepted" }>): Pick<
  DeliveryInput,
  "task" | "inputs" | "files" | "thread" | "missing" | "address" | "depth" | "trace"
> => ({ task, inputs, ...defined({ files, thread, missing, address, depth, trace }) })
