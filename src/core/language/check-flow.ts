// Runs every check of a flow before it runs [F54]. Each rule is a small function; the rules of a step type are in its file.

import { bounded, hasErrors, sortDiagnostics, type Diagnostic } from "../diagnostic.ts"
import { KINDS } from "../steps/kinds.ts"
import { checkAgents, checkIds, checkInputs, checkPathInputs } from "./check-agents.ts"
import { checkBudget } from "../flow/check/check-budget.ts"
import { checkCache } from "../flow/check/check-cache.ts"
import { checkChildren, checkNesting } from "../flow/check/check-children.ts"
import { checkBranchFall, checkUnreachable } from "../flow/check/check-branches.ts"
import { checkRepeats } from "../flow/check/check-repeats.ts"
import { checkBlockedBy, checkCycles } from "../flow/check/check-order.ts"
import { checkReads } from "./check-references.ts"
import { checkBackward, checkRoutes } from "../flow/check/check-routes.ts"
import type { FlowWorld, CheckScope } from "../flow/check/check-scope.ts"
import { scopeOf } from "./scope-of.ts"
import { checkTeam } from "../flow/check/check-team.ts"
import { checkUntil } from "../flow/check/check-until.ts"
import { checkForeignKeys } from "../flow/check/check-foreign-keys.ts"
import { checkTemplates } from "./check-templates.ts"
import type { Flow } from "../flow/flow.ts"
import { parseFlow } from "./parse-flow.ts"
import type { ParsedFlow } from "../flow/parse/parsed-flow.ts"
import { openReport } from "../flow/parse/report.ts"

export type { FlowWorld } from "../flow/check/check-scope.ts"

const CHECKS: readonly ((scope: CheckScope) => void)[] = [
  checkIds, // FV-ID-DUP
  checkForeignKeys, // FV-FOREIGN-KEY
  checkAgents, // FV-AGENT, FV-AGENT-DEC, FV-FORK-AGENT
  checkTeam, // FV-ROUTES-AGENT, FV-COORDINATOR
  checkInputs, // FV-IN-UNWIRED, FV-IN-EXTRA, FV-IN-UNUSED
  checkPathInputs, // FV-PATH-READ, FV-IN-FILE
  checkBlockedBy, // FV-BLOCK-UNKNOWN, FV-BLOCK-ORDER
  checkCycles, // FV-CYCLE
  checkRoutes, // FV-BRANCH, FV-LOOP-TARGET, FV-EXIT-TARGET, FV-ROUTE
  checkBackward, // FV-ONCOMPLETE, FV-ROUTE-BACK
  checkKinds, // rules of step types: FV-LOOP-*, FV-DEC-*, FV-FORK-*, FV-MAP-OVER, FV-CODE-HANDLER
  checkChildren, // FV-FLOW, FV-FLOW-INPUT
  checkNesting, // FV-FLOW-RECURSION, FV-FLOW-DEPTH
  checkTemplates, // FV-TPL-*, FV-REF-*
  checkReads, // FV-REF-* of `check:`
  checkUnreachable, // FV-UNREACHABLE
  checkRepeats, // FV-LOOP-CHANGE
  checkBranchFall, // FV-BRANCH-FALL
  checkCache, // FV-CACHE
  checkUntil, // FV-UNTIL, FV-SCORER
  checkBudget, // FV-BUDGET-LEAST, FV-BUDGET-STEPS
]

function checkKinds(scope: CheckScope): void {
  for (const placed of scope.steps) KINDS[placed.step.type].check?.(placed.step, placed, scope)
}

/** Checks how the parts of the file fit together. The result does not include the diagnostics of `parsed`. */
export function checkFlow(parsed: ParsedFlow, world: FlowWorld): Diagnostic[] {
  if (parsed.draft === undefined) return []
  const report = openReport("FV")
  const scope = scopeOf(parsed, parsed.draft, world, report)
  for (const check of CHECKS) check(scope)
  return sortDiagnostics(report.list())
}

/** Parses and checks a flow [F2]. Returns all diagnostics, sorted, and the flow if none is an error. */
export function validateFlow(text: string, id: string, world: FlowWorld): { flow?: Flow; diagnostics: readonly Diagnostic[] } {
  return validateParsed(parseFlow(text, id), world)
}

/** The same for a parsed flow. */
export function validateParsed(parsed: ParsedFlow, world: FlowWorld): { flow?: Flow; diagnostics: readonly Diagnostic[] } {
  const diagnostics = bounded([...parsed.diagnostics, ...checkFlow(parsed, world)], "FV-MORE")
  return parsed.flow === undefined || hasErrors(diagnostics) ? { diagnostics } : { flow: parsed.flow, diagnostics }
}
