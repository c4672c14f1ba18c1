// Defines the common keys and outputs of steps with an agent.

import { agentOf, type CheckScope } from "../flow/check/check-scope.ts"
import type { Step } from "../flow/flow.ts"
import type { FieldSpec } from "../flow/parse/field-table.ts"
import type { StepOutput } from "./kind.ts"

export const AGENT = { kind: "agent", required: true, about: "the agent to run: agents/NAME.md" } as const satisfies FieldSpec
export const TASK = { kind: "template", about: "the agent's task; by default the run's task" } as const satisfies FieldSpec
export const INPUTS = {
  kind: "templates",
  about: "the agent's inputs, used as ${{input.NAME}} in its body and in the task",
} as const satisfies FieldSpec
export const MODEL = {
  kind: "model",
  about: "the model to use instead of the agent's: @ROLE, PROVIDER/MODEL or MODEL; or a list, where the next model answers when one fails",
} as const satisfies FieldSpec

export const CACHE = {
  kind: "duration",
  about: "for how long an equal pass of a later run takes this step's result instead of asking: 1m to 30d",
} as const satisfies FieldSpec

export const agentOutputs = (step: Step, scope: CheckScope): readonly StepOutput[] | undefined => agentOf(scope, step)?.outputs
