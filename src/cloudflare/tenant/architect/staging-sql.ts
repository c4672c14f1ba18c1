// Stores the architect's sessions in the same database as the catalog, so that accepting a draft is one commit for both.

import { placeOfPath } from "../../../engine/catalog/catalog-place.ts"
import type { Position, StagedRow, StagingStore } from "../../../engine/catalog/staging/staging-entry.ts"
import type { ArchitectSessionRow, SessionRow } from "../../../ports/tenant/authoring/architect.ts"
import { isWhole, type RepairEvidence, type Repair } from "../../../ports/tenant/authoring/repairs.ts"
import type { TenantSql } from "../tenant-sql.ts"

type SessionRecord = {
  id: string
  task: string
  flow: string | null
  iteration: number
  run: string
  state: string
  revision: number | null
  created: number
  at: number
}
type FileRecord = { path: string; base: string | null; hash: string | null; size: number; body: string | null; at: number }

export class StagingSql implements StagingStore {
  readonly #sql: TenantSql

  constructor(sql: TenantSql) {
    this.#sql = sql
  }

  session(id: string): ArchitectSessionRow | undefined {
    const [row] = this.#sql.read<SessionRecord>("SELECT * FROM architect WHERE id = ?", id)
    return row && sessionOf(row)
  }

  files(session: string): readonly StagedRow[] {
    const rows = this.#sql.read<FileRecord>("SELECT path, base, hash, size, body, at FROM staged WHERE session = ? ORDER BY path", session)
    return rows.flatMap(({ body, ...row }) => {
      const place = placeOfPath(row.path)
      return place.ok ? [{ ...row, kind: place.value.kind, id: place.value.id, text: body }] : []
    })
  }

  /** Path → text of what an open session has written. */
  texts(id: string): Readonly<Record<string, string>> | undefined {
    if (this.session(id)?.state !== "open") return undefined
    return Object.fromEntries(this.files(id).flatMap(({ path, hash, text }) => (hash === null || text === null ? [] : [[path, text]])))
  }

  sessions(below: Position | undefined, limit: number): readonly SessionRow[] {
    const rows = this.#sql.read<SessionRecord & { files: number; run_status: string | null; repair: string | null }>(
      `SELECT a.*, r.status AS run_status, (SELECT body FROM repair p WHERE p.session = a.id) AS repair, (SELECT count(*) FROM staged s WHERE s.session = a.id AND s.hash IS NOT NULL) AS files
         FROM architect a LEFT JOIN run r ON r.id = a.run
        WHERE a.created < ?1 OR (a.created = ?1 AND a.id < ?2)
        ORDER BY a.created DESC, a.id DESC LIMIT ?3`,
      below?.created ?? Number.MAX_SAFE_INTEGER,
      below?.id ?? "",
      limit,
    )
    return rows.map((row) => ({
      ...sessionOf(row),
      files: row.files,
      ...(row.run_status === null ? {} : { runStatus: row.run_status }),
      ...(row.repair === null ? {} : proving(row.run, (JSON.parse(row.repair) as Repair).proof)),
    }))
  }

  open(): number {
    return this.#sql.read<{ n: number }>("SELECT count(*) AS n FROM architect WHERE state = 'open'")[0]?.n ?? 0
  }

  save(session: ArchitectSessionRow, files: readonly StagedRow[] = []): void {
    const { id, task, flow, iteration, run, state, revision, created, at } = session
    this.#sql.write((sql) => {
      sql.exec(
        "INSERT OR REPLACE INTO architect (id, task, flow, iteration, run, state, revision, created, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        id,
        task,
        flow ?? null,
        iteration,
        run,
        state,
        revision ?? null,
        created,
        at,
      )
      for (const file of files)
        sql.exec(
          "INSERT OR REPLACE INTO staged (session, path, base, hash, size, body, at) VALUES (?, ?, ?, ?, ?, ?, ?)",
          id,
          file.path,
          file.base,
          file.hash,
          file.size,
          file.text,
          file.at,
        )
    })
  }

  repair(session: string): Repair | undefined {
    const [row] = this.#sql.read<{ body: string }>("SELECT body FROM repair WHERE session = ?", session)
    return row && (JSON.parse(row.body) as Repair)
  }

  saveRepair(session: string, repair: Repair): void {
    this.#sql.write((sql) => void sql.exec("INSERT OR REPLACE INTO repair (session, body) VALUES (?, ?)", session, JSON.stringify(repair)))
  }

  clear(session: string): void {
    this.#sql.write((sql) => void sql.exec("DELETE FROM staged WHERE session = ?", session))
  }

  expire(at: number): void {
    if (this.#sql.read("SELECT 1 FROM architect WHERE at < ? LIMIT 1", at).length === 0) return
    this.#sql.write((sql) => {
      sql.exec("DELETE FROM staged WHERE session IN (SELECT id FROM architect WHERE at < ?)", at)
      sql.exec("DELETE FROM repair WHERE session IN (SELECT id FROM architect WHERE at < ?)", at)
      sql.exec("DELETE FROM architect WHERE at < ?", at)
    })
  }
}

/** Of a proof whose parts have not all begun. */
const proving = (run: string, proof: RepairEvidence | undefined): Pick<SessionRow, "isProving"> =>
  proof?.run === run && isWhole(proof) ? {} : { isProving: true }

const STATES: readonly ArchitectSessionRow["state"][] = ["open", "accepted", "discarded"]

function sessionOf({ id, task, flow, iteration, run, state, revision, created, at }: SessionRecord): ArchitectSessionRow {
  const known = STATES.find((s) => s === state)
  if (known === undefined) throw new Error(`an architect session has the unknown state "${state}"`)
  return {
    id,
    task,
    ...(flow === null ? {} : { flow }),
    iteration,
    run,
    state: known,
    ...(revision === null ? {} : { revision }),
    created,
    at,
  }
}
