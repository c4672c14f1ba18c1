// The denylist: what never runs, approved or not [T3, T30]. A tool by any of its names or a glob, and a regular expression over the
// canonical JSON of its arguments.

import { compilePattern } from "../schema/linear-pattern.ts"
import type { Policy } from "./policy.ts"
import { matchesTool, type NamedTool } from "./tool-names.ts"

/** `args`: canonical(args) of core/json.ts. Throws when a pattern is too costly for these arguments: the guard then refuses [G10]. */
export function denied(denylist: Policy["denylist"], tool: NamedTool, args: string): string | undefined {
  for (const rule of denylist) {
    if (!matchesTool(rule.tool, tool)) continue
    if (rule.args === undefined) return rule.reason
    const pattern = compilePattern(rule.args)
    // It was checked when it was written; a journal that says otherwise is not to be trusted.
    if (!pattern.ok) return `${rule.reason} (its pattern cannot be read: ${pattern.error})`
    if (pattern.value.test(args)) return rule.reason
  }
  return undefined
}
