// Defines a flow as data, after parsing: defaults filled in, names checked, templates still as text [F4, F40].
//
// A step type is an interface here, a case of `routesOf`, and a file in core/steps with everything else.

import type { Amount } from "../money/amount.ts"
import type { Json, JsonObject } from "../json.ts"
import type { Agent } from "./agent.ts"
import type { Approvals } from "../tool/policy/policy.ts"
import type { SaidStart } from "../start/start-block.ts"
import type { Origin } from "./origin.ts"

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

/** [F35] Runs the step again after a soft failure: at most `max` times, after `backoff` ms, which doubles each time. */
export interface RetrySpec {
  readonly max: number
  readonly backoff: number
}

/** The fields of every step. */
export interface StepBase {
  readonly id: string
  readonly description?: string
  readonly blockedBy: readonly string[]
  /** Milliseconds. */
  readonly timeout?: number
  readonly retry?: RetrySpec
  readonly on_error?: string
  readonly on_complete?: string
  /** [B1] The limit of each pass of this step. */
  readonly budget?: Amount
}

/** [R38] How old the result of an equal pass of another run may be (ms). Absent: every pass is asked. */
type Cache = number

/** [V23] The step is done when a scorer finds its result good enough: `rounds` are the most passes of one entry, and a round begins at `from`. */
export interface UntilSpec {
  readonly scorer: string
  readonly at_least: number
  readonly rounds: number
  readonly from?: string
}

export interface AgentStep extends StepBase {
  readonly type: "agent"
  readonly cache?: Cache
  readonly until?: UntilSpec
  readonly agent: string
  readonly task?: string
  readonly inputs: Readonly<Record<string, string>>
  readonly model?: string
  /** [J25] Template of the name of a sticky session, which is created if it does not exist. */
  readonly session?: string
}

export interface AgentDecisionStep extends StepBase {
  readonly type: "agent-decision"
  readonly cache?: Cache
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
  /** "Other (describe)": the agent gets the person's free text and decides. Needs an agent. */
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

/** [F24] A handler in a sandbox. An input that is a single reference keeps its JSON type. */
export interface CodeStep extends StepBase {
  readonly type: "code"
  readonly cache?: Cache
  readonly inputs: Readonly<Record<string, string>>
  /** The keys that the handler must return, and no others. */
  readonly outputs: readonly string[]
  /** The handler's path in the catalog, if it is not `code/FLOW/STEP.ts`. */
  readonly target?: string
  /** [F27] The tools that the handler may call. Absent: none, and it is pure. */
  readonly tools?: readonly string[]
  /** [G11] As of an agent. */
  readonly effects?: Agent["effects"]
}

/** [F26] A call of a tool, without an agent. */
export interface ToolStep extends StepBase {
  readonly type: "tool"
  readonly tool: string
  /** Every text in it is a template; one that is a single reference keeps its JSON type. */
  readonly args: JsonObject
  /** [G11] As of an agent. */
  readonly effects?: Agent["effects"]
}

/** [F25] The handler's result has `branch` in addition to its outputs; every failure is hard. */
export interface CodeDecisionStep extends StepBase {
  readonly type: "code-decision"
  readonly cache?: Cache
  readonly inputs: Readonly<Record<string, string>>
  readonly outputs: readonly string[]
  readonly target?: string
  readonly tools?: readonly string[]
  readonly effects?: Agent["effects"]
  readonly branches: readonly Branch[]
  readonly max_iterations?: number
  readonly on_exhausted?: string
}

/** [F23] A child run. Its final finish is this step's result, and its declared outputs are this step's outputs. */
export interface FlowRefStep extends StepBase {
  readonly type: "flow-ref"
  /** A flow id; parsing resolves a `path` to its id. */
  readonly flow: string
  readonly task?: string
  readonly inputs: Readonly<Record<string, string>>
  readonly until?: UntilSpec
}

/** A child run for every item of a list. `task` and `inputs` can use the templates `${{item}}`, `${{item.FIELD}}` and `${{index}}`. */
export interface MapStep extends StepBase {
  readonly type: "map"
  /** A single reference to a list of at most 10,000 items. */
  readonly over: string
  /** A flow id. */
  readonly do: string
  readonly task?: string
  readonly inputs: Readonly<Record<string, string>>
  /** How many children run at once; default 4, at most 100. */
  readonly max_concurrent: number
  /** How many children may fail before the step fails: a count or a percentage. Absent: none. */
  readonly tolerate?: { readonly count: number } | { readonly percent: number }
  /** [R32] The model calls of its children go through the provider's batch API. */
  readonly batch_api?: boolean
}

/** Waits for a time, a duration, or a signal posted to the run: exactly one of the three. */
export interface WaitStep extends StepBase {
  readonly type: "wait"
  /** Template of an ISO 8601 time. */
  readonly until?: string
  /** Template of a duration (`30s`, `2h`, ms). */
  readonly for?: string
  /** Name of a signal: `POST /v1/runs/{id}/signals/NAME`; its body is the output `payload`. */
  readonly signal?: string
  /** With `timeout`: the next step if the signal does not come. Absent: a soft failure (`step_timeout`). */
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
  | ToolStep
  | FlowRefStep
  | MapStep
  | WaitStep
export type StepType = Step["type"]

/** The built-in agent that decides a fork without an agent [F21]. */
export const DECIDER = "flow-decision"

/** Steps that run an agent: their `inputs` are the agent's inputs. */
export type AgentRun = AgentStep | AgentDecisionStep | LoopDecisionStep | ForkStep
export const runsAgent = (step: Step): step is AgentRun => "agent" in step || step.type === "fork"

/** The agent that the step runs, including a fork's built-in agent. */
export const agentNameOf = (step: Step): string | undefined => (runsAgent(step) ? (step.agent ?? DECIDER) : undefined)

/** Steps that run a stored handler. */
export type CodeRun = CodeStep | CodeDecisionStep
export const runsCode = (step: Step): step is CodeRun => step.type === "code" || step.type === "code-decision"

/** [R38] How old a result may be that the step takes over; undefined: it asks in every pass. */
export const cacheOf = (step: Step | undefined): number | undefined => (step && "cache" in step ? step.cache : undefined)

/** [V23] undefined: a pass that ends complete is the step's end. A wait has an `until` of its own. */
export const untilOf = (step: Step | undefined): UntilSpec | undefined =>
  step?.type === "agent" || step?.type === "flow-ref" ? step.until : undefined

/** [F26, F27] The tools that the step calls itself, without an agent. */
export const ownTools = (step: Step): readonly string[] => (step.type === "tool" ? [step.tool] : runsCode(step) ? (step.tools ?? []) : [])

/** Steps that run another flow as a child, or as a child for each item. */
export type ChildRun = FlowRefStep | MapStep
export const runsChildren = (step: Step): step is ChildRun => "flow" in step || "do" in step
export const childFlowOf = (step: ChildRun): string => (step.type === "map" ? step.do : step.flow)

/** Steps that choose among named branches, which may lead back up to a limit [F18]. */
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
  /** [K35] */
  readonly on_failure?: "undo"
  readonly config: Readonly<Record<string, Json>>
  /** [B1] The limit of a whole run. */
  readonly budget?: Amount
  readonly approvals?: Approvals
  /** [R1] Its keys are templates. */
  readonly start?: SaidStart
  /** [G11] What starts and messages bring that this flow does not take for text from outside. */
  readonly trusted?: readonly Origin[]
}

/** An explicit route of a step; `blockedBy` is not a route. `kind` is the key in the file. */
export interface StepRoute {
  readonly kind: "branch" | "loop" | "exit" | "present" | "absent" | "timeout" | "on_error" | "on_complete"
  readonly label?: string
  readonly target: string
}

export function routesOf(step: Step): StepRoute[] {
  const routes: StepRoute[] = []
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
    case "tool":
    case "flow-ref":
    case "map":
      break
  }
  if (step.on_error !== undefined) routes.push({ kind: "on_error", target: step.on_error })
  if (step.on_complete !== undefined) routes.push({ kind: "on_complete", target: step.on_complete })
  return routes
}

/** Tells whether choosing a route of the step excludes its other routes [F15]. */
export const excludes = (step: Step): boolean => hasBranches(step) || step.type === "conditional"

/** The labels that a step's finish can choose [G5]; undefined if the step's agent or handler does not decide. */
export function labelsOf(step: Step): readonly string[] | undefined {
  if (hasBranches(step)) return step.branches.map((b) => b.label)
  return step.type === "agent-loop-decision" ? ["loop", "exit"] : undefined
}

/** The labels that a step's finish chooses from: one label, or with `several` a list [F21]. */
export interface FinishChoice {
  readonly labels: readonly string[]
  readonly several: boolean
}

export function choiceOf(step: Step): FinishChoice | undefined {
  const labels = labelsOf(step)
  return labels && { labels, several: step.type === "fork" && step.multiSelect }
}

/** [F21] Labels in the file order of the steps that they lead to. */
export function inFileOrder(step: Step, labels: readonly string[], order: ReadonlyMap<string, number>): string[] {
  const place = (label: string): number => order.get(targetOf(step, label) ?? "") ?? 0
  return labels.toSorted((a, b) => place(a) - place(b))
}

/** [F17] In a loop decision, the names of the target steps are synonyms of `loop` and `exit`. */
export function labelFor(step: Step, branch: string): string | undefined {
  const labels = labelsOf(step)
  if (labels?.includes(branch)) return branch
  if (step.type !== "agent-loop-decision") return undefined
  return branch === step.exit_target ? "exit" : branch === step.loop_target ? "loop" : undefined
}

export const targetOf = (step: Step, label: string): string | undefined => routesOf(step).find((r) => r.label === label)?.target

/** [F10] Adjacent `agent` steps run in parallel and form a segment. Every other step is a separate segment.
 *  The result contains indices into `steps`. */
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
