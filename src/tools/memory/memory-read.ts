// memory.read: the newest entries of a namespace of the tenant's memory, in chronological order [T23].

import { text, type Tool } from "../../ports/tool.ts"
import { memoryOf, NAMESPACE, shown } from "./memory-shown.ts"
import { integer, string } from "../files/workspace-file.ts"

const DEFAULT_LIMIT = 100

export const memoryRead: Tool = {
  name: "memory.read",
  label: "Read memory",
  description: "Read the newest entries of a namespace of the memory, oldest of them first. To find something, use memory.search.",
  parameters: {
    type: "object",
    properties: {
      namespace: NAMESPACE,
      limit: { type: "integer", minimum: 1, maximum: 500, description: `How many entries at most. Default: ${DEFAULT_LIMIT}.` },
    },
    required: ["namespace"],
    additionalProperties: false,
  },
  effect: "read",
  contexts: ["agent", "main"],
  groups: ["memory"],
  private: true,

  async execute(_callId, params, _signal, _onUpdate, powers) {
    const namespace = string(params, "namespace")
    const limit = integer(params, "limit") ?? DEFAULT_LIMIT
    const entries = await memoryOf(powers).read(namespace, limit)
    if (entries.length === 0) return text(`[nothing is remembered in ${namespace}]`, { entries: [] })
    return shown(entries, entries.length === limit ? `\n\n[the newest ${limit}; there may be older ones]` : "")
  },
}
