// What a tool and a flow are called over MCP [T4, H12]: letters, digits, "_", "-" and ".", at most 128 of them.
//
// A flow is `flow_<id>` with ":" as "."; where a tool has that very name (`flow_write`), the flow is `flow_.<id>`: no id begins with ":".

import { isFlowId } from "../core/flow/path-id.ts"

const LONGEST = 128

/** Safe name → the tool's own, for all tools at once: two that would be called the same are told apart by a "." more, in the order of their names. */
export function toolNames(own: readonly string[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  // A name that is safe already is kept, whatever others would become.
  const plain = (name: string): boolean => safe(name) === name
  for (const name of [...own.filter(plain).sort(), ...own.filter((n) => !plain(n)).sort()]) {
    let called = safe(name)
    while (names.has(called) && names.get(called) !== name) called += "."
    if (called.length <= LONGEST) names.set(called, name)
  }
  return names
}

const safe = (name: string): string => name.replaceAll(/[^A-Za-z0-9_.-]/g, ".")

/** undefined: the id is too long to be a name. */
export function flowName(id: string, tools: { has(name: string): boolean }): string | undefined {
  const name = `flow_${id.replaceAll(":", ".")}`
  const called = tools.has(name) ? `flow_.${name.slice(5)}` : name
  return called.length <= LONGEST ? called : undefined
}

/** The flow that is called so; undefined: no flow can be. */
export function flowOf(name: string): string | undefined {
  const id = /^flow_\.?(.+)$/s.exec(name)?.[1]?.replaceAll(".", ":")
  return id !== undefined && isFlowId(id) ? id : undefined
}
