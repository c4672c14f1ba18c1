// Reads `datasets/NAME.yaml` [V31]: a flow and its rows. The file owns the dataset: its rows change through it alone.

import { z } from "zod"
import { isObject, canonical, type Json } from "../json.ts"
import { err, ok, type Result } from "../result.ts"
import { bodyFaults, type BodyFault } from "../schema/body-faults.ts"
import { later } from "../schema/later.ts"
import { RowBody } from "./row-body.ts"
import { rowFaults } from "./row-faults.ts"
import { MAX_ROW, type RowCase } from "./row.ts"

export const MAX_ABOUT = 2_000 // limit: characters of a dataset's description → 422 at `/description`
export const MAX_FILE_ROWS = 100 // limit: rows of a dataset's file → `PV-VALUE`

export const DatasetFile = later(() =>
  z.strictObject({
    flow: z.string().min(1).max(300),
    description: z.string().max(MAX_ABOUT).exactOptional(),
    rows: z.array(RowBody).max(MAX_FILE_ROWS),
  }),
)

export interface DatasetRows {
  readonly flow: string
  readonly description?: string
  readonly rows: readonly RowCase[]
}

type RowFault = BodyFault & { readonly code?: "EV-ROW" }

/** What is wrong with a row has a code of its own. */
export function readDatasetFile(json: Json): Result<DatasetRows, readonly RowFault[]> {
  const read = DatasetFile.safeParse(json)
  if (!read.success) {
    const faults = bodyFaults(DatasetFile, json, read.error.issues, MAX_FILE_ROWS)
    return err(faults.map((fault) => (fault.pointer.startsWith("/rows/") ? { ...fault, code: "EV-ROW" as const } : fault)))
  }
  const file = read.data as DatasetRows
  const rows = isObject(json) && Array.isArray(json["rows"]) ? json["rows"] : []
  const faults = file.rows.flatMap((row, i): readonly RowFault[] => {
    const at = `/rows/${i}`
    const isLarge = canonical(rows[i] ?? null).length > MAX_ROW
    const large = isLarge ? [{ pointer: at, message: `must have at most ${MAX_ROW} bytes` }] : []
    return [...large, ...rowFaults(row, at)].map((fault) => ({ ...fault, code: "EV-ROW" as const }))
  })
  return faults.length > 0 ? err(faults.slice(0, MAX_FILE_ROWS)) : ok(file)
}
