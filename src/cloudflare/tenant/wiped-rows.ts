// Overwrites private text in rows of a tenant's object before deletion. SQLite leaves the bytes of a deleted row in its pages until the space is
// reused, and an object can neither wipe its pages nor rewrite its database. So the text is overwritten before its row goes: a value that keeps its
// length is written in its own place. A row that changes its length moves, and leaves its old text behind; so rows of runs have lengths in steps.
// Text that SQLite itself moves when a page is full, and keys such as tags, cannot be overwritten: see docs/STORAGE.md.

import type { TenantRows } from "./tenant-sql.ts"

/** A row of `run` moves, at the most, each time its text outgrows a step. */
const STEP = 256

/** Members of a run's view that hold what a person, an agent or an error has said. None of them is in an index. */
const SAID = ["task", "tags", "error", "now", "waiting"] as const

/** Blanks of the same length. The quotes of a JSON text are the first and the last character. */
const blanksFor = (path: string): string => `printf('%*s', octet_length(view -> '${path}') - 2, '')`
const UNSAID = `json_replace(view, ${SAID.map((name) => `'$.${name}', ${blanksFor(`$.${name}`)}`).join(", ")})`

/** Wipes a run's row before it is deleted, or becomes longer. */
export function wipeView(sql: TenantRows, run: string): void {
  sql.exec(`UPDATE run SET view = ${UNSAID} || printf('%*s', octet_length(view) - octet_length(${UNSAID}), '') WHERE id = ?`, run)
}

interface Wiped {
  readonly table: string
  readonly column: string
  readonly where: string
}

/** Deletes rows with the text in this column. */
export function wipeRows(sql: TenantRows, { table, column, where }: Wiped, ...values: readonly SqlStorageValue[]): void {
  sql.exec(`UPDATE ${table} SET ${column} = printf('%*s', octet_length(${column}), '') WHERE ${where}`, ...values)
  sql.exec(`DELETE FROM ${table} WHERE ${where}`, ...values)
}

export interface RunFields {
  readonly flow: string
  readonly status: string
  readonly ended: number | null
  readonly seq: number
}

/** The row's view, padded so that the row's length is a multiple of a step. `bytes`: the size of the whole row. */
export function stepped(view: string, fields: RunFields): { readonly view: string; readonly bytes: number } {
  const bytes = sizeOfRow({ ...fields, view })
  const more = (STEP - (bytes % STEP)) % STEP
  return { view: view + " ".repeat(more), bytes: bytes + more }
}

export const sizeOfRow = ({ view, flow, status, ended, seq }: RunFields & { readonly view: string }): number =>
  lengthOf(view) + lengthOf(flow) + lengthOf(status) + sizeOf(ended) + sizeOf(seq)

const encoder = new TextEncoder()
const lengthOf = (text: string): number => encoder.encode(text).byteLength

/** Bytes of a whole number in a row of SQLite. */
function sizeOf(n: number | null): number {
  if (n === null || n === 0 || n === 1) return 0
  if (n < 128) return 1
  if (n < 32_768) return 2
  if (n < 8_388_608) return 3
  if (n < 2_147_483_648) return 4
  return n < 140_737_488_355_328 ? 6 : 8
}
