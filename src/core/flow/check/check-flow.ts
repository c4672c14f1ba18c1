// Everything that can be said of a flow before it runs [F54]. One small function per rule.

import { hasErrors, sortDiagnostics, type Diagnostic } from "../../diagnostic.ts"
import { checkAgents, checkIds, checkInputs, checkPathInputs } from "./check-agents.ts"
import { checkBudget } from "./check-budget.ts"
import { checkChildren, checkNesting } from "./check-children.ts"
import { checkCode } from "./check-code.ts"
import { checkBranchFall, checkUnreachable } from "./check-branches.ts"
import { checkBlockedBy, checkCycles } from "./check-order.ts"
import { checkConditions } from "./check-references.ts"
import { checkBackward, checkDecisions, checkFork, checkLoop, checkRoutes } from "./check-routes.ts"
import { scopeOf, type FlowWorld, type Scope } from "./check-scope.ts"
import { checkTeam } from "./check-team.ts"
import { checkTemplates } from "./check-templates.ts"
import type { Flow } from "../flow.ts"
import { parseFlow, type ParsedFlow } from "../parse/parse-flow.ts"
import { openReport } from "../parse/report.ts"

export type { FlowWorld } from "./check-scope.ts"

const CHECKS: readonly ((scope: Scope) => void)[] = [
  checkIds, // FV-ID-DUP
  checkAgents, // FV-AGENT, FV-AGENT-DEC, FV-FORK-AGENT
  checkTeam, // FV-ROUTES-AGENT, FV-COORDINATOR
  checkInputs, // FV-IN-UNWIRED, FV-IN-EXTRA, FV-IN-UNUSED
  checkPathInputs, // FV-PATH-READ
  checkBlockedBy, // FV-BLOCK-UNKNOWN, FV-BLOCK-ORDER
  checkCycles, // FV-CYCLE
  checkRoutes, // FV-BRANCH, FV-LOOP-TARGET, FV-EXIT-TARGET, FV-ROUTE
  checkBackward, // FV-ONCOMPLETE, FV-ROUTE-BACK
  checkLoop, // FV-LOOP-FWD, FV-EXIT-BACK
  checkDecisions, // FV-DEC-MIN, FV-DEC-LOOP, FV-EXHAUSTED
  checkFork, // FV-FORK-KEY, FV-FORK-OPTION
  checkChildren, // FV-FLOW, FV-FLOW-INPUT, FV-MAP-OVER
  checkNesting, // FV-FLOW-RECURSION, FV-FLOW-DEPTH
  checkCode, // FV-CODE-HANDLER
  checkTemplates, // FV-TPL-*, FV-REF-*
  checkConditions, // FV-REF-* of `check:`
  checkUnreachable, // FV-UNREACHABLE
  checkBranchFall, // FV-BRANCH-FALL
  checkBudget, // FV-BUDGET-LEAST, FV-BUDGET-STEPS
]

/** What the file's names mean together. The diagnostics of `parsed` itself are not among them. */
export function checkFlow(parsed: ParsedFlow, world: FlowWorld): Diagnostic[] {
  if (parsed.draft === undefined) return []
  const report = openReport("FV")
  const scope = scopeOf(parsed, parsed.draft, world, report)
  for (const check of CHECKS) check(scope)
  return sortDiagnostics(report.list())
}

/** Both halves [F2]: all diagnostics, sorted; the flow only when none is an error. */
export function validateFlow(text: string, id: string, world: FlowWorld): { flow?: Flow; diagnostics: Diagnostic[] } {
  const parsed = parseFlow(text, id)
  const diagnostics = sortDiagnostics([...parsed.diagnostics, ...checkFlow(parsed, world)])
  return parsed.flow === undefined || hasErrors(diagnostics) ? { diagnostics } : { flow: parsed.flow, diagnostics }
}
