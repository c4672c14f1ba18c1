// Lists the step types. A new type needs a file here, a row in this table, and its shape in core/flow/flow.ts.

import type { Step, StepType } from "../flow/flow.ts"
import { agent } from "./agent.ts"
import { agentDecision } from "./agent-decision.ts"
import { agentLoopDecision } from "./agent-loop-decision.ts"
import { codeDecision } from "./code-decision.ts"
import { code } from "./code.ts"
import { conditional } from "./conditional.ts"
import { flowRef } from "./flow-ref.ts"
import { fork } from "./fork.ts"
import type { StepKind } from "./kind.ts"
import { map } from "./map.ts"
import { tool } from "./tool.ts"
import { textsIn } from "./arguments.ts"
import { wait } from "./wait.ts"

// Documents and messages list the types in this order.
export const KINDS: Readonly<Record<StepType, StepKind>> = {
  agent,
  "agent-decision": agentDecision,
  "agent-loop-decision": agentLoopDecision,
  fork,
  conditional,
  code,
  "code-decision": codeDecision,
  tool,
  "flow-ref": flowRef,
  map,
  wait,
} satisfies { readonly [T in StepType]: StepKind<Extract<Step, { type: T }>> }

export const isStepType = (text: string): text is StepType => Object.hasOwn(KINDS, text)
export const STEP_TYPES: readonly StepType[] = Object.keys(KINDS).filter(isStepType)

/** A template of a step; `input` is its name under `inputs`, or its dotted place in the arguments of a tool. */
export interface StepTemplate {
  readonly key: string
  readonly text: string
  readonly input?: string
  /** Its place under the key. */
  readonly path?: readonly (string | number)[]
}

/** Every template of a step, found by its field table. */
export function templatesOf(step: Step): StepTemplate[] {
  return Object.entries(KINDS[step.type].fields).flatMap(([key, { kind }]): StepTemplate[] => {
    if (kind !== "template" && kind !== "templates" && kind !== "arguments") return []
    const value: unknown = Object.hasOwn(step, key) ? step[key as keyof Step] : undefined
    if (kind === "arguments") return textsIn(value).map(({ path, text }) => ({ key, text, input: path.join("."), path }))
    if (typeof value === "string") return [{ key, text: value }]
    return typeof value === "object" && value !== null
      ? Object.entries(value).flatMap(([input, text]) => (typeof text === "string" ? [{ key, text, input, path: [input] }] : []))
      : []
  })
}
