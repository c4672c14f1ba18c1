// tool_search: finds tools when there are too many to list in every request [T8]. A session has it only if its registered tools exceed the
// agent's limit.

import { defined } from "../../core/defined.ts"
import { text, type Tool } from "../../ports/tool.ts"
import { integer, string } from "../files/workspace-file.ts"

export const toolSearch: Tool = {
  name: "tool_search",
  label: "Search tools",
  description:
    'Find more tools by words for what you want to do, such as "refund a payment". Answers names, descriptions and parameters, best first; from then on you can call the tools found.',
  parameters: {
    type: "object",
    properties: {
      query: { type: "string", minLength: 1, maxLength: 1_000, description: "Words for what the tool does, or its name." },
      limit: { type: "integer", minimum: 1, maximum: 20, description: "The most tools to find. Default: 5." },
    },
    required: ["query"],
    additionalProperties: false,
  },
  effect: "none",
  contexts: ["agent", "architect"],
  truncate: "head",

  async execute(_callId, params, _signal, _onUpdate, powers) {
    const query = string(params, "query")
    const limit = integer(params, "limit")
    const found = powers.findTools?.({ query, ...defined({ limit }) }) ?? []
    if (found.length === 0)
      return text(`No tool fits ${JSON.stringify(query)}. Try other words: the thing that it works on, or what it does with it.`, {
        tools: [],
      })
    const shown = found.map(({ name, description, parameters }) => JSON.stringify({ name, description, parameters }))
    return text(shown.join("\n"), { tools: found.map((tool) => tool.name) })
  },
}
