// Keys and outputs that steps with an agent have in common.

import { agentOf, type Scope } from "../flow/check/check-scope.ts"
import type { Step } from "../flow/flow.ts"
import type { FieldSpec } from "../flow/parse/field-table.ts"
import type { StepOutput } from "./kind.ts"

export const AGENT = { kind: "agent", required: true, about: "the agent that works: agents/NAME.md" } as const satisfies FieldSpec
export const TASK = { kind: "template", about: "what the agent is asked; without it the run's task" } as const satisfies FieldSpec
export const INPUTS = {
  kind: "templates",
  about: "values for the agent: ${{input.NAME}} in its body and in the task",
} as const satisfies FieldSpec
export const MODEL = {
  kind: "model",
  about: "another model than the agent's own: @ROLE, PROVIDER/MODEL or MODEL",
} as const satisfies FieldSpec

export const agentOutputs = (step: Step, scope: Scope): readonly StepOutput[] | undefined => agentOf(scope, step)?.outputs
