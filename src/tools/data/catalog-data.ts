// Defines the shared parts of the `catalog` toolkit [C42, T43]: the database, entity names, and the text of rows for a model.

import type { Json, JsonObject, JsonSchema } from "../../core/json.ts"
import { start } from "../../core/secrets/beginning.ts"
import { NO_SECRETS, type Redactor } from "../../core/secrets/redact.ts"
import { messageOf } from "../../core/text/fault-text.ts"
import type { ToolSpec } from "../../core/tool/tool-spec.ts"
import type { Data } from "../../ports/data.ts"
import { text, type ToolOutcome, type ToolPowers } from "../../ports/tool.ts"

export const CATALOG_TOOL: Pick<ToolSpec, "effect" | "contexts" | "private" | "truncate"> = {
  effect: "read",
  contexts: ["agent", "main"],
  private: true,
  truncate: "head",
}

export const ENTITY: JsonSchema = {
  type: "string",
  minLength: 1,
  maxLength: 200,
  description: "Id of an entity, as search_catalog gives it.",
}

/** Rows per answer: a longer list is not useful. */
export const MOST_ROWS = 100 // limit: rows of an answer about data → the answer says that there are more
const MOST_CELL = 2_000 // limit: characters of a cell → the rest is cut

export const limitOf = (fallback: number): JsonSchema => ({
  type: "integer",
  minimum: 1,
  maximum: MOST_ROWS,
  description: `How many at most. Default: ${fallback}.`,
})

export function dataOf(powers: ToolPowers): Data {
  if (powers.data === undefined) throw new Error("this tenant has no data catalog: no database is bound for it")
  return powers.data
}

/** [C43] Runs a query, and reports missing catalog tables as such. */
export async function asked(
  powers: ToolPowers,
  sql: string,
  values: readonly (string | number)[],
  signal: AbortSignal,
): Promise<readonly JsonObject[]> {
  try {
    return await dataOf(powers).select(sql, values, signal)
  } catch (e) {
    const said = messageOf(e)
    if (/no such table: catalog_/.test(said))
      throw new Error("the database has no catalog tables: create them with migrations/data (wrangler d1 migrations apply DATA)", {
        cause: e,
      })
    throw e
  }
}

const shownCell = (value: Json, redactor: Redactor): Json =>
  typeof value === "string" && value.length > MOST_CELL ? `${start(value, MOST_CELL, redactor)}… (${value.length} characters)` : value

export const shownRow = (row: JsonObject, { redactor }: Pick<ToolPowers, "redactor">): JsonObject =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [name, shownCell(value, redactor?.() ?? NO_SECRETS)]))

/** Takes one row more than requested; the answer only reports that there are more. */
export function rowsShown(rows: readonly JsonObject[], limit: number, name: string, powers: Pick<ToolPowers, "redactor">): ToolOutcome {
  const some = rows.slice(0, limit).map((row) => shownRow(row, powers))
  const told = { [name]: some, ...(rows.length > limit ? { more: true } : {}) }
  return text(JSON.stringify(told), { [name]: some.length, more: rows.length > limit })
}

/** Parses JSON columns and drops empty ones. */
export function tidy({ details, table_name, ...row }: JsonObject): JsonObject {
  return {
    ...row,
    ...(typeof table_name === "string" ? { table: table_name } : {}),
    ...(typeof details === "string" && details !== "" ? { details: parsed(details) } : {}),
  }
}

function parsed(json: string): Json {
  try {
    return JSON.parse(json)
  } catch {
    return json
  }
}
