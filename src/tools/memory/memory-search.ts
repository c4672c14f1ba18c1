// memory.search: the entries of the tenant's memory that match a query, best first: by words and, where a model is bound,
// by meaning [T23].

import { text, type Tool } from "../../ports/tool.ts"
import { memoryOf, NAMESPACE, shown } from "./memory-shown.ts"
import { integer, string } from "../files/workspace-file.ts"

export const memorySearch: Tool = {
  name: "memory.search",
  label: "Search memory",
  description: "Search the memory that all runs share. Give the words that matter; entries with more of them rank higher.",
  parameters: {
    type: "object",
    properties: {
      query: { type: "string", minLength: 1, maxLength: 2000, description: "Words to look for; there is no syntax." },
      namespace: { ...NAMESPACE, description: "Search in this namespace only. Default: in all of them." },
      limit: { type: "integer", minimum: 1, maximum: 50, description: "How many entries at most. Default: 10." },
      keywordOnly: { type: "boolean", description: "Search by words only, not by meaning. Default: false." },
    },
    required: ["query"],
    additionalProperties: false,
  },
  effect: "read",
  contexts: ["agent", "main"],
  groups: ["memory"],
  private: true,
  // Best first, so truncation drops the worst matches.
  truncate: "head",

  async execute(_callId, params, _signal, _onUpdate, powers) {
    const query = string(params, "query")
    const found = await memoryOf(powers).search({
      query,
      ...(params["namespace"] === undefined ? {} : { namespace: string(params, "namespace") }),
      limit: integer(params, "limit") ?? 10,
      keywordOnly: params["keywordOnly"] === true,
    })
    return found.length === 0 ? text(`[nothing in memory fits ${JSON.stringify(query)}]`, { entries: [] }) : shown(found)
  },
}
