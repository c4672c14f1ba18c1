// The denylist: calls that never run, even when approved [T3, T30]. A rule has a tool's name or a glob, and optionally a regular
// expression over the canonical JSON of the arguments: as they are given, and with their paths normalized, because `./.env` and `@.env` are
// the file `.env`.

import { canonical, type JsonObject } from "../json.ts"
import { compilePattern } from "../schema/linear-pattern.ts"
import { normalizePath, unmentioned } from "../text/path.ts"
import type { ToolSpec } from "../tool/tool-spec.ts"
import type { Policy } from "./policy.ts"
import { matchesTool, type NamedTool } from "./tool-names.ts"

type Judged = NamedTool & Partial<Pick<ToolSpec, "paths">>

/** Throws when a pattern is too costly for these arguments; the guard then refuses [G10]. */
export function denied(denylist: Policy["denylist"], tool: Judged, args: JsonObject): string | undefined {
  if (denylist.length === 0) return undefined
  const texts = [...new Set([canonical(args), canonical(withPlainPaths(tool, args))])]
  for (const rule of denylist) {
    if (!matchesTool(rule.tool, tool)) continue
    if (rule.args === undefined) return rule.reason
    const pattern = compilePattern(rule.args)
    // The pattern was checked when the policy was saved, so a journal with an invalid one cannot be trusted.
    if (!pattern.ok) return `${rule.reason} (its pattern cannot be read: ${pattern.error})`
    if (texts.some((text) => pattern.value.test(text))) return rule.reason
  }
  return undefined
}

function withPlainPaths({ paths }: Judged, args: JsonObject): JsonObject {
  const plain: JsonObject = {}
  for (const name of [...(paths?.read ?? []), ...(paths?.write ?? [])]) {
    const given = Object.hasOwn(args, name) ? args[name] : undefined
    const path = typeof given === "string" ? normalizePath(unmentioned(given)) : undefined
    if (path?.ok) plain[name] = path.value
  }
  return { ...args, ...plain }
}
