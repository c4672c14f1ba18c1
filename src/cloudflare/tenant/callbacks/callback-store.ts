// Stores a tenant's receivers, and the outbox of their messages [W6]. A notice becomes messages in the turn that stores its run's report,
// so each message exists once or not at all. A message stays until its run is deleted, because it is also the log of what was sent.

import { defined } from "../../../core/defined.ts"
import { NOTICES, type Notice, type StartCallback } from "../../../core/run/notice.ts"
import { noticeBody, type NoticeFacts } from "../../../core/run/notice-body.ts"
import type { CallbackRow, CallbacksPort, MessageRow, MessageStatus } from "../../../ports/tenant/callbacks.ts"
import { MOST_CALLBACKS } from "../../../ports/tenant/callbacks.ts"
import type { ListedRun } from "../../../ports/tenant/run-list.ts"
import { cursorOf, positionOf } from "../../platform/list-cursor.ts"
import { sha256 } from "../../platform/sha256.ts"
import type { TenantSql } from "../tenant-sql.ts"
import { wipeRows } from "../wiped-rows.ts"
import { isPush, pushBody, pushMark, type PushStore } from "../../../protocols/a2a/push-store.ts"

/** The data for one try. `tries` counts the tries since the last redrive, `attempts` counts all. */
export interface CallbackMessage {
  readonly id: string
  readonly run: string
  readonly callback: string | null
  readonly url: string
  readonly origin: string
  readonly secret: string
  readonly body: string
  readonly tries: number
}

type Page = Awaited<ReturnType<CallbacksPort["messages"]>>
type Receiver = Omit<CallbackRow, "id" | "enabled" | "created"> & { readonly id: string | null }
type CallbackRecord = { id: string; url: string; events: string; secret: string; enabled: number; created: number; form: string }

const LISTED = "SELECT * FROM callback"
const SHOWN = "id, run, callback, url, type, status, attempts, last_status, last_error, created"
const SENT = "id, run, callback, url, origin, secret, body, tries"
/** A single binding for the whole list, because a query may have at most 100 bindings. */
const ELSEWHERE = "origin NOT IN (SELECT value FROM json_each(?))"

export class CallbackStore {
  readonly #sql: TenantSql
  readonly #tenant: string

  /** PUBLIC_URL; without it, links begin with the address under which their receiver was made. */
  readonly #address: string | undefined
  readonly pushes: PushStore
  #receivers: { readonly version: number; readonly list: readonly Receiver[] } | undefined

  constructor(sql: TenantSql, tenant: string, pushes: PushStore, address?: string) {
    this.pushes = pushes
    this.#sql = sql
    this.#tenant = tenant
    this.#address = address
  }

  create(row: Omit<CallbackRow, "enabled">): CallbackRow | "full" {
    const existing = this.find(row.id)
    if (existing) return existing
    if (this.list().length >= MOST_CALLBACKS) return "full"
    const { id, url, events, secret, created, ...form } = row
    this.#sql.write((sql) =>
      sql.exec(
        "INSERT INTO callback (id, url, events, secret, enabled, created, form) VALUES (?, ?, ?, ?, 1, ?, ?)",
        id,
        url,
        JSON.stringify(events),
        secret,
        created,
        JSON.stringify(form),
      ),
    )
    return { ...row, enabled: true }
  }

  /** [F79] The receiver of a file, new or with its messages kept. A changed one gets messages again, also after a 410. */
  place(id: string, name: string, callback: StartCallback & { readonly address?: string }, now: number): void {
    const { url, events, secret, ...given } = callback
    const form = { address: this.find(id)?.address, ...given }
    this.#sql.write((sql) =>
      sql.exec(
        `INSERT INTO callback (id, url, events, secret, enabled, created, form) VALUES (?, ?, ?, ?, 1, ?, ?)
         ON CONFLICT (id) DO UPDATE SET url = excluded.url, events = excluded.events, secret = excluded.secret, enabled = 1, form = excluded.form`,
        id,
        url,
        JSON.stringify(events),
        secret,
        now,
        JSON.stringify({ name, ...form }),
      ),
    )
  }

  list(): CallbackRow[] {
    return this.#sql.read<CallbackRecord>(`${LISTED} ORDER BY created DESC, id DESC`).map(callbackOf)
  }

  find(id: string): CallbackRow | undefined {
    return this.#sql.read<CallbackRecord>(`${LISTED} WHERE id = ?`, id).map(callbackOf)[0]
  }

  remove(id: string): boolean {
    if (!this.find(id)) return false
    this.#sql.write((sql) => {
      sql.exec("DELETE FROM callback WHERE id = ?", id)
      sql.exec("DELETE FROM callback_message WHERE callback = ?", id)
    })
    return true
  }

  /** Whether a receiver would get a message with a link, if the run asks. */
  linksFor({ id, notices = [], ...row }: ListedRun): boolean {
    if (!notices.some(({ type }) => type === "run.waiting")) return false
    const own = this.#own(id, row)
    const hears = notices.some(({ type, below }) => type === "run.waiting" && below !== true) ? [...this.#listening(), ...own] : own
    return hears.some((r) => r.events.includes("run.waiting") && r.payload !== "thin")
  }

  /** Turns the run's new notices into messages. `after`: the seq of the run's last report; notices up to it are already recorded. `link`: the path
   *  of a link that answers what the run asks. true: there are messages to send. */
  recordNotice(row: ListedRun, after: number, now: number, link?: string): boolean {
    const { id: run, flow, created, notices = [] } = row
    const fresh = notices.filter((notice) => notice.seq > after)
    const followers = fresh.length === 0 ? [] : [...this.#own(run, row), ...this.#pushed(run)]
    const all = fresh.length === 0 ? [] : [...this.#listening(), ...followers]
    const messages = fresh.flatMap((notice) =>
      (notice.below === true ? followers : all).filter((r) => r.events.includes(notice.type)).map((r) => ({ notice, ...r })),
    )
    if (messages.length === 0) return false
    this.#sql.write((sql) => {
      for (const { notice, id, url, secret, ...form } of messages) {
        const message = messageId(run, created, notice, id)
        sql.exec(
          `INSERT OR IGNORE INTO callback_message (id, run, callback, url, origin, secret, type, body, status, attempts, tries, due, created)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'pending', 0, 0, ?, ?)`,
          message,
          run,
          id,
          url,
          URL.canParse(url) ? new URL(url).origin : url,
          secret,
          notice.type,
          isPush(id)
            ? pushBody(notice, row)
            : noticeBody(
                notice,
                { run, flow, id: message, tenant: this.#tenant },
                toldOf(row, link === undefined ? undefined : (this.#address ?? form.address ?? "") + link),
                form,
              ),
          now,
          now,
        )
      }
    })
    return true
  }

  /** The message that has been due the longest, to be sent now. Its try counts from here on; if no result is recorded, it is due again at
   *  `until`. Receivers in `but` have to wait. */
  claim(now: number, until: number, but: readonly string[]): CallbackMessage | undefined {
    const [row] = this.#sql.read<CallbackMessage & Record<string, SqlStorageValue>>(
      `SELECT ${SENT} FROM callback_message WHERE status = 'pending' AND due <= ? AND ${ELSEWHERE} ORDER BY due, id LIMIT 1`,
      now,
      JSON.stringify(but),
    )
    if (!row) return undefined
    this.#sql.write((sql) =>
      sql.exec("UPDATE callback_message SET attempts = attempts + 1, tries = tries + 1, due = ? WHERE id = ?", until, row.id),
    )
    return { ...row, tries: row.tries + 1 }
  }

  /** [W7] The number of callbacks that led to this run, or to its parent. */
  depthOf(run: string): number {
    const [row] = this.#sql.read<{ depth: number | null }>(
      `SELECT json_extract(view, '$.trigger.depth') AS depth FROM run WHERE id =
         (SELECT coalesce(json_extract(view, '$.parent.root'), id) FROM run WHERE id = ?)`,
      run,
    )
    return row?.depth ?? 0
  }

  /** When the next message is due, apart from messages to `but`. */
  earliest(but: readonly string[]): number | undefined {
    return this.#earliest(ELSEWHERE, [JSON.stringify(but)])
  }

  earliestAfter(now: number): number | undefined {
    return this.#earliest("due > ?", [now])
  }

  /** `latest`: of a message that was tried so often, and whose last answer had this status. */
  mend(now: number, latest: (tries: number, status: number | null) => number): void {
    const rows = this.#sql.read<{ id: string; tries: number; due: number; last_status: number | null }>(
      "SELECT id, tries, due, last_status FROM callback_message WHERE status = 'pending' AND due > ?",
      now,
    )
    const wrong = rows.filter(({ tries, due, last_status }) => due > latest(tries, last_status))
    if (wrong.length > 0)
      this.#sql.write((sql) => {
        for (const { id } of wrong) sql.exec("UPDATE callback_message SET due = ? WHERE id = ?", now, id)
      })
  }

  delivered(id: string, status: number): void {
    this.#sql.write((sql) =>
      sql.exec("UPDATE callback_message SET status = 'delivered', due = NULL, last_status = ?, last_error = NULL WHERE id = ?", status, id),
    )
  }

  /** `due` undefined: the message is dead. A message that has died or was deleted in the meantime stays so. */
  failed(id: string, { status, error, due }: { readonly status?: number; readonly error: string; readonly due?: number }): void {
    this.#sql.write((sql) =>
      sql.exec(
        "UPDATE callback_message SET status = ?, due = ?, last_status = ?, last_error = ? WHERE id = ? AND status = 'pending'",
        due === undefined ? "dead" : "pending",
        due ?? null,
        status ?? null,
        error,
        id,
      ),
    )
  }

  /** The receiver answered 410: it gets no more messages, and its queued messages are dead. A receiver given at a start is identified by its run. */
  disable({ run, callback }: CallbackMessage, error: string): void {
    this.#sql.write((sql) => {
      if (isPush(callback)) this.pushes.remove(run, callback.slice(pushMark("").length))
      else if (callback !== null) sql.exec("UPDATE callback SET enabled = 0 WHERE id = ?", callback)
      const isOwn = callback === null || isJoined(callback)
      sql.exec(
        `UPDATE callback_message SET status = 'dead', due = NULL, last_error = ? WHERE status = 'pending' AND ${isOwn ? "run = ? AND callback IS ?" : "callback = ?"}`,
        error,
        ...(isOwn ? [run, callback] : [callback]),
      )
    })
  }

  /** The run is deleted, and its messages go with it, sent or not. */
  drop(run: string): void {
    this.pushes.drop(run)
    if (this.#sql.read("SELECT 1 FROM callback_message WHERE run = ? LIMIT 1", run).length === 0) return
    this.#sql.write((sql) => wipeRows(sql, { table: "callback_message", column: "body", where: "run = ?" }, run))
  }

  messages(query: Parameters<CallbacksPort["messages"]>[0]): Page {
    const owner = `${this.#tenant}/callback-deliveries`
    const after = query.cursor === undefined ? undefined : positionOf(query.cursor, owner)
    if (after === null) return { badCursor: true }
    const where = ["TRUE"]
    const bindings: SqlStorageValue[] = []
    const and = (condition: string, ...values: SqlStorageValue[]): void => {
      where.push(condition)
      bindings.push(...values)
    }
    if (query.run !== undefined) and("run = ?", query.run)
    if (query.status !== undefined) and(`status IN (${places(query.status)})`, ...query.status)
    if (after) and("(created, id) < (?, ?)", after.created, after.id)
    const rows = this.#sql.read<MessageRow & Record<string, SqlStorageValue>>(
      `SELECT ${SHOWN} FROM callback_message WHERE ${where.join(" AND ")} ORDER BY created DESC, id DESC LIMIT ?`,
      ...bindings,
      query.limit + 1,
    )
    const data = rows.slice(0, query.limit)
    const last = data.at(-1)
    return { data, next_cursor: rows.length > query.limit && last ? cursorOf(owner, last) : null }
  }

  message(id: string): MessageRow | undefined {
    return this.#sql.read<MessageRow & Record<string, SqlStorageValue>>(`SELECT ${SHOWN} FROM callback_message WHERE id = ?`, id)[0]
  }

  redrive(id: string, now: number): "ok" | "not_found" | "delivered" {
    const [row] = this.#sql.read<{ status: MessageStatus; tries: number }>("SELECT status, tries FROM callback_message WHERE id = ?", id)
    if (!row) return "not_found"
    if (row.status === "delivered") return "delivered"
    const tries = row.status === "dead" ? 0 : row.tries
    this.#sql.write((sql) => sql.exec("UPDATE callback_message SET status = 'pending', tries = ?, due = ? WHERE id = ?", tries, now, id))
    return "ok"
  }

  #listening(): readonly Receiver[] {
    const { version } = this.#sql
    if (this.#receivers?.version !== version) this.#receivers = { version, list: this.list().filter((row) => row.enabled) }
    return this.#receivers.list
  }

  /** Of the run's start, and of those that joined it [R10], without those that have answered 410. */
  #own(run: string, { callback, callbacks = [] }: Pick<ListedRun, "callback" | "callbacks">): Receiver[] {
    const own = [
      ...(callback ? [{ id: null, ...callback }] : []),
      ...callbacks.map((joined, at) => ({ id: `${JOINED}${at + 1}`, ...joined })),
    ]
    if (own.length === 0) return []
    const gone = this.#sql.read<{ callback: string | null }>(
      "SELECT DISTINCT callback FROM callback_message WHERE run = ? AND last_status = 410",
      run,
    )
    return own.filter(({ id }) => gone.every((one) => one.callback !== id))
  }

  #pushed(run: string): Receiver[] {
    return this.pushes.of(run).map(({ id, url }) => ({ id: pushMark(id), url, events: NOTICES, secret: "" }))
  }

  #earliest(condition: string, bindings: readonly SqlStorageValue[]): number | undefined {
    const [row] = this.#sql.read<{ due: number | null }>(
      `SELECT min(due) AS due FROM callback_message WHERE status = 'pending' AND ${condition}`,
      ...bindings,
    )
    return row?.due ?? undefined
  }
}

/** [R10] The receiver of a start that joined the run, by its place among them. */
const JOINED = "start_"
const isJoined = (id: string): boolean => id.startsWith(JOINED)

const places = (values: readonly unknown[]): string => values.map(() => "?").join(", ")

const callbackOf = ({ events, enabled, form, ...row }: CallbackRecord): CallbackRow => ({
  ...row,
  ...JSON.parse(form),
  events: JSON.parse(events),
  enabled: enabled === 1,
})

function toldOf({ view, told = {} }: ListedRun, link: string | undefined): NoticeFacts {
  const { rehearsed, tags, usage, superseded, error } = view
  const { interaction, ...rest } = told
  return {
    rehearsed: rehearsed === true,
    ...rest,
    ...defined({
      tags,
      usage,
      superseded,
      error,
      interaction: interaction === undefined ? undefined : { ...interaction, ...defined({ link }) },
    }),
  }
}

/** Derived from the run, its event and its receiver, so that a repeated notice is one message. `created` distinguishes a new run under an old id. */
function messageId(run: string, created: number, { seq }: Notice, callback: string | null): string {
  return `msg_${sha256(JSON.stringify([run, created, seq, callback])).slice(0, 32)}`
}
