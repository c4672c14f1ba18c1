// MCP names of tools and flows [T4, H12]: letters, digits, "_", "-" and ".", at most 128.
//
// A flow is `flow_<id>` with ":" as "."; if a tool has that name (`flow_write`), the flow is `flow_.<id>`: no id starts with ":".

import { isFlowId } from "../core/flow/path-id.ts"

const MAX_LENGTH = 128

/** MCP name → tool name, for all tools at once: colliding names get an extra ".", in name order. */
export function toolNames(own: readonly string[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  // Names that are already safe come first and stay unchanged.
  const plain = (name: string): boolean => safe(name) === name
  for (const name of [...own.filter(plain).sort(), ...own.filter((n) => !plain(n)).sort()]) {
    let called = safe(name)
    while (names.has(called) && names.get(called) !== name) called += "."
    if (called.length <= MAX_LENGTH) names.set(called, name)
  }
  return names
}

const safe = (name: string): string => name.replaceAll(/[^A-Za-z0-9_.-]/g, ".")

/** undefined: the id is too long to be a name. */
export function flowName(id: string, tools: { has(name: string): boolean }): string | undefined {
  const name = `flow_${id.replaceAll(":", ".")}`
  const called = tools.has(name) ? `flow_.${name.slice(5)}` : name
  return called.length <= MAX_LENGTH ? called : undefined
}

/** The flow with this MCP name; undefined: no flow can have it. */
export function flowOf(name: string): string | undefined {
  const id = /^flow_\.?(.+)$/s.exec(name)?.[1]?.replaceAll(".", ":")
  return id !== undefined && isFlowId(id) ? id : undefined
}
