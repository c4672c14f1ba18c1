// agent-loop-decision: runs an agent, which decides whether another round begins [F17].

import type { LoopDecisionStep } from "../flow/flow.ts"
import type { FieldTable } from "../flow/parse/field-table.ts"
import { readFields } from "../flow/parse/read-fields.ts"
import type { Fact } from "../run/event.ts"
import { openSession } from "../run/session/open-session.ts"
import { stepState, type Run } from "../run/state.ts"
import { AGENT, agentOutputs, INPUTS, MODEL, TASK } from "./agent-fields.ts"
import type { StepKind } from "./kind.ts"

const FIELDS = {
  agent: AGENT,
  task: { ...TASK, required: true },
  inputs: INPUTS,
  model: MODEL,
  loop_target: { kind: "step", required: true, about: "an earlier step, where another round begins" },
  exit_target: { kind: "step", required: true, about: "a later step, where the run continues after the loop" },
  max_iterations: {
    kind: "integer",
    least: 1,
    required: true,
    example: "max_iterations: 3",
    about: "how many more passes the agent may decide on",
  },
} as const satisfies FieldTable

export const agentLoopDecision: StepKind<LoopDecisionStep> = {
  fields: FIELDS,
  mark: "loop_target",
  read: (common, { fields }) => ({ ...common, type: "agent-loop-decision", ...readFields(fields, FIELDS) }),
  check(step, { index, where, valueAt }, { order, report }) {
    const loop = order.get(step.loop_target)
    const exit = order.get(step.exit_target)
    if (loop !== undefined && loop > index)
      report.warn(
        "FV-LOOP-FWD",
        valueAt("loop_target"),
        `${where}: loop_target "${step.loop_target}" is a later step, so nothing repeats`,
        "name an earlier step",
      )
    if (exit !== undefined && exit <= index)
      report.error(
        "FV-EXIT-BACK",
        valueAt("exit_target"),
        `${where}: exit_target "${step.exit_target}" leads back, so the loop never ends`,
        "name a later step",
      )
  },
  noAgent: "FV-AGENT-DEC",
  outputs: agentOutputs,
  open,
  chooser: (_run, state) => (state.attempts === 0 && state.tools.length === 0 ? "cap" : "agent"),
  stub: (base, agent) => ({ ...base, type: "agent-loop-decision", agent, loop_target: "", exit_target: "", max_iterations: 1, task: "" }),
}

/** With a cap of N, the agent is asked at most N times; after that, the run takes the exit without a model call. */
function open(run: Run, step: LoopDecisionStep): Fact[] {
  const s = stepState(run, step.id)
  const iteration = s.entered + 1
  const max = step.max_iterations
  const facts: Fact[] = [{ type: "loop.iteration", step: step.id, iteration, max, target: step.loop_target }]
  if (iteration <= max) return [...facts, ...openSession(run, step, { iteration, addendum: `Iteration ${iteration} of ${max}.` })]
  return [
    ...facts,
    { type: "step.opened", step: step.id, stepType: step.type, pass: s.pass, tools: [], iteration },
    { type: "loop.exhausted", step: step.id, iteration, max, target: step.exit_target },
    {
      type: "step.finished",
      step: step.id,
      pass: s.pass,
      status: "complete",
      summary: `The cap of ${max} iterations was reached; the loop was left.`,
      files: [],
      outputs: {},
      branch: "exit",
    },
  ]
}
