// sample_table_data: a few rows of the table behind an entity [C42, T43]. Anyone may have written the rows, so they are text from outside [G11].

import { sqlName } from "../../core/text/select-only.ts"
import type { Tool } from "../../ports/tool.ts"
import { CATALOG_TOOL, asked, ENTITY, rowsShown } from "./catalog-data.ts"
import { integer, string } from "../files/workspace-file.ts"

export const sampleTableData: Tool = {
  ...CATALOG_TOOL,
  name: "sample_table_data",
  label: "Sample table",
  description: "See a few rows of the table behind an entity of the data catalog.",
  parameters: {
    type: "object",
    properties: { entity: ENTITY, limit: { type: "integer", minimum: 1, maximum: 20, description: "How many rows. Default: 5." } },
    required: ["entity"],
    additionalProperties: false,
  },
  untrusted: true,

  async execute(_callId, params, signal, _onUpdate, powers) {
    const entity = string(params, "entity")
    const limit = integer(params, "limit") ?? 5
    const [row] = await asked(powers, "SELECT table_name FROM catalog_entity WHERE id = ?", [entity], signal)
    if (!row) throw new Error(`the catalog has no entity ${JSON.stringify(entity)}: search_catalog finds them`)
    const { table_name: table } = row
    if (typeof table !== "string") throw new Error(`the entity ${JSON.stringify(entity)} is not a table, so it has no rows`)
    return rowsShown(await asked(powers, `SELECT * FROM ${sqlName(table)} LIMIT ?`, [limit + 1], signal), limit, "rows", powers)
  },
}
