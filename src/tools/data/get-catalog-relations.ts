// get_catalog_relations: an entity's relations in both directions [C42, T43].

import type { Tool } from "../../ports/tool.ts"
import { CATALOG_TOOL, asked, ENTITY, limitOf, rowsShown } from "./catalog-data.ts"
import { integer, string } from "../files/workspace-file.ts"

export const getCatalogRelations: Tool = {
  ...CATALOG_TOOL,
  name: "get_catalog_relations",
  label: "Get relations",
  description: "List the relations of one entity of the data catalog, from it and to it, with the condition that joins them.",
  parameters: { type: "object", properties: { entity: ENTITY, limit: limitOf(50) }, required: ["entity"], additionalProperties: false },

  async execute(_callId, params, signal, _onUpdate, powers) {
    const limit = integer(params, "limit") ?? 50
    const sql =
      "SELECT id, source, target, kind, condition, description FROM catalog_relation WHERE source = ?1 OR target = ?1 ORDER BY id LIMIT ?2"
    return rowsShown(await asked(powers, sql, [string(params, "entity"), limit + 1], signal), limit, "relations", powers)
  },
}
