// get_catalog_entities: entities of the data catalog with their fields and details [C42, T43].

import type { JsonObject } from "../../core/json.ts"
import { text, type Tool } from "../../ports/tool.ts"
import { CATALOG_TOOL, asked, ENTITY, shownRow, tidy } from "./catalog-data.ts"

const MOST = 20 // limit: entities of one call → the call is refused: `invalid_args`

export const getCatalogEntities: Tool = {
  ...CATALOG_TOOL,
  name: "get_catalog_entities",
  label: "Get catalog entities",
  description: `Get entities of the data catalog by their ids, ${MOST} at most: what they are, their table, their details and the names of their fields.`,
  parameters: {
    type: "object",
    properties: { ids: { type: "array", items: ENTITY, minItems: 1, maxItems: MOST, description: "Ids of entities." } },
    required: ["ids"],
    additionalProperties: false,
  },

  async execute(_callId, params, signal, _onUpdate, powers) {
    const given = Array.isArray(params["ids"]) ? params["ids"] : []
    const ids = [...new Set(given.filter((id) => typeof id === "string"))]
    const marks = ids.map(() => "?").join(", ")
    const rows = await asked(
      powers,
      `SELECT id, kind, name, description, table_name, details FROM catalog_entity WHERE id IN (${marks})`,
      ids,
      signal,
    )
    const fields = await asked(
      powers,
      `SELECT entity, name FROM catalog_field WHERE entity IN (${marks}) ORDER BY position, name`,
      ids,
      signal,
    )
    const entities = rows.map((row): JsonObject => ({
      ...tidy(shownRow(row, powers)),
      fields: fields.filter((f) => f["entity"] === row["id"]).map((f) => f["name"] ?? null),
    }))
    const missing = ids.filter((id) => !rows.some((row) => row["id"] === id))
    return text(JSON.stringify({ entities, ...(missing.length > 0 ? { missing } : {}) }), { entities: rows.length, missing })
  },
}
