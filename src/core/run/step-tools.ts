// What a step's agent may call, and which rule says so [G1], [T33]: the grant as it was stored when the step was opened.

import { FINISH } from "./finish.ts"
import { grantOf } from "./guard.ts"
import { agentNameOf } from "./plan.ts"
import type { Run } from "./state.ts"

export interface ToolRule {
  readonly name: string
  readonly granted: boolean
  readonly rule: string
}

/** undefined: there is no such step. A step without a session has no tools. */
export function explainTools(run: Run, id: string): ToolRule[] | undefined {
  const step = run.plan.steps.get(id)
  if (!step) return undefined
  const agent = run.plan.agents[agentNameOf(step) ?? ""]
  if (!agent) return []
  const opened = run.steps[id]?.tools ?? []
  const granted = opened.length > 0 ? opened : grantOf(run.plan, agent, run.autonomous)
  const rule = (name: string): string => {
    if (name === FINISH) return "every agent session has finish"
    if (name === "ask_user") return run.autonomous ? "the run is autonomous: nobody is asked" : "the run is not autonomous"
    if (name === "skill_read") return agent.skills.length > 0 ? "the agent declares skills" : "the agent declares no skills"
    if (granted.includes(name)) return `tools of agent ${agent.name}`
    const declared = agent.tools.kind === "list" && agent.tools.names.includes(name)
    return declared ? "not for agents of this role" : `agent ${agent.name} does not declare it`
  }
  return [...new Set([FINISH, ...run.plan.tools.keys()])].map((name) => ({ name, granted: granted.includes(name), rule: rule(name) }))
}
