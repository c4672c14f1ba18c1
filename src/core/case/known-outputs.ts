// Says which outputs and branches the runs of a flow can have, so that an expectation of another one is found before it is run [K20].

import type { Agent } from "../flow/agent.ts"
import { agentNameOf, choiceOf, runsCode, type Flow, type Step } from "../flow/flow.ts"

/** undefined: not known from the files. */
export interface KnownOutputs {
  readonly flow: readonly string[]
  step(id: string): readonly string[] | undefined
  branches(id: string): readonly string[] | undefined
}

/** The output of a flow that declares none: the finish of its last step. */
const LAST_FINISH = ["step", "status", "summary", "files", "outputs", "artifacts", "branch"]

export function knownOutputs({ outputs, steps }: Flow, agentOf: (name: string) => Agent | undefined): KnownOutputs {
  const byId = new Map(steps.map((step) => [step.id, step]))
  return {
    flow: outputs === undefined ? LAST_FINISH : Object.keys(outputs),
    step(id) {
      const step = byId.get(id)
      return step && outputsOf(step, agentOf)
    },
    branches(id) {
      const step = byId.get(id)
      const choice = step && choiceOf(step)
      return choice?.several === false ? choice.labels : undefined
    },
  }
}

function outputsOf(step: Step, agentOf: (name: string) => Agent | undefined): readonly string[] | undefined {
  return runsCode(step) ? step.outputs : agentOf(agentNameOf(step) ?? "")?.outputs.map(({ name }) => name)
}
