// Warns about steps of a loop whose agent has a tool that changes something outside the run: each pass may change it again [F19].

import { isPattern, matchesTool } from "../../tool/policy/tool-names.ts"
import { agentOf, type CheckScope } from "./check-scope.ts"

export function checkRepeats(scope: CheckScope): void {
  const { changing } = scope.world
  if (!scope.isWhole || changing === undefined || changing.size === 0) return
  for (const { step, index, where, valueAt } of scope.steps) {
    const { tools: wish, tool_approvals: asked = {} } = agentOf(scope, step) ?? {}
    if (wish?.kind !== "list") continue
    const free = [...changing].filter((name) => asked[name] !== "always")
    const tool = free.find((name) => wish.names.some((one) => (isPattern(one) ? matchesTool(one, { name }) : one === name)))
    if (tool === undefined || !scope.paths().runsAgainAfter(index, index)) continue
    scope.report.warn(
      "FV-LOOP-CHANGE",
      valueAt("agent"),
      `${where}: the loop repeats a step that calls a tool which changes something (${tool}); each pass may do it again`,
      "move the step behind the loop, or require an approval of the tool",
    )
  }
}
