// A flow as data, after parsing: defaults filled in, names checked, templates still text [F4, F40].
//
// A step type is an interface here, a case of `routesOf`, and a file in core/steps, which holds everything else about it.

import type { Amount } from "../money/amount.ts"
import type { Json } from "../json.ts"
import type { Approvals } from "../policy/policy.ts"

export type InputType = "string" | "number" | "boolean" | "object" | "array"

/** A typed input of a flow: `inputs: {topic: {type: string, required: true}}`. */
export interface InputSpec {
  readonly type: InputType
  readonly required: boolean
  readonly default?: Json
  readonly description?: string
}

/** Where a label leads. Branches are a list, not a map: labels keep the order of the file even when they look like numbers. */
export interface Branch {
  readonly label: string
  readonly target: string
}

/** [F35] Run the step again after a soft failure: at most `max` times, `backoff` ms, doubling. */
export interface RetrySpec {
  readonly max: number
  readonly backoff: number
}

/** What every step has. */
export interface StepBase {
  readonly id: string
  readonly description?: string
  readonly blockedBy: readonly string[]
  /** Milliseconds. */
  readonly timeout?: number
  readonly retry?: RetrySpec
  readonly on_error?: string
  readonly on_complete?: string
  /** [B1] Of each pass of this step. */
  readonly budget?: Amount
}

export interface AgentStep extends StepBase {
  readonly type: "agent"
  readonly agent: string
  readonly task?: string
  readonly inputs: Readonly<Record<string, string>>
  readonly model?: string
  /** [J25] Template of a sticky session's name. A session that does not exist is created. */
  readonly session?: string
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
  /** "Other (describe)": the deciding agent gets the person's own words. Needs an agent. */
  readonly allowCustom: boolean
  /** Several options at once: their branches run in file order, each once; forward branches only. */
  readonly multiSelect: boolean
}

export interface ConditionalStep extends StepBase {
  readonly type: "conditional"
  /** `STEP` or `STEP.FIELD`; the default field is `artifacts` [F22]. */
  readonly check: { readonly step: string; readonly field: string }
  readonly present: string
  readonly absent: string
}

/** [F24] A handler in a sandbox. `inputs` that are exactly one reference keep their JSON type. */
export interface CodeStep extends StepBase {
  readonly type: "code"
  readonly inputs: Readonly<Record<string, string>>
  /** Names of the keys that the handler returns, exactly these. */
  readonly outputs: readonly string[]
  /** Path of the handler in the catalog's code, when it is not `code/FLOW/STEP.ts`. */
  readonly target?: string
}

/** [F25] The handler's result has `branch` besides its outputs; any failure is hard. */
export interface CodeDecisionStep extends StepBase {
  readonly type: "code-decision"
  readonly inputs: Readonly<Record<string, string>>
  readonly outputs: readonly string[]
  readonly target?: string
  readonly branches: readonly Branch[]
  readonly max_iterations?: number
  readonly on_exhausted?: string
}

/** [F23] A child run; its final finish is this step's result, its declared outputs are this step's outputs. */
export interface FlowRefStep extends StepBase {
  readonly type: "flow-ref"
  /** A flow id; a `path` was resolved to its id when the file was parsed. */
  readonly flow: string
  readonly task?: string
  readonly inputs: Readonly<Record<string, string>>
}

/** One child run for every item of a list. In `task` and `inputs` the templates `${{item}}`, `${{item.FIELD}}` and `${{index}}` are known. */
export interface MapStep extends StepBase {
  readonly type: "map"
  /** Exactly one reference to a list, at most 10,000 items. */
  readonly over: string
  /** A flow id. */
  readonly do: string
  readonly task?: string
  readonly inputs: Readonly<Record<string, string>>
  /** Children at once; default 4, at most 100. */
  readonly max_concurrent: number
  /** How many children may fail before the step does: a count, or a share of all in percent. Absent: none. */
  readonly tolerate?: { readonly count: number } | { readonly percent: number }
}

/** Waits for exactly one of three: a time, a duration, a signal posted to the run. */
export interface WaitStep extends StepBase {
  readonly type: "wait"
  /** Template of an ISO 8601 time. */
  readonly until?: string
  /** Template of a duration (`30s`, `2h`, ms). */
  readonly for?: string
  /** Name of a signal: `POST /v1/runs/{id}/signals/NAME`; its body is the output `payload`. */
  readonly signal?: string
  /** With `timeout`: where to go when the signal does not come. Absent: a soft failure (`step_timeout`). */
  readonly on_timeout?: string
}

export type Step =
  | AgentStep
  | AgentDecisionStep
  | LoopDecisionStep
  | ForkStep
  | ConditionalStep
  | CodeStep
  | CodeDecisionStep
  | FlowRefStep
  | MapStep
  | WaitStep
export type StepType = Step["type"]

/** The built-in agent that decides a fork which names no agent [F21]. */
export const DECIDER = "flow-decision"

/** Steps that an agent works on: their `inputs` are the agent's. */
export type AgentRun = AgentStep | AgentDecisionStep | LoopDecisionStep | ForkStep
export const runsAgent = (step: Step): step is AgentRun => "agent" in step || step.type === "fork"

/** The agent whose session a step is, the built-in decider of a fork included. */
export const agentNameOf = (step: Step): string | undefined => (runsAgent(step) ? (step.agent ?? DECIDER) : undefined)

/** Steps that a stored handler works on. */
export type CodeRun = CodeStep | CodeDecisionStep
export const runsCode = (step: Step): step is CodeRun => step.type === "code" || step.type === "code-decision"

/** Steps that run another flow as a child, or one child for each item. */
export type ChildRun = FlowRefStep | MapStep
export const runsChildren = (step: Step): step is ChildRun => "flow" in step || "do" in step
export const childFlowOf = (step: ChildRun): string => (step.type === "map" ? step.do : step.flow)

/** Steps that choose among named branches, and may lead back up to a cap [F18]. */
export type BranchStep = AgentDecisionStep | CodeDecisionStep | ForkStep
export const hasBranches = (step: Step): step is BranchStep => "branches" in step

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
  /** [B1] Of a whole run. */
  readonly budget?: Amount
  readonly approvals?: Approvals
}

/** Where a step may lead by an explicit route; `blockedBy` is not a route. `kind` names the key in the file. */
export interface Route {
  readonly kind: "branch" | "loop" | "exit" | "present" | "absent" | "timeout" | "on_error" | "on_complete"
  readonly label?: string
  readonly target: string
}

export function routesOf(step: Step): Route[] {
  const routes: Route[] = []
  switch (step.type) {
    case "agent-decision":
    case "code-decision":
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
    case "wait":
      if (step.on_timeout !== undefined) routes.push({ kind: "timeout", label: "timeout", target: step.on_timeout })
      break
    case "agent":
    case "code":
    case "flow-ref":
    case "map":
      break
  }
  if (step.on_error !== undefined) routes.push({ kind: "on_error", target: step.on_error })
  if (step.on_complete !== undefined) routes.push({ kind: "on_complete", target: step.on_complete })
  return routes
}

/** Does choosing one route of the step exclude the others [F15]? */
export const excludes = (step: Step): boolean => hasBranches(step) || step.type === "conditional"

/** The labels that the finish of a step may name [G5]; undefined for a step whose agent or handler does not decide. */
export function labelsOf(step: Step): readonly string[] | undefined {
  if (hasBranches(step)) return step.branches.map((b) => b.label)
  return step.type === "agent-loop-decision" ? ["loop", "exit"] : undefined
}

/** [F17] A loop decision may also name its target steps: they are synonyms of `loop` and `exit`. */
export function labelFor(step: Step, branch: string): string | undefined {
  const labels = labelsOf(step)
  if (labels?.includes(branch)) return branch
  if (step.type !== "agent-loop-decision") return undefined
  return branch === step.exit_target ? "exit" : branch === step.loop_target ? "loop" : undefined
}

export const targetOf = (step: Step, label: string): string | undefined => routesOf(step).find((r) => r.label === label)?.target

/** [F10] `agent` steps that are neighbors in the file run side by side: they are one segment. Every other step is a segment of its own.
 *  Indices into `steps`. */
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
