// Defines the shared parts of the memory tools [T23]: the namespace argument, and the text of entries for a model. Text from a tainted
// session stays tainted in the memory, and so does an answer that shows it [G11].

import { defined } from "../../core/defined.ts"
import type { JsonSchema } from "../../core/json.ts"
import { text, type Memory, type MemoryEntry, type ToolOutcome, type ToolPowers } from "../../ports/tool.ts"

export const NAMESPACE: JsonSchema = {
  type: "string",
  minLength: 1,
  maxLength: 200,
  description: 'Name of a part of the memory, such as "notes" or "projects/apollo".',
}

export function memoryOf(powers: ToolPowers): Memory {
  if (powers.memory === undefined) throw new Error("no memory is available here")
  return powers.memory
}

export function shown(entries: readonly (MemoryEntry & { readonly score?: number })[], more = ""): ToolOutcome {
  const blocks = entries.map((e) => `[${e.id} in ${e.namespace}, ${new Date(e.at).toISOString()}]\n${e.content}`)
  const details = {
    entries: entries.map(({ id, namespace, at, tainted, score }) => ({ id, namespace, at, tainted, ...defined({ score }) })),
  }
  const outcome = text(blocks.join("\n\n") + more, details)
  return entries.some((e) => e.tainted) ? { ...outcome, source: "memory", untrusted: true } : outcome
}
