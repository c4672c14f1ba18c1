// search_catalog: finds entities of the data catalog by words in their names, descriptions and fields [C42, T43].

import { matchExpression } from "../../core/text/match-expression.ts"
import { text, type Tool } from "../../ports/tool.ts"
import { CATALOG_TOOL, asked, limitOf, rowsShown } from "./catalog-data.ts"
import { integer, string } from "../files/workspace-file.ts"

const SQL = `SELECT e.id, e.kind, e.name, e.description,
  group_concat(CASE WHEN t.field <> '' THEN t.field END, ', ') AS matching_fields
FROM (SELECT entity, field, bm25(catalog_text, 0, 0, 4, 1) AS score FROM catalog_text WHERE catalog_text MATCH ?1 ORDER BY score LIMIT 500) t
JOIN catalog_entity e ON e.id = t.entity
WHERE ?2 = '' OR e.kind = ?2
GROUP BY e.id ORDER BY min(t.score), e.id LIMIT ?3`

export const searchCatalog: Tool = {
  ...CATALOG_TOOL,
  name: "search_catalog",
  label: "Search data catalog",
  description: "Find tables and other entities of the data catalog by words of their names, descriptions and fields, best first.",
  parameters: {
    type: "object",
    properties: {
      query: { type: "string", minLength: 1, maxLength: 2_000, description: "Words to look for; there is no syntax." },
      kind: { type: "string", maxLength: 100, description: "Only entities of this kind, such as table." },
      limit: limitOf(10),
    },
    required: ["query"],
    additionalProperties: false,
  },

  async execute(_callId, params, signal, _onUpdate, powers) {
    const match = matchExpression(string(params, "query"))
    const limit = integer(params, "limit") ?? 10
    if (match === undefined) return text(JSON.stringify({ entities: [] }), { entities: 0 })
    const kind = params["kind"] === undefined ? "" : string(params, "kind")
    const rows = await asked(powers, SQL, [match, kind, limit + 1], signal)
    return rowsShown(
      rows.map(({ matching_fields, ...row }) => (typeof matching_fields === "string" ? { ...row, matching_fields } : row)),
      limit,
      "entities",
      powers,
    )
  },
}
