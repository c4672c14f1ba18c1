// The plan of a run whose definitions are lost [J12]: as much of it as its journal tells, which is enough to read the run and to end it,
// and too little to go on. No step of it leads anywhere; what was never spoken of is not in it.

import type { Step } from "../flow/flow.ts"
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
  switch (type) {
    case "agent-decision":
      return { ...base, type, agent, branches: [] }
    case "agent-loop-decision":
      return { ...base, type, agent, loop_target: "", exit_target: "", max_iterations: 1, task: "" }
    case "fork":
      return { ...base, type, question: "", options: [], branches: [], allowCustom: false, multiSelect: false }
    case "flow-ref":
      return { ...base, type, flow: "" }
    case "map":
      return { ...base, type, over: "", do: "", max_concurrent: 1 }
    case "wait":
      return { ...base, type }
    default:
      return { ...base, type: "agent", agent }
  }
}
