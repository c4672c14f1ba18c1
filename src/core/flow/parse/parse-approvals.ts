// Reads the approvals of an agent or a flow [Q4] and its effects after text from outside [G11]. An invalid rule is an error at write
// time: if it were ignored, it would look like a rule in force.

import { unmadeTool } from "../../tool/absent-tool.ts"
import type { Approvals, ApprovalRule } from "../../tool/policy/policy.ts"
import { parseApprovalRule } from "../../tool/policy/approval-rule.ts"
import { GROUP_PREFIX, GROUPS, isOfServer, isPattern, matchesTool, namesOf } from "../../tool/policy/tool-names.ts"
import type { Agent } from "../agent.ts"
import type { DiagnosticCode } from "../../diagnostic-codes.ts"
import { fieldsOf, warnUnknown, type Fields } from "./fields.ts"
import { keysOf, type FieldTable } from "./field-table.ts"
import { type Report, shown } from "./report.ts"
import { jsonOf } from "./source.ts"
import type { MapEntry } from "./yaml-tree.ts"

/** Each family has separate codes: AV-APPROVAL, FV-APPROVAL. */
export interface ApprovalCodes {
  readonly rule: DiagnosticCode
  readonly field: DiagnosticCode
  readonly family: "FV" | "AV"
}

/** `approvals: { tools: always, plans: never }`; undefined when the key is absent. */
export function readApprovals(fields: Fields, table: FieldTable, codes: ApprovalCodes, report: Report): Approvals | undefined {
  const map = fields.map("approvals")
  if (map === undefined) return undefined
  const inner = fieldsOf(map, report, codes.field, "approvals", fields.keyAt("approvals"))
  warnUnknown(inner, report, codes.family, keysOf(table))
  const found: { tools?: ApprovalRule; plans?: ApprovalRule } = {}
  for (const entry of map.entries) {
    if (entry.key !== "tools" && entry.key !== "plans") continue
    const rule = readRule(entry, `approvals.${entry.key}`, codes.rule, report)
    if (rule !== undefined) found[entry.key] = rule
  }
  return found
}

/** Reads approvals by tool, glob or group; `default` defers to the other rules. */
export function readToolApprovals(
  fields: Fields,
  { tools, unmade: files }: { readonly tools: ReadonlySet<string>; readonly unmade?: readonly string[] },
  report: Report,
): Agent["tool_approvals"] {
  const map = fields.map("tool_approvals")
  if (map === undefined) return undefined
  const known = new Set([...tools].flatMap((name) => namesOf({ name })))
  const rules: [string, ApprovalRule | "default"][] = []
  for (const entry of map.entries) {
    const { key, at, value } = entry
    if (key.startsWith(GROUP_PREFIX) && !GROUPS.some((g) => `${GROUP_PREFIX}${g}` === key))
      report.error(
        "AV-APPROVAL",
        at,
        `tool_approvals: the group ${shown(key)} does not exist`,
        report.hint(
          key,
          GROUPS.map((g) => `${GROUP_PREFIX}${g}`),
        ),
      )
    else if (!isPattern(key) && !known.has(key)) {
      const near = report.hint(key, known)
      const unmade = near === undefined ? unmadeTool(key, files) : undefined
      report.warn(
        isOfServer(key) || unmade ? "AV-TOOL" : "AV-RULE",
        at,
        `tool_approvals: ${unmade?.message ?? `the tool ${shown(key)} does not exist, so there is nothing to approve`}`,
        unmade?.suggestion ?? near ?? "a tool that exists, or remove it",
      )
    }
    // The tools of a server change.
    else if (isPattern(key) && !key.startsWith("mcp:") && ![...known].some((name) => matchesTool(key, { name })))
      report.warn(
        "AV-TOOL",
        at,
        `tool_approvals: no tool matches ${shown(key)} here, so there is nothing to approve`,
        report.hint(key, known),
      )
    if (value.kind === "scalar" && value.text === "default") rules.push([key, "default"])
    else {
      const rule = readRule(entry, `tool_approvals.${key}`, "AV-APPROVAL", report)
      if (rule !== undefined) rules.push([key, rule])
    }
  }
  return Object.fromEntries(rules)
}

function readRule(entry: MapEntry, where: string, code: DiagnosticCode, report: Report): ApprovalRule | undefined {
  const rule = parseApprovalRule(jsonOf(entry.value))
  if (rule.ok) return rule.value
  report.error(code, entry.value.at, `${where}: ${rule.error.message}`, rule.error.suggestion ?? `${entry.key}: always`)
  return undefined
}

/** `effects: { after_untrusted: ask | allow }`. */
export function readEffects(
  fields: Fields,
  table: FieldTable,
  codes: Pick<ApprovalCodes, "field" | "family">,
  report: Report,
): Agent["effects"] {
  const map = fields.map("effects")
  if (map === undefined) return undefined
  const inner = fieldsOf(map, report, codes.field, "effects", fields.keyAt("effects"))
  warnUnknown(inner, report, codes.family, keysOf(table))
  const said = inner.text("after_untrusted")?.trim()
  if (said === "ask" || said === "allow") return { after_untrusted: said }
  if (said !== undefined)
    inner.wrong(inner.valueAt("after_untrusted"), `"after_untrusted" must be ask or allow, not ${shown(said)}`, "after_untrusted: ask")
  return undefined
}
