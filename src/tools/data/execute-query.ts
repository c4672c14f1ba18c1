// execute_query: one SELECT over the database, limited in rows and time [C42, T43]. Anything else is refused twice: by its
// tokens, and by SQLite, which accepts only a SELECT as a subquery.

import { selectOnly } from "../../core/text/select-only.ts"
import type { Tool } from "../../ports/tool.ts"
import { CATALOG_TOOL, asked, limitOf, rowsShown } from "./catalog-data.ts"
import { integer, string } from "../files/workspace-file.ts"

export const executeQuery: Tool = {
  ...CATALOG_TOOL,
  name: "execute_query",
  label: "Query data",
  description: "Run one SELECT (SQLite) over the database that the data catalog describes. It only reads.",
  parameters: {
    type: "object",
    properties: { sql: { type: "string", minLength: 1, maxLength: 10_000, description: "One SELECT statement." }, limit: limitOf(50) },
    required: ["sql"],
    additionalProperties: false,
  },
  untrusted: true,
  timeout: 15_000,

  async execute(_callId, params, signal, _onUpdate, powers) {
    const query = selectOnly(string(params, "sql"))
    if (!query.ok) throw new Error(`${query.error}. Nothing was run.`)
    const limit = integer(params, "limit") ?? 50
    return rowsShown(await asked(powers, `SELECT * FROM (\n${query.value}\n) LIMIT ${limit + 1}`, [], signal), limit, "rows", powers)
  },
}
