// agent-decision: runs an agent, which chooses a branch [F18, F20].

import type { AgentDecisionStep } from "../flow/flow.ts"
import type { FieldTable } from "../flow/parse/field-table.ts"
import { readFields } from "../flow/parse/read-fields.ts"
import { openSession } from "../run/session/open-session.ts"
import { AGENT, agentOutputs, CACHE, INPUTS, MODEL, TASK } from "./agent-fields.ts"
import { BRANCHES, CAP, checkDecision, EXHAUSTED } from "./branches.ts"
import type { StepKind } from "./kind.ts"

const FIELDS = {
  agent: AGENT,
  task: TASK,
  inputs: INPUTS,
  model: MODEL,
  cache: CACHE,
  branches: BRANCHES,
  max_iterations: CAP,
  on_exhausted: EXHAUSTED,
} as const satisfies FieldTable

export const agentDecision: StepKind<AgentDecisionStep> = {
  fields: FIELDS,
  mark: "branches",
  read: (common, { fields }) => ({ ...common, type: "agent-decision", ...readFields(fields, FIELDS) }),
  check: (step, placed, scope) => checkDecision(step, placed, scope, "agent"),
  noAgent: "FV-AGENT-DEC",
  outputs: agentOutputs,
  open: (run, step) => openSession(run, step),
  stub: (base, agent) => ({ ...base, type: "agent-decision", agent, branches: [] }),
}
