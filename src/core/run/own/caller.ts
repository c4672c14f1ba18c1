// Names who makes the calls of a step without an agent [F26]: an agent in nothing but what the guard looks at. It may call the step's tools and
// no others, and the rules, approvals and marks apply to it as to any agent.

import type { Agent } from "../../flow/agent.ts"
import { ownTools, type Flow, type Step } from "../../flow/flow.ts"

/** No agent has this name: a colon cannot be part of one. The policy may narrow it under `tools.agents`. */
export const callerName = (step: string): string => `step:${step}`

export const isCaller = (agent: string): boolean => agent.startsWith("step:")

export const callersOf = ({ steps }: Flow): Record<string, Agent> =>
  Object.fromEntries(steps.flatMap((step) => (ownTools(step).length === 0 ? [] : [[callerName(step.id), callerOf(step)] as const])))

const callerOf = (step: Step): Agent => ({
  name: callerName(step.id),
  description: step.description ?? "",
  tools: { kind: "list", names: ownTools(step) },
  skills: [],
  inputs: [],
  outputs: [],
  access: {},
  ...("effects" in step && step.effects ? { effects: step.effects } : {}),
  finalizer: "finish",
  max_turns: 1,
  body: "",
})
