// Stores datasets and their rows [V28, V29]. A row remembers the runs it was made from, and goes with the last of them unless it was also added
// by hand.

import type { DatasetRows } from "../../../core/dataset/dataset-file.ts"
import { MAX_ROWS, rowId, type AddedRow, type RowCase } from "../../../core/dataset/row.ts"
import { defined } from "../../../core/defined.ts"
import { canonical, type Json } from "../../../core/json.ts"
import type { Answers } from "../../../ports/objects.ts"
import {
  MAX_DATASETS,
  type DatasetAdded,
  type DatasetPut,
  type DatasetRow,
  type DatasetsPort,
  type StoredRow,
} from "../../../ports/tenant/quality/datasets.ts"
import { sha256 } from "../../platform/sha256.ts"
import type { StorageUse } from "../storage-use.ts"
import type { TenantSql } from "../tenant-sql.ts"

const MAX_RUNS = 20 // limit: runs that a dataset's row remembers → the oldest are forgotten

interface Deps {
  readonly sql: TenantSql
  readonly used: Pick<StorageUse, "takeDatasets">
  readonly now: () => number
  readonly isGone: (run: string) => boolean
}

type DatasetRecord = { name: string; flow: string; description: string | null; hash: string; count: number }
type RowRecord = { id: string; body: string; untrusted: number; created: number }
const SHOWN = "name, flow, description, hash, count"

export class DatasetStore implements Answers<DatasetsPort> {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  put(name: string, flow: string, description?: string): DatasetPut {
    const { sql, now } = this.#deps
    const before = this.find(name)
    if (before && before.flow !== flow) return { ok: false, code: "other_flow", flow: before.flow }
    if (!before && this.list().length >= MAX_DATASETS) return { ok: false, code: "too_many" }
    sql.write((rows) => {
      sql.make("dataset")
      sql.make("dataset_row")
      rows.exec(
        "INSERT INTO dataset (name, flow, description, hash, count, created) VALUES (?, ?, ?, ?, 0, ?) ON CONFLICT (name) DO UPDATE SET description = excluded.description",
        name,
        flow,
        description ?? null,
        hashOf([]),
        now(),
      )
    })
    const dataset = this.find(name)
    if (!dataset) throw new Error("the dataset was not stored")
    return { ok: true, dataset }
  }

  /** [V31] All of it is what a file of the catalog says: rows that it does not have go, and those that it keeps stay as old as they are. */
  place(name: string, { flow, description, rows }: DatasetRows): void {
    const { sql } = this.#deps
    const given = rows.map((row): AddedRow => ({ id: rowId(sha256(canonical(row as unknown as Json))), row }))
    const ids = new Set(given.map(({ id }) => id))
    sql.write((store) => {
      if (this.find(name)?.flow !== flow) this.remove(name)
      this.put(name, flow, description)
      for (const { id } of this.#read<{ id: string }>("SELECT id FROM dataset_row WHERE dataset = ?", name))
        if (!ids.has(id)) this.#drop(store, name, id)
      const added = this.add(name, given)
      this.#count(store, name)
      if (added.ok) return
      const error = new Error(added.code === "storage_full" ? added.why : `the dataset ${name} has too many rows`)
      error.name = "QuotaError"
      throw error
    })
  }

  find(name: string): DatasetRow | undefined {
    const [row] = this.#read<DatasetRecord>(`SELECT ${SHOWN} FROM dataset WHERE name = ?`, name)
    return row && this.#shown(row)
  }

  list(): readonly DatasetRow[] {
    return this.#read<DatasetRecord>(`SELECT ${SHOWN} FROM dataset ORDER BY name`).map((row) => this.#shown(row))
  }

  #shown(row: DatasetRecord): DatasetRow {
    return { ...shown(row), ...defined({ file: this.#deps.sql.pathOf("dataset", row.name) }) }
  }

  remove(name: string): boolean {
    if (!this.find(name)) return false
    const { sql, used } = this.#deps
    sql.write((rows) => {
      used.takeDatasets(-this.#bytes("dataset = ?", name))
      rows.exec("DELETE FROM dataset WHERE name = ?", name)
      rows.exec("DELETE FROM dataset_row WHERE dataset = ?", name)
      if (sql.has("dataset_run")) rows.exec("DELETE FROM dataset_run WHERE dataset = ?", name)
    })
    return true
  }

  add(name: string, given: readonly AddedRow[]): DatasetAdded {
    const { sql, used, isGone } = this.#deps
    const dataset = this.find(name)
    if (!dataset) return { ok: false, code: "not_found" }
    const gone = given.flatMap(({ run }) => (run !== undefined && isGone(run) ? [run] : []))
    const rows = given.filter(({ run }) => run === undefined || !gone.includes(run))
    const known = new Set(
      this.#read<{ id: string }>(
        "SELECT id FROM dataset_row WHERE dataset = ? AND id IN (SELECT value FROM json_each(?))",
        name,
        JSON.stringify(rows.map(({ id }) => id)),
      ).map(({ id }) => id),
    )
    const fresh = new Map(rows.filter(({ id }) => !known.has(id)).map(({ id, row }) => [id, JSON.stringify(row)]))
    const count = dataset.rows + fresh.size
    if (count > MAX_ROWS) return { ok: false, code: "too_many", rows: count }
    const bytes = [...fresh.values()].reduce((sum, body) => sum + encoder.encode(body).byteLength, 0)
    let why: string | undefined
    sql.write((store) => {
      why = used.takeDatasets(bytes)
      if (why !== undefined) return
      for (const row of rows) this.#put(store, name, row, fresh.get(row.id))
      this.#count(store, name)
    })
    if (why !== undefined) return { ok: false, code: "storage_full", why }
    return { ok: true, added: fresh.size, known: rows.length - fresh.size, gone }
  }

  rows(name: string, { after = "", limit }: Parameters<DatasetsPort["rows"]>[1]): readonly StoredRow[] | undefined {
    if (!this.find(name)) return undefined
    return this.#read<RowRecord>(
      "SELECT id, body, untrusted, created FROM dataset_row WHERE dataset = ? AND id > ? ORDER BY id LIMIT ?",
      name,
      after,
      limit,
    ).map((row) => this.#stored(name, row))
  }

  /** The first of all, in order. */
  ids(name: string, limit: number): readonly string[] {
    return this.#read<{ id: string }>("SELECT id FROM dataset_row WHERE dataset = ? ORDER BY id LIMIT ?", name, limit).map(({ id }) => id)
  }

  row(name: string, id: string): StoredRow | undefined {
    const [row] = this.#read<RowRecord>("SELECT id, body, untrusted, created FROM dataset_row WHERE dataset = ? AND id = ?", name, id)
    return row && this.#stored(name, row)
  }

  removeRow(name: string, id: string): boolean {
    if (!this.row(name, id)) return false
    this.#deps.sql.write((store) => {
      this.#drop(store, name, id)
      this.#count(store, name)
    })
    return true
  }

  /** The run was deleted [V31]: what was made of it alone goes too. */
  gone(run: string): void {
    const { sql } = this.#deps
    if (!sql.has("dataset_run")) return
    const of = this.#read<{ dataset: string; row: string }>("SELECT dataset, row FROM dataset_run WHERE run = ?", run)
    if (of.length === 0) return
    sql.write((store) => {
      store.exec("DELETE FROM dataset_run WHERE run = ?", run)
      for (const { dataset, row } of of) {
        const [left] = this.#read<{ n: number }>(
          "SELECT by_hand + (SELECT count(*) FROM dataset_run WHERE dataset = ?1 AND row = ?2) AS n FROM dataset_row WHERE dataset = ?1 AND id = ?2",
          dataset,
          row,
        )
        if (left?.n === 0) this.#drop(store, dataset, row)
        this.#count(store, dataset)
      }
    })
  }

  #put(store: Store, name: string, { id, run, untrusted }: AddedRow, body: string | undefined): void {
    const { sql, now } = this.#deps
    const byHand = run === undefined ? 1 : 0
    const marked = untrusted === true ? 1 : 0
    if (body !== undefined)
      store.exec(
        "INSERT OR IGNORE INTO dataset_row (dataset, id, body, by_hand, untrusted, created) VALUES (?, ?, ?, ?, ?, ?)",
        name,
        id,
        body,
        byHand,
        marked,
        now(),
      )
    store.exec(
      "UPDATE dataset_row SET by_hand = max(by_hand, ?), untrusted = max(untrusted, ?) WHERE dataset = ? AND id = ?",
      byHand,
      marked,
      name,
      id,
    )
    if (run === undefined) return
    sql.make("dataset_run")
    store.exec("INSERT OR IGNORE INTO dataset_run (dataset, row, run, at) VALUES (?, ?, ?, ?)", name, id, run, now())
    // Ids of runs begin with their time.
    store.exec(
      "DELETE FROM dataset_run WHERE dataset = ?1 AND row = ?2 AND run NOT IN (SELECT run FROM dataset_run WHERE dataset = ?1 AND row = ?2 ORDER BY at DESC, run DESC LIMIT ?3)",
      name,
      id,
      MAX_RUNS,
    )
  }

  #drop(store: Store, name: string, id: string): void {
    this.#deps.used.takeDatasets(-this.#bytes("dataset = ? AND id = ?", name, id))
    store.exec("DELETE FROM dataset_row WHERE dataset = ? AND id = ?", name, id)
    if (this.#deps.sql.has("dataset_run")) store.exec("DELETE FROM dataset_run WHERE dataset = ? AND row = ?", name, id)
  }

  #count(store: Store, name: string): void {
    const ids = this.#read<{ id: string }>("SELECT id FROM dataset_row WHERE dataset = ? ORDER BY id", name).map(({ id }) => id)
    store.exec("UPDATE dataset SET count = ?, hash = ? WHERE name = ?", ids.length, hashOf(ids), name)
  }

  #stored(name: string, { id, body, untrusted, created }: RowRecord): StoredRow {
    const runs = this.#deps.sql.has("dataset_run")
      ? this.#read<{ run: string }>("SELECT run FROM dataset_run WHERE dataset = ? AND row = ? ORDER BY at DESC, run DESC", name, id)
      : []
    return {
      id,
      row: JSON.parse(body) as RowCase,
      runs: runs.map(({ run }) => run),
      ...(untrusted === 1 ? { untrusted: true as const } : {}),
      created,
    }
  }

  #bytes(where: string, ...values: string[]): number {
    return (
      this.#read<{ n: number | null }>(`SELECT sum(length(CAST(body AS BLOB))) AS n FROM dataset_row WHERE ${where}`, ...values)[0]?.n ?? 0
    )
  }

  /** A tenant without datasets has no table. */
  #read<T extends Record<string, SqlStorageValue>>(query: string, ...values: (string | number)[]): T[] {
    return this.#deps.sql.has("dataset") ? this.#deps.sql.read<T>(query, ...values) : []
  }
}

type Store = Parameters<Parameters<TenantSql["write"]>[0]>[0]

const encoder = new TextEncoder()
const hashOf = (ids: readonly string[]): string => sha256(ids.join("\n"))

const shown = ({ description, count, ...row }: DatasetRecord): DatasetRow => ({
  ...row,
  rows: count,
  ...defined({ description: description ?? undefined }),
})
