// Stores the line of starts [R5]: a row for each start from its arrival until its run and all below it are over, and a row for each thing
// that starts are filed under.

import type { InLine, PriorityRank } from "../../../core/start/line.ts"
import { MINUTE, ROOM } from "../../../core/start/line-things.ts"
import type { StartBlock } from "../../../core/start/start-block.ts"
import type { Window } from "../../../core/start/window.ts"
import type { LineAsk, UnbegunEnd } from "../../../ports/tenant/line.ts"
import type { TenantRows, TenantSql } from "../tenant-sql.ts"

/** `window`: others may join it [R9]. `given`: its run's object has not stored it yet. `over`: its beginning still counts in its throttle, or who joined
 *  it is remembered. `ending`: it ends without having begun. `joined`: no run of its own, but a start that is in another one's. */
export const STATE = { window: -1, given: 0, delayed: 1, inLine: 2, begun: 3, over: 4, ending: 5, joined: 6 } as const
export type LineState = (typeof STATE)[keyof typeof STATE]

export type StartedBy = Omit<NonNullable<LineAsk["by"]>, "key_id">

/** What of a row no index needs. */
interface Body extends Pick<LineAsk, "by" | "kind" | "above"> {
  /** As it arrived. */
  readonly block: StartBlock
  /** [R3] As it counts now, if not as it arrived. */
  readonly now?: StartBlock
  readonly arrived: number
  /** What held it last. */
  readonly held?: string
  readonly end?: UnbegunEnd
  /** [R11] The number of a start with a window, and of the newest one that it has. */
  readonly number?: number
  readonly latest?: number
  /** [R9] Of a start that opened a window. */
  readonly window?: Window
  /** [R18] Who else started it, each once. */
  readonly also?: readonly StartedBy[]
  /** [R11] Of one that joined: the run, and its number there. */
  readonly into?: { readonly run: string; readonly number: number }
  /** [R8] The run that is to take its place, until its own object has heard. */
  readonly superseded?: string
  readonly paused?: true
}

export interface LineRow {
  readonly n: number
  readonly run: string
  readonly flow: string
  readonly state: LineState
  readonly rank: PriorityRank
  readonly filed: string | null
  readonly ready: number | null
  readonly began: number | null
  readonly due: number | null
  readonly held_key: string | null
  readonly held_limit: number | null
  readonly paced_key: string | null
  readonly body: Body
}

type Stored = { [Name in keyof LineRow]: Name extends "body" ? string : LineRow[Name] }

const rowOf = (row: Stored): LineRow => ({ ...row, body: JSON.parse(row.body) })

/** It needs room alone: no key, no throttle, no window. */
export const isKeyless = ({ concurrency, throttle, debounce, batch }: StartBlock): boolean =>
  !(concurrency ?? throttle ?? debounce ?? batch)

export const blockOf = ({ body }: LineRow): StartBlock => body.now ?? body.block

/** [R13] When a start that is in line ends, if it has not begun; null: never. */
export function expiryOf(row: Pick<LineRow, "ready" | "body">): number | null {
  const { expires } = row.body.now ?? row.body.block
  return expires === undefined || row.ready === null ? null : row.ready + expires
}

/** [R22] */
const takesOf = ({ kind }: Body): InLine["takes"] =>
  kind === "child" ? "nothing" : kind === "webhook" || kind === "schedule" ? "place and minute" : "place"

export function inLineOf(row: LineRow): InLine {
  const { concurrency, throttle } = blockOf(row)
  return {
    run: row.run,
    n: row.n,
    ready: row.ready ?? 0,
    rank: row.rank,
    filed: row.filed ?? "",
    ...(concurrency ? { concurrency } : {}),
    ...(throttle ? { throttle } : {}),
    takes: takesOf(row.body),
  }
}

/** The row of what the line itself remembers. */
const OWN = ""

export class LineStore {
  readonly #sql: TenantSql
  /** Known to have no row; every report of a run asks. */
  #isEmpty: boolean | undefined

  constructor(sql: TenantSql) {
    this.#sql = sql
  }

  get isThere(): boolean {
    return this.#sql.has("start_line")
  }

  get isEmpty(): boolean {
    return (this.#isEmpty ??= this.#isBare())
  }

  #isBare(): boolean {
    return !this.isThere || this.#sql.read("SELECT 1 FROM start_line LIMIT 1").length === 0
  }

  #rows(where: string, ...values: readonly (string | number)[]): LineRow[] {
    return this.isThere ? this.#sql.read<Stored>(`SELECT * FROM start_line WHERE ${where}`, ...values).map(rowOf) : []
  }

  #write(work: (sql: TenantRows) => void): void {
    this.#sql.write((sql) => {
      this.#sql.make("start_line")
      this.#sql.make("start_thing")
      work(sql)
    })
  }

  /** All that `work` writes is one transaction. */
  together<T>(work: () => T): T {
    return this.isThere ? this.#sql.write(work) : work()
  }

  find(run: string): LineRow | undefined {
    return this.#rows("run = ?", run)[0]
  }

  /** [R9] The open window of this kind. */
  window(kind: string): LineRow | undefined {
    return this.#rows("filed = ? AND state = ? ORDER BY n DESC LIMIT 1", kind, STATE.window)[0]
  }

  /** [R11] Nobody needs to know any more who joined this run; all of them came between these numbers. */
  forgetJoined(run: string, from: number, to: number): void {
    this.#write((sql) =>
      sql.exec(
        "DELETE FROM start_line WHERE n BETWEEN ? AND ? AND state = ? AND json_extract(body, '$.into.run') = ?",
        from,
        to,
        STATE.joined,
        run,
      ),
    )
  }

  /** The highest number so far. */
  last(): number {
    if (!this.isThere) return 0
    return this.#sql.read<{ n: number | null }>("SELECT max(n) AS n FROM start_line")[0]?.n ?? 0
  }

  insert(row: LineRow): void {
    this.#isEmpty = false
    const { n, run, flow, state, rank, filed, ready, began, due, held_key, held_limit, paced_key, body } = row
    this.#write((sql) =>
      sql.exec(
        `INSERT INTO start_line (n, run, flow, state, rank, filed, ready, began, due, held_key, held_limit, paced_key, body)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        n,
        run,
        flow,
        state,
        rank,
        filed,
        ready,
        began,
        due,
        held_key,
        held_limit,
        paced_key,
        JSON.stringify(body),
      ),
    )
  }

  /** Writes what has changed alone: each column that an index has is a row of the index too. */
  update(row: LineRow, changes: Partial<Omit<LineRow, "n" | "run">>): LineRow {
    const now = { ...row, ...changes }
    const changed = Object.entries(changes).filter(([name, value]) => Reflect.get(row, name) !== value)
    if (changed.length === 0) return row
    const values = changed.map(([name, value]) => (name === "body" ? JSON.stringify(value) : value)) as (string | number | null)[]
    this.#write((sql) =>
      sql.exec(`UPDATE start_line SET ${changed.map(([name]) => `${name} = ?`).join(", ")} WHERE n = ?`, ...values, row.n),
    )
    return now
  }

  remove(run: string): void {
    if (!this.isThere) return
    this.#write((sql) => sql.exec("DELETE FROM start_line WHERE run = ?", run))
    // Found out by those who pay for the line.
    this.#isEmpty = this.#isBare()
  }

  first(thing: string, rank: PriorityRank, after: Pick<InLine, "ready" | "n"> | undefined, upTo: number | undefined): LineRow | undefined {
    const [row] = this.#rows(
      "filed = ? AND rank = ? AND (ready, n) > (?, ?) ORDER BY ready, n LIMIT 1",
      thing,
      rank,
      after?.ready ?? -1,
      after?.n ?? -1,
    )
    return row !== undefined && (upTo === undefined || (row.ready ?? 0) <= upTo) ? row : undefined
  }

  holders(key: string): { readonly count: number; readonly least: number } {
    if (!this.isThere) return { count: 0, least: Number.POSITIVE_INFINITY }
    const query = "SELECT count(*) AS count, min(held_limit) AS least FROM start_line WHERE held_key = ? AND state = ?"
    const [row] = this.#sql.read<{ count: number; least: number | null }>(query, key, STATE.begun)
    return { count: row?.count ?? 0, least: row?.least ?? Number.POSITIVE_INFINITY }
  }

  began(key: string, count: number): number | undefined {
    if (!this.isThere) return undefined
    const query = "SELECT began FROM start_line WHERE paced_key = ? AND began IS NOT NULL ORDER BY began DESC LIMIT 1 OFFSET ?"
    return this.#sql.read<{ began: number }>(query, key, count - 1)[0]?.began
  }

  /** Runs that hold the key, the oldest first. */
  holding(key: string, limit = -1): LineRow[] {
    return this.#rows("held_key = ? AND state = ? ORDER BY ready, n LIMIT ?", key, STATE.begun, limit)
  }

  /** Starts of the key that are in line, the first first. */
  waiting(key: string, limit = -1): LineRow[] {
    return this.#rows("held_key = ? AND state = ? ORDER BY ready, n LIMIT ?", key, STATE.inLine, limit)
  }

  /** How many starts hold the key or wait for it, counted up to `most`. */
  ofKey(key: string, most: number): number {
    return this.#count("held_key = ? AND state <= ?", most, key, STATE.begun)
  }

  /** How many wait, of a key or of all, counted up to `most`. */
  waitingCount(key: string | undefined, most: number): number {
    return key === undefined
      ? this.#count("state <= ?", most, STATE.inLine)
      : this.#count("held_key = ? AND state <= ?", most, key, STATE.inLine)
  }

  #count(where: string, most: number, ...values: readonly (string | number)[]): number {
    if (!this.isThere) return 0
    const query = `SELECT count(*) AS count FROM (SELECT 1 FROM start_line WHERE ${where} LIMIT ?)`
    return this.#sql.read<{ count: number }>(query, ...values, most)[0]?.count ?? 0
  }

  /** How many go before the start where it is filed, counted up to `most`. */
  ahead({ filed, rank, ready, n }: LineRow, most: number): number {
    return this.#count("filed = ? AND (rank < ? OR (rank = ? AND (ready, n) < (?, ?)))", most, filed ?? "", rank, rank, ready ?? 0, n)
  }

  /** [H6] Also one that its own run's object has not stored yet. */
  waitsForRoom(): boolean {
    return !this.isEmpty && this.#rows("filed IN (?, ?) LIMIT 1", ROOM, MINUTE).length > 0
  }

  /** Starts by the API key with this id that have not begun. */
  waitingOf(key: string): LineRow[] {
    return this.#rows("state <= ? AND json_extract(body, '$.by.key_id') = ?", STATE.inLine, key)
  }

  /** In the order of arrival. */
  after(n: number, limit: number): LineRow[] {
    return this.#rows("n > ? ORDER BY n LIMIT ?", n, limit)
  }

  due(now: number, limit: number): LineRow[] {
    return this.#rows("due <= ? ORDER BY due LIMIT ?", now, limit)
  }

  /** When a row or a thing is due first. */
  nextDue(): number | undefined {
    if (!this.isThere) return undefined
    const query =
      "SELECT min(due) AS due FROM (SELECT min(due) AS due FROM start_line WHERE due IS NOT NULL UNION ALL SELECT min(due) FROM start_thing WHERE due IS NOT NULL)"
    return this.#sql.read<{ due: number | null }>(query)[0]?.due ?? undefined
  }

  /** When time alone may free what waits under it. */
  dueOf(thing: string): number | undefined {
    if (!this.isThere) return undefined
    return this.#sql.read<{ due: number | null }>("SELECT due FROM start_thing WHERE thing = ?", thing)[0]?.due ?? undefined
  }

  woken(now: number, limit: number): string[] {
    if (!this.isThere) return []
    const query = "SELECT thing FROM start_thing WHERE due <= ? AND thing <> ? ORDER BY due, thing LIMIT ?"
    return this.#sql.read<{ thing: string }>(query, now, OWN, limit).map(({ thing }) => thing)
  }

  /** Things whose names begin with this are looked at. false: nothing is filed under any. */
  wake(prefix: string): boolean {
    if (!this.isThere) return false
    const [from, to] = [prefix, `${prefix}\u{10ffff}`]
    const found = this.#sql.read("SELECT 1 FROM start_thing WHERE thing >= ? AND thing < ? LIMIT 1", from, to)
    if (found.length === 0) return false
    this.#write((sql) => sql.exec("UPDATE start_thing SET due = 0 WHERE thing >= ? AND thing < ? AND (due IS NULL OR due > 0)", from, to))
    return true
  }

  sleep(thing: string, until: number | undefined): void {
    this.#write((sql) =>
      sql.exec(
        "INSERT INTO start_thing (thing, due, places) VALUES (?1, ?2, 0) ON CONFLICT (thing) DO UPDATE SET due = ?2 WHERE due IS NOT ?2",
        thing,
        until ?? null,
      ),
    )
  }

  empty(thing: string): void {
    this.#write((sql) => sql.exec("DELETE FROM start_thing WHERE thing = ?", thing))
  }

  /** What the line remembers: how many waiting starts have begun, and up to when a look that was cut goes on. */
  own(): { readonly places: number; readonly upTo?: number } {
    if (!this.isThere) return { places: 0 }
    const [row] = this.#sql.read<{ places: number; up_to: number | null }>("SELECT places, up_to FROM start_thing WHERE thing = ?", OWN)
    return { places: row?.places ?? 0, ...(row?.up_to === null || row?.up_to === undefined ? {} : { upTo: row.up_to }) }
  }

  keepOwn(places: number, upTo: number | undefined): void {
    this.#write((sql) =>
      sql.exec(
        `INSERT INTO start_thing (thing, due, places, up_to) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (thing) DO UPDATE SET due = ?2, places = ?3, up_to = ?4`,
        OWN,
        upTo === undefined ? null : 0,
        places,
        upTo ?? null,
      ),
    )
  }

  /** Flows with starts in the line. */
  flows(): string[] {
    return this.isThere ? this.#sql.read<{ flow: string }>("SELECT DISTINCT flow FROM start_line").map(({ flow }) => flow) : []
  }

  ofFlow(flow: string): LineRow[] {
    return this.#rows("flow = ?", flow)
  }
}
