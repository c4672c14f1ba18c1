// Keeps the results of steps for equal passes of other runs [R39, R41]. The oldest leave when newer ones need their place; a result leaves
// with its run too. A tenant without such a step has no table, and is asked nothing.

import type { KeptPass } from "../../core/run/cached/kept-pass.ts"
import type { Answers } from "../../ports/objects.ts"
import type { CachedPasses, PassToKeep } from "../../ports/tenant/cached-passes.ts"
import type { StorageUse } from "./storage-use.ts"
import type { TenantSql } from "./tenant-sql.ts"
import { wipeRows } from "./wiped-rows.ts"

const MOST = 10_000 // limit: cached results of a tenant → the oldest leave
const MOST_BYTES = 268_435_456 // limit: bytes of a tenant's cached results → the oldest leave
/** Results that are over go together, so that the object does not wake for each. None is found after its time. */
const SWEEP_MS = 3_600_000 // limit: milliseconds that a result that is over may still be stored → it is deleted
const SWEPT = 1_000 // limit: results that are deleted at once for their age → the next follow

interface Deps {
  readonly sql: TenantSql
  readonly used: Pick<StorageUse, "used" | "takeCache">
  readonly now: () => number
  /** Sets the alarm of the object. */
  readonly want: (at: number) => void
  readonly isGone: (run: string) => boolean
}

export class CachedStore implements Answers<CachedPasses> {
  readonly #deps: Deps
  /** Rows; undefined: not counted since the object woke, or since other rows of the tenant were changed. */
  #count: { readonly version: number; readonly rows: number } | undefined

  constructor(deps: Deps) {
    this.#deps = deps
  }

  find({ digest, run, since }: Parameters<CachedPasses["find"]>[0]): KeptPass | undefined {
    const query = "SELECT body FROM cached_pass WHERE digest = ? AND run <> ? AND asked >= ? AND until > ?"
    const [row] = this.#read<{ body: string }>(query, digest, run, since, this.#deps.now())
    return row && JSON.parse(row.body)
  }

  keep({ digest, flow, step, until, kept }: PassToKeep): void {
    const { sql, now, want, used, isGone } = this.#deps
    const body = JSON.stringify(kept)
    const bytes = new TextEncoder().encode(body).byteLength
    if (until <= now() || isGone(kept.run) || bytes > MOST_BYTES) return
    sql.write((rows) => {
      sql.make("cached_pass")
      const due = this.due() ?? Number.POSITIVE_INFINITY
      this.#leave("digest = ?", digest)
      this.#makeRoom(bytes)
      if (!used.takeCache(bytes)) return
      rows.exec(
        "INSERT INTO cached_pass (digest, flow, step, run, asked, until, bytes, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        digest,
        flow,
        step,
        kept.run,
        kept.asked,
        until,
        bytes,
        body,
      )
      this.#counted(1)
      if (hourAfter(until) < due) want(hourAfter(until))
    })
  }

  forget(flow: string, step?: string): void {
    if (step === undefined) this.#leave("flow = ?", flow)
    else this.#leave("flow = ? AND step = ?", flow, step)
  }

  /** The run is deleted. */
  gone(run: string): void {
    this.#leave("run = ?", run)
  }

  due(): number | undefined {
    const [row] = this.#read<{ until: number | null }>("SELECT min(until) AS until FROM cached_pass")
    return typeof row?.until === "number" ? hourAfter(row.until) : undefined
  }

  sweep(now: number): void {
    this.#leave("n IN (SELECT n FROM cached_pass WHERE until <= ? ORDER BY until LIMIT ?)", now, SWEPT)
  }

  /** The number of a row says its age. */
  #makeRoom(bytes: number): void {
    let over = this.#deps.used.used().cache + bytes - MOST_BYTES
    let rows = this.#rows() + 1 - MOST
    while (over > 0 || rows > 0) {
      const [oldest] = this.#read<{ n: number; bytes: number }>("SELECT n, bytes FROM cached_pass ORDER BY n LIMIT 1")
      if (!oldest) return
      this.#leave("n = ?", oldest.n)
      over -= oldest.bytes
      rows -= 1
    }
  }

  #leave(where: string, ...values: readonly (string | number)[]): void {
    if (this.#rows() === 0) return
    const [gone] = this.#read<{ rows: number; bytes: number | null }>(
      `SELECT count(*) AS rows, sum(bytes) AS bytes FROM cached_pass WHERE ${where}`,
      ...values,
    )
    if (!gone || gone.rows === 0) return
    this.#deps.sql.write((sql) => {
      wipeRows(sql, { table: "cached_pass", column: "body", where }, ...values)
      this.#deps.used.takeCache(-(gone.bytes ?? 0))
      this.#counted(-gone.rows)
    })
  }

  #rows(): number {
    const { version } = this.#deps.sql
    if (this.#count?.version !== version)
      this.#count = { version, rows: this.#read<{ rows: number }>("SELECT count(*) AS rows FROM cached_pass")[0]?.rows ?? 0 }
    return this.#count.rows
  }

  #counted(more: number): void {
    this.#count = { version: this.#deps.sql.version, rows: this.#rows() + more }
  }

  #read<T extends Record<string, SqlStorageValue>>(query: string, ...values: readonly (string | number)[]): T[] {
    return this.#deps.sql.has("cached_pass") ? this.#deps.sql.read<T>(query, ...values) : []
  }
}

const hourAfter = (at: number): number => Math.ceil(at / SWEEP_MS) * SWEEP_MS
