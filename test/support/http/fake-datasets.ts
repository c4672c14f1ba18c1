// Datasets for tests of the routes, in memory.

import type { AddedRow } from "../../../src/core/dataset/row.ts"
import type { DatasetRow, DatasetsPort, StoredRow } from "../../../src/ports/tenant/quality/datasets.ts"

export class FakeDatasets implements DatasetsPort {
  readonly #sets = new Map<string, { flow: string; description?: string; rows: Map<string, StoredRow> }>()

  #shown(name: string): DatasetRow | undefined {
    const set = this.#sets.get(name)
    if (!set) return undefined
    const { flow, description, rows } = set
    return { name, flow, ...(description === undefined ? {} : { description }), rows: rows.size, hash: [...rows.keys()].sort().join() }
  }

  async put(name: string, flow: string, description?: string): ReturnType<DatasetsPort["put"]> {
    const before = this.#sets.get(name)
    if (before && before.flow !== flow) return { ok: false, code: "other_flow", flow: before.flow }
    this.#sets.set(name, { flow, rows: before?.rows ?? new Map(), ...(description === undefined ? {} : { description }) })
    const dataset = this.#shown(name)
    if (!dataset) throw new Error("no dataset")
    return { ok: true, dataset }
  }
  async find(name: string): ReturnType<DatasetsPort["find"]> {
    return this.#shown(name)
  }
  async list(): ReturnType<DatasetsPort["list"]> {
    return [...this.#sets.keys()].flatMap((name) => this.#shown(name) ?? [])
  }
  async remove(name: string): Promise<boolean> {
    return this.#sets.delete(name)
  }
  async add(name: string, rows: readonly AddedRow[]): ReturnType<DatasetsPort["add"]> {
    const set = this.#sets.get(name)
    if (!set) return { ok: false, code: "not_found" }
    const before = set.rows.size
    for (const { id, row, run } of rows) set.rows.set(id, { id, row, runs: run === undefined ? [] : [run], created: 1_000 })
    return { ok: true, added: set.rows.size - before, known: rows.length - set.rows.size + before, gone: [] }
  }
  async rows(name: string, { after = "", limit }: { after?: string; limit: number }): ReturnType<DatasetsPort["rows"]> {
    const set = this.#sets.get(name)
    if (!set) return undefined
    const rows = [...set.rows.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
    return rows.filter(({ id }) => id > after).slice(0, limit)
  }
  async row(name: string, id: string): ReturnType<DatasetsPort["row"]> {
    return this.#sets.get(name)?.rows.get(id)
  }
  async removeRow(name: string, id: string): Promise<boolean> {
    return this.#sets.get(name)?.rows.delete(id) ?? false
  }
}
