// The plan of a run whose definitions are lost [J12]: as much of it as its journal tells, which is enough to read the run and to end it,
// and too little to go on. No step of it leads anywhere; what was never spoken of is not in it.

import type { Step } from "../flow/flow.ts"
import { isStepType, KINDS } from "../steps/kinds.ts"
import type { RunEvent } from "./event.ts"
import { compile, type Plan } from "./plan.ts"

export function strandedPlan(flow: string, events: Iterable<RunEvent>): Plan {
  const steps = new Map<string, Step>()
  const spokenOf = (id: string): void => {
    if (!steps.has(id)) steps.set(id, stepOf(id, "agent", ""))
  }
  for (const e of events) {
    // A step is spoken of before it is opened: a route leads to it, its budget is asked about.
    if (e.type === "step.opened") steps.set(e.step, stepOf(e.step, e.stepType, e.agent ?? ""))
    else if ("step" in e && e.step !== undefined) spokenOf(e.step)
    if (e.type === "branch.taken") spokenOf(e.target)
  }
  const known = {
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
  return compile({ flow: known, agents: {}, skills: {}, tools: [] })
}

function stepOf(id: string, type: string, agent: string): Step {
  const base = { id, blockedBy: [], inputs: {} }
  const known = isStepType(type) ? KINDS[type].stub?.(base, agent) : undefined
  return known ?? { ...base, type: "agent", agent }
}
