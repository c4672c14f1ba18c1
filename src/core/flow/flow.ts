// A flow as data, after parsing: defaults filled in, names checked, templates still text. spec/flows.md §1, §2.

import type { Json } from "../json.ts"

export type InputType = "string" | "number" | "boolean" | "object" | "array"

/** A typed input of a flow: `inputs: {topic: {type: string, required: true}}`. */
export interface InputSpec {
  readonly type: InputType
  readonly required: boolean
  readonly default?: Json
  readonly description?: string
}

/** Where a label leads. A list, not a map: labels keep the file's order even when they look like numbers. */
export interface Branch {
  readonly label: string
  readonly target: string
}

/** [F35] Run the step again after a soft failure: at most `max` times, `backoff` ms, doubling. */
export interface RetrySpec {
  readonly max: number
  readonly backoff: number
}

interface StepBase {
  readonly id: string
  readonly description?: string
  readonly blockedBy: readonly string[]
  /** Milliseconds. */
  readonly timeout?: number
  readonly retry?: RetrySpec
  readonly on_error?: string
  readonly on_complete?: string
}

export interface AgentStep extends StepBase {
  readonly type: "agent"
  readonly agent: string
  readonly task?: string
  readonly inputs: Readonly<Record<string, string>>
  readonly model?: string
}

export interface AgentDecisionStep extends StepBase {
  readonly type: "agent-decision"
  readonly agent: string
  readonly task?: string
  readonly inputs: Readonly<Record<string, string>>
  readonly model?: string
  readonly branches: readonly Branch[]
  readonly max_iterations?: number
  readonly on_exhausted?: string
}

export interface LoopDecisionStep extends StepBase {
  readonly type: "agent-loop-decision"
  readonly agent: string
  readonly task: string
  readonly inputs: Readonly<Record<string, string>>
  readonly model?: string
  readonly loop_target: string
  readonly exit_target: string
  readonly max_iterations: number
}

export interface ForkStep extends StepBase {
  readonly type: "fork"
  readonly question: string
  readonly options: readonly string[]
  readonly branches: readonly Branch[]
  readonly agent?: string
  readonly task?: string
  readonly inputs: Readonly<Record<string, string>>
  readonly model?: string
  readonly max_iterations?: number
}

export interface ConditionalStep extends StepBase {
  readonly type: "conditional"
  /** `STEP` or `STEP.FIELD`; the default field is `artifacts` [F22]. */
  readonly check: { readonly step: string; readonly field: string }
  readonly present: string
  readonly absent: string
}

export type Step = AgentStep | AgentDecisionStep | LoopDecisionStep | ForkStep | ConditionalStep
export type StepType = Step["type"]

export interface Flow {
  /** From the path, not from `name` [F5]: `flows/legal/nda.yaml` is `legal:nda`. */
  readonly id: string
  readonly name: string
  readonly description: string
  readonly steps: readonly Step[]
  readonly inputs: Readonly<Record<string, InputSpec>>
  readonly outputs?: Readonly<Record<string, string>>
  readonly max_concurrent: number
  readonly task_required: boolean
  readonly task_prompt?: string
  readonly autonomous: boolean
  /** Milliseconds for the whole run. */
  readonly timeout?: number
  readonly config: Readonly<Record<string, Json>>
}

/** Where a step may lead by an explicit route (blockedBy is no route). `kind` names the key it is written under. */
export interface Route {
  readonly kind: "branch" | "loop" | "exit" | "present" | "absent" | "on_error" | "on_complete"
  readonly label?: string
  readonly target: string
}

export function routesOf(step: Step): Route[] {
  const routes: Route[] = []
  switch (step.type) {
    case "agent-decision":
    case "fork":
      for (const b of step.branches) routes.push({ kind: "branch", label: b.label, target: b.target })
      break
    case "agent-loop-decision":
      routes.push({ kind: "loop", label: "loop", target: step.loop_target })
      routes.push({ kind: "exit", label: "exit", target: step.exit_target })
      break
    case "conditional":
      routes.push({ kind: "present", label: "present", target: step.present })
      routes.push({ kind: "absent", label: "absent", target: step.absent })
      break
    case "agent":
      break
  }
  if (step.on_error !== undefined) routes.push({ kind: "on_error", target: step.on_error })
  if (step.on_complete !== undefined) routes.push({ kind: "on_complete", target: step.on_complete })
  return routes
}

/** [F10] Maximal runs of consecutive `agent` steps are one segment; every other step is one of its own. Indices into `steps`. */
export function segmentsOf(steps: readonly Step[]): number[][] {
  const segments: number[][] = []
  let open: number[] | undefined
  steps.forEach((step, i) => {
    if (step.type !== "agent") {
      segments.push([i])
      open = undefined
    } else if (open) open.push(i)
    else segments.push((open = [i]))
  })
  return segments
}
