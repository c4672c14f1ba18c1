// Stores the tenant's sticky sessions [J25]: the owner of each, and the blobs of its conversation. Every method is one turn of the event
// loop, so if two callers claim a session, only one gets it.
//
// A claim ends when it is given back. If the run of a claim has ended, or never started, the claim lapses after a grace period: the run's
// object may have been lost before it could give the claim back, and a session must not stay busy indefinitely.

import type { Claim, Claimed, SessionRow, StickySessions } from "../../../ports/tenant/sessions.ts"
import type { TenantSql } from "../tenant-sql.ts"

const TTL_MS = 30 * 86_400_000 // limit: milliseconds since a session's last use → it is forgotten
/** A run that has ended saves its session within moments; its watchdog checks every 10 s. */
const SAVING_MS = 60_000
/** A session is claimed before its run exists, and the run reports when it starts. */
const STARTING_MS = 120_000
/** Claims that were given back with their part, as long as this object remembers: each may have been sent twice, and no message takes an hour. */
const MOST_DONE = 1_000
const SEEN_MS = 3_600_000
/** About 100,000 tokens. A longer conversation loses its oldest runs. */
const MAX_BYTES = 400_000 // limit: bytes of a sticky session → it loses its oldest runs

type Record = {
  agent: string
  id: string
  created: number
  used: number
  expires: number
  tainted: number
  private: number
  claim: string | null
  since: number | null
}
type ChunkRecord = { hash: string; bytes: number }

type Store = { readonly [M in keyof StickySessions]: (...args: Parameters<StickySessions[M]>) => Awaited<ReturnType<StickySessions[M]>> }

export class SessionStore implements Store {
  readonly #sql: TenantSql
  readonly #now: () => number
  readonly #left: (hashes: readonly string[]) => void
  /** Claims of steps that have ended, oldest first, and when (ms). */
  readonly #done = new Map<string, number>()

  /** `left` hears of the bodies that no row of a session names any more. */
  constructor(sql: TenantSql, now: () => number, left: (hashes: readonly string[]) => void = () => undefined) {
    this.#sql = sql
    this.#now = now
    this.#left = left
  }

  claim({ agent, id, by, mustExist = false, tainted = false }: Claim): Claimed {
    const now = this.#now()
    this.#sweep(now)
    const row = this.#row(agent, id)
    if (!row && mustExist) return { ok: false, code: "unknown" }
    // The step or its run has ended, or the run was deleted, while the claim was on its way: nobody would give it back.
    if (now - (this.#done.get(by) ?? 0) < SEEN_MS || this.#isOver(by)) return { ok: false, code: "busy", by }
    if (row && row.claim !== null && row.claim !== by && !this.#hasLapsed(row.claim, row.since ?? 0, now))
      return { ok: false, code: "busy", by: row.claim, ...(this.#isOver(row.claim) ? { saves: true as const } : {}) }
    this.#sql.write((sql) => {
      sql.exec(
        `INSERT INTO session (agent, id, created, used, expires, tainted, private, claim, since) VALUES (?1, ?2, ?3, ?3, ?4, ?6, 0, ?5, ?3)
         ON CONFLICT (agent, id) DO UPDATE SET used = ?3, expires = ?4, claim = ?5, since = ?3`,
        agent,
        id,
        now,
        now + TTL_MS,
        by,
        tainted ? 1 : 0,
      )
    })
    return this.#held(row, agent, id)
  }

  look(agent: string, id: string): Claimed {
    this.#sweep(this.#now())
    return this.#held(this.#row(agent, id), agent, id)
  }

  #held(row: Record | undefined, agent: string, id: string): Claimed {
    const chunks = this.#chunks(agent, id)
    return {
      ok: true,
      isNew: row === undefined,
      chunks: chunks.map((c) => c.hash),
      bytes: chunks.reduce((sum, c) => sum + c.bytes, 0),
      tainted: row?.tainted === 1,
      private: row?.private === 1,
    }
  }

  giveBack(
    { agent, id, by }: Claim,
    said?: { readonly chunk: string; readonly bytes: number; readonly tainted: boolean; readonly private: boolean },
  ): void {
    if (this.#row(agent, id)?.claim !== by) {
      // It comes too late, or from a run of the tenant that had the name before: nothing names its part.
      if (said) this.#left([said.chunk])
      return
    }
    const now = this.#now()
    this.#sql.write((sql) => {
      sql.exec(
        `UPDATE session SET used = ?3, expires = ?4, claim = NULL, since = NULL, tainted = max(tainted, ?5), private = max(private, ?6)
         WHERE agent = ?1 AND id = ?2`,
        agent,
        id,
        now,
        now + TTL_MS,
        said?.tainted ? 1 : 0,
        said?.private ? 1 : 0,
      )
      if (said)
        sql.exec(
          `INSERT INTO session_chunk (agent, id, seq, hash, bytes, at)
           SELECT ?1, ?2, coalesce(max(seq), 0) + 1, ?3, ?4, ?5 FROM session_chunk WHERE agent = ?1 AND id = ?2`,
          agent,
          id,
          said.chunk,
          said.bytes,
          now,
        )
    })
    if (!said) return
    const [oldest] = this.#done.keys()
    if (oldest !== undefined && this.#done.size >= MOST_DONE) this.#done.delete(oldest)
    this.#done.set(by, now)
  }

  parts(agent: string, id: string, after: number, limit: number) {
    const [session] = this.#rows("WHERE s.agent = ? AND s.id = ?", agent, id)
    if (!session) return undefined
    const parts = this.#sql.read<{ seq: number; hash: string; at: number }>(
      "SELECT seq, hash, at FROM session_chunk WHERE agent = ? AND id = ? AND seq > ? ORDER BY seq LIMIT ?",
      agent,
      id,
      after,
      limit,
    )
    return { session, parts }
  }

  list(): SessionRow[] {
    return this.#rows("")
  }

  #rows(which: string, ...values: readonly string[]): SessionRow[] {
    const now = this.#now()
    this.#sweep(now)
    const rows = this.#sql.read<Record & { runs: number; bytes: number }>(
      `SELECT s.*, (SELECT count(*) FROM session_chunk c WHERE c.agent = s.agent AND c.id = s.id) AS runs,
              (SELECT coalesce(sum(bytes), 0) FROM session_chunk c WHERE c.agent = s.agent AND c.id = s.id) AS bytes
         FROM session s ${which} ORDER BY s.used DESC, s.agent, s.id`,
      ...values,
    )
    const time = (ms: number): string => new Date(ms).toISOString()
    return rows.map(({ agent, id, created, used, expires, tainted, claim, since, runs, bytes }) => ({
      agent,
      id,
      created: time(created),
      used: time(used),
      expires: time(expires),
      runs,
      bytes,
      tainted: tainted === 1,
      busy: claim !== null && !this.#hasLapsed(claim, since ?? 0, now),
    }))
  }

  remove(agent: string, id: string): boolean {
    if (!this.#row(agent, id)) return false
    this.#sql.write((sql) => {
      const chunks = sql.exec<{ hash: string }>("SELECT hash FROM session_chunk WHERE agent = ? AND id = ?", agent, id).toArray()
      this.#left(chunks.map(({ hash }) => hash))
      sql.exec("DELETE FROM session_chunk WHERE agent = ? AND id = ?", agent, id)
      sql.exec("DELETE FROM session WHERE agent = ? AND id = ?", agent, id)
    })
    return true
  }

  #row(agent: string, id: string): Record | undefined {
    return this.#sql.read<Record>("SELECT * FROM session WHERE agent = ? AND id = ?", agent, id)[0]
  }

  /** The newest chunks that fit, oldest first. */
  #chunks(agent: string, id: string): ChunkRecord[] {
    const newest = this.#sql.read<ChunkRecord>(
      "SELECT hash, bytes FROM session_chunk WHERE agent = ? AND id = ? ORDER BY seq DESC LIMIT 1000",
      agent,
      id,
    )
    let left = MAX_BYTES
    const fits = newest.findIndex((c) => (left -= c.bytes) < 0)
    return (fits < 0 ? newest : newest.slice(0, fits)).reverse()
  }

  #isOver(claim: string): boolean {
    const query = "SELECT 1 FROM run WHERE id = ?1 AND ended IS NOT NULL UNION ALL SELECT 1 FROM deleted_run WHERE run = ?1"
    return this.#sql.read(query, claim.split("/")[0] ?? "").length > 0
  }

  /** Has the claim lapsed? */
  #hasLapsed(claim: string, since: number, now: number): boolean {
    const [run = ""] = claim.split("/")
    const [row] = this.#sql.read<{ ended: number | null }>("SELECT ended FROM run WHERE id = ?", run)
    if (!row) return Math.abs(now - since) > STARTING_MS && !this.#isPromised(run)
    return row.ended !== null && Math.abs(now - Math.max(row.ended, since)) > SAVING_MS
  }

  /** Is the run in none but these rows: it has taken a place, waits for room, or is owed by a delivery or a fire? */
  #isPromised(run: string): boolean {
    const line = this.#sql.has("start_line") ? "UNION ALL SELECT 1 FROM start_line WHERE run = ?1" : ""
    const query = `SELECT 1 FROM promise WHERE id = ?1 UNION ALL SELECT 1 FROM start_queue WHERE run = ?1 ${line}
      UNION ALL SELECT 1 FROM delivery WHERE due IS NOT NULL AND run = ?1 UNION ALL SELECT 1 FROM schedule_run WHERE run = ?1 AND due IS NOT NULL`
    return this.#sql.read(query, run).length > 0
  }

  #sweep(now: number): void {
    const gone = this.#sql
      .read<Record>("SELECT * FROM session WHERE expires < ? LIMIT 100", now)
      .filter((row) => row.claim === null || this.#hasLapsed(row.claim, row.since ?? 0, now))
    for (const { agent, id } of gone) this.remove(agent, id)
  }
}
