// Checks a flow's coordinators [C40, T42]: their routes name existing agents, and there is at most one coordinator.

import type { Agent } from "../agent.ts"
import { agentOf, type CheckScope } from "./check-scope.ts"
import { shown } from "../parse/report.ts"

export function checkTeam(scope: CheckScope): void {
  const { steps, world, report } = scope
  const coordinators = new Set<string>()
  const judged = new Set<string>()
  for (const { step, where, valueAt } of steps) {
    const agent = agentOf(scope, step)
    if (!agent || judged.has(agent.name)) continue
    judged.add(agent.name)
    const at = valueAt("agent")
    for (const name of agent.routes ?? []) {
      const called = world.agents.get(name)
      if (world.broken?.agents.has(name) === true)
        report.warn(
          "FV-ROUTES-AGENT",
          at,
          `${where}: its agent "${agent.name}" routes to "${name}", which has errors`,
          `fix agents/${name}.md`,
        )
      else if (called) coordinatorsOf(called).forEach((c) => coordinators.add(c))
      else
        report.error(
          "FV-ROUTES-AGENT",
          at,
          `${where}: its agent "${agent.name}" routes to ${shown(name)}, which does not exist`,
          report.hint(name, world.agents) ?? `write it as agents/${name}.md`,
        )
    }
    coordinatorsOf(agent).forEach((c) => coordinators.add(c))
    if (coordinators.size > 1) {
      report.error(
        "FV-COORDINATOR",
        at,
        `${where}: a flow can have only one coordinator, but with "${agent.name}" it has ${[...coordinators].join(", ")}`,
        "make the others specialists, or move them to separate flows",
      )
      return
    }
  }
}

const coordinatorsOf = (agent: Agent): readonly string[] => (agent.role === "coordinator" ? [agent.name] : [])
