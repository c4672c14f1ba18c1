// list_schema_fields: the fields of one entity, with types and descriptions [C42, T43].

import type { Tool } from "../../ports/tool.ts"
import { CATALOG_TOOL, asked, ENTITY, rowsShown } from "./catalog-data.ts"
import { string } from "../files/workspace-file.ts"

const MOST_FIELDS = 500 // limit: fields of an answer → the answer says that there are more

export const listSchemaFields: Tool = {
  ...CATALOG_TOOL,
  name: "list_schema_fields",
  label: "List fields",
  description: "List the fields of one entity of the data catalog: names, types, descriptions.",
  parameters: { type: "object", properties: { entity: ENTITY }, required: ["entity"], additionalProperties: false },

  async execute(_callId, params, signal, _onUpdate, powers) {
    const entity = string(params, "entity")
    const sql = "SELECT name, type, description FROM catalog_field WHERE entity = ? ORDER BY position, name LIMIT ?"
    const rows = await asked(powers, sql, [entity, MOST_FIELDS + 1], signal)
    if (rows.length === 0 && (await asked(powers, "SELECT 1 FROM catalog_entity WHERE id = ?", [entity], signal)).length === 0)
      throw new Error(`the catalog has no entity ${JSON.stringify(entity)}: search_catalog finds them`)
    return rowsShown(rows, MOST_FIELDS, "fields", powers)
  },
}
