// Defines a tenant's datasets [V28]: named sets of rows for one flow.

import type { AddedRow, RowCase } from "../../../core/dataset/row.ts"

export interface DatasetRow {
  readonly name: string
  readonly flow: string
  readonly description?: string
  readonly rows: number
  /** Follows from the rows alone. */
  readonly hash: string
  /** The file of the catalog that owns it. */
  readonly file?: string
}

export interface StoredRow {
  readonly id: string
  readonly row: RowCase
  /** Those it was made from, the newest first. */
  readonly runs: readonly string[]
  readonly untrusted?: true
  /** Milliseconds. */
  readonly created: number
}

export type DatasetAdded =
  | { readonly ok: true; readonly added: number; readonly known: number; readonly gone: readonly string[] }
  | { readonly ok: false; readonly code: "not_found" }
  | { readonly ok: false; readonly code: "too_many"; readonly rows: number }
  | { readonly ok: false; readonly code: "storage_full"; readonly why: string }

export type DatasetPut =
  | { readonly ok: true; readonly dataset: DatasetRow }
  /** Its flow stays. */
  | { readonly ok: false; readonly code: "other_flow"; readonly flow: string }
  | { readonly ok: false; readonly code: "too_many" }

export const MAX_DATASETS = 100 // limit: datasets of a tenant → 422

export interface DatasetsPort {
  put(name: string, flow: string, description?: string): Promise<DatasetPut>
  find(name: string): Promise<DatasetRow | undefined>
  list(): Promise<readonly DatasetRow[]>
  remove(name: string): Promise<boolean>
  /** Equal rows are one. `gone`: runs that were deleted meanwhile, whose rows are not added. */
  add(name: string, rows: readonly AddedRow[]): Promise<DatasetAdded>
  /** In the order of their ids. undefined: there is no such dataset. */
  rows(name: string, page: { readonly after?: string; readonly limit: number }): Promise<readonly StoredRow[] | undefined>
  row(name: string, id: string): Promise<StoredRow | undefined>
  removeRow(name: string, id: string): Promise<boolean>
}
