// The denylist: calls that never run, even when approved [T3, T30]. A rule has a tool's name or a glob, and optionally a regular
// expression over the canonical JSON of the arguments.

import { compilePattern } from "../schema/linear-pattern.ts"
import type { Policy } from "./policy.ts"
import { matchesTool, type NamedTool } from "./tool-names.ts"

/** `args`: the text from canonical() in core/json.ts. Throws when a pattern is too costly for these arguments; the guard then refuses [G10]. */
export function denied(denylist: Policy["denylist"], tool: NamedTool, args: string): string | undefined {
  for (const rule of denylist) {
    if (!matchesTool(rule.tool, tool)) continue
    if (rule.args === undefined) return rule.reason
    const pattern = compilePattern(rule.args)
    // The pattern was checked when the policy was saved, so a journal with an invalid one cannot be trusted.
    if (!pattern.ok) return `${rule.reason} (its pattern cannot be read: ${pattern.error})`
    if (pattern.value.test(args)) return rule.reason
  }
  return undefined
}
