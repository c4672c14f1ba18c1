// Rebuilds the plan of a run whose definitions are lost from its journal [J12]. The plan is enough to read the run and to end it, but not
// to continue it: no step leads anywhere, and a step that the journal never mentions is missing.

import type { Step } from "../flow/flow.ts"
import { isStepType, KINDS } from "../steps/kinds.ts"
import type { RunEvent } from "./event.ts"
import { compile, type Plan } from "./plan.ts"

export function strandedPlan(flow: string, events: Iterable<RunEvent>): Plan {
  const steps = new Map<string, Step>()
  const mention = (id: string): void => {
    if (!steps.has(id)) steps.set(id, stepOf(id, "agent", ""))
  }
  for (const e of events) {
    // A step may be mentioned before it is opened: by a route to it, or by a question about its budget.
    if (e.type === "step.opened") steps.set(e.step, stepOf(e.step, e.stepType, e.agent ?? ""))
    else if ("step" in e && e.step !== undefined) mention(e.step)
    if (e.type === "branch.taken") mention(e.target)
  }
  const flowStub = {
    id: flow,
    name: flow,
    description: "",
    steps: [...steps.values()],
    inputs: {},
    max_concurrent: 1,
    task_required: false,
    autonomous: true,
    config: {},
  }
  return compile({ flow: flowStub, agents: {}, skills: {}, tools: [] })
}

function stepOf(id: string, type: string, agent: string): Step {
  const base = { id, blockedBy: [], inputs: {} }
  const flowStub = isStepType(type) ? KINDS[type].stub?.(base, agent) : undefined
  return flowStub ?? { ...base, type: "agent", agent }
}
