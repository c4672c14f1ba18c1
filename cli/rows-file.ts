// Reads a file of rows from the disk [V28, V31].

import { readFile } from "node:fs/promises"
import type { EvalsWish } from "../src/core/dataset/import/evals.ts"
import type { ForeignRows } from "../src/core/dataset/import/foreign-rows.ts"
import { readRows } from "../src/core/dataset/import/read-rows.ts"
import type { RowWish } from "../src/core/dataset/row-body.ts"
import type { Context } from "./context.ts"
import { usage } from "./program.ts"

export interface RowsRead {
  readonly rows: RowWish[]
  readonly left_out: ForeignRows["left_out"]
}

export async function rowsIn(context: Context, file: string, wish: EvalsWish): Promise<RowsRead> {
  const text = await readFile(context.file(file), "utf8").catch(() => {
    throw usage(`${file} cannot be read`)
  })
  const read = readRows(file, text, wish)
  if (!read.ok) throw usage(`${file} ${read.error}`)
  return { rows: read.value.rows as unknown as RowWish[], left_out: read.value.left_out }
}
