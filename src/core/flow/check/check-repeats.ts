// Warns about steps of a loop that have a tool which changes something outside the run: each pass may change it again [F19].

import type { Agent } from "../agent.ts"
import { changesAlways } from "../../tool/reach.ts"
import { isPattern, matchesTool } from "../../tool/policy/tool-names.ts"
import { agentOf, type CheckScope, type Placed } from "./check-scope.ts"

export function checkRepeats(scope: CheckScope): void {
  const changing = [...(scope.world.tools?.values() ?? [])].filter(changesAlways)
  if (!scope.isWhole || changing.length === 0) return
  for (const placed of scope.steps) {
    const { index, where } = placed
    const used = usedBy(scope, placed)
    const tool = used === undefined ? undefined : changing.find(({ name }) => used.uses(name))
    if (used === undefined || tool === undefined || !scope.paths().runsAgainAfter(index, index)) continue
    scope.report.warn(
      "FV-LOOP-CHANGE",
      placed.valueAt(used.key),
      `${where}: the loop repeats a step that calls a tool which changes something (${tool.name}); each pass may do it again`,
      "move the step behind the loop, or require an approval of the tool",
    )
  }
}

/** The key that names who calls, and which tools it calls without being asked. */
function usedBy(scope: CheckScope, { step }: Placed): { readonly key: string; uses(name: string): boolean } | undefined {
  if (step.type === "tool") return { key: "tool", uses: (name) => step.tool === name }
  const agent = agentOf(scope, step)
  return agent && { key: "agent", uses: (name) => lists(agent, name) && agent.tool_approvals?.[name] !== "always" }
}

const lists = ({ tools }: Agent, name: string): boolean =>
  tools.kind === "list" && tools.names.some((one) => (isPattern(one) ? matchesTool(one, { name }) : one === name))
