// Says what the text of one step says, as far as it can be read while it is written: its type, its agent, and the outputs that its result has.

import type { FileKeys } from "./file-keys.ts"
import { stepLines } from "./step-lines.ts"

export interface AgentFace {
  readonly description: string
  readonly inputs: readonly string[]
  readonly outputs: readonly string[]
}
/** By name. */
export type Agents = ReadonlyMap<string, AgentFace>

/** The value of a key that stands on one line. */
export function valueIn(step: string, key: string): string | undefined {
  const [, value] = new RegExp(`(?:^\\s*(?:-\\s+)?|[{,]\\s*)${key}:[ \\t]*["']?([^"'\\s,}]+)`, "m").exec(step) ?? []
  return value
}

/** What it says it is, or what a key shows that no other type has [F4]; undefined: it can still be of any. */
export function typeOf(step: string, { types }: FileKeys): string | undefined {
  const said = valueIn(step, "type")
  if (said !== undefined && Object.hasOwn(types, said)) return said
  return Object.entries(types).find(
    ([, { mark }]) => mark !== undefined && new RegExp(`(?:^\\s*(?:-\\s+)?|[{,]\\s*)${mark}:`, "m").test(step),
  )?.[0]
}

/** The fields of a step's result besides those of every result. */
export function outputsOf(id: string, whole: string, agents: Agents, given: FileKeys["given"]): readonly string[] {
  const found = stepLines(whole).find((step) => step.id === id)
  if (found === undefined) return []
  const step = whole
    .split("\n")
    .slice(found.first - 1, found.last)
    .join("\n")
  const type = valueIn(step, "type") ?? "agent"
  return given[type] ?? agents.get(valueIn(step, "agent") ?? "")?.outputs ?? listed(step)
}

/** `outputs: [a, b]`, or a list on lines of its own, of names or of mappings with a name. */
function listed(step: string): readonly string[] {
  const [, list] = /\boutputs:\s*\[([^\]]*)\]/.exec(step) ?? []
  if (list !== undefined) return [...list.matchAll(/(?:^|,)\s*(?:\{\s*name:\s*)?["']?([\w-]+)/g)].map(([, name = ""]) => name)
  const [, block = ""] = /^(?:\s*(?:-\s+)?)outputs:\s*\n((?:\s+-.*\n?)+)/m.exec(step) ?? []
  return [...block.matchAll(/-\s+(?:\{?\s*name:\s*)?["']?([\w-]+)/g)].map(([, name = ""]) => name)
}
