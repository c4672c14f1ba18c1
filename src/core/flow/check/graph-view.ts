// Describes a flow as nodes and edges, for drawing: the edges of its file, plus where a run continues without a route; and the inputs of a
// start, for a form.
//
// `next` is falling through [F10]: from the last steps of a segment to the first steps of the nearest segment that the run can enter.
// It passes steps that a decision excludes on every path that leads here [F15], and steps that only `on_error` reaches.

import { defined } from "../../defined.ts"
import {
  childFlowOf,
  ownTools,
  routesOf,
  runsChildren,
  type Flow,
  type InputSpec,
  type StepRoute,
  type Step,
  type StepType,
} from "../flow.ts"
import type { SaidStart } from "../../start/start-block.ts"
import { graphOf, type Graph } from "../graph.ts"

export interface GraphNode {
  readonly id: string
  readonly type: StepType
  readonly agent?: string
  /** The flow that a child run runs. */
  readonly flow?: string
  readonly description?: string
  /** Index of its segment in file order: the steps of a segment run in parallel. */
  readonly segment: number
  readonly max_iterations?: number
  /** Of a wait: the signal that ends it, and after how many milliseconds it ends without. */
  readonly signal?: string
  readonly timeout?: number
  /** Of a map: the reference to its list. */
  readonly over?: string
  /** The tools that the step calls itself. */
  readonly tools?: readonly string[]
}

export interface GraphEdge {
  readonly from: string
  readonly to: string
  /** A `blockedBy` edge leads from the step that is waited for to the step that waits. */
  readonly kind: StepRoute["kind"] | "blockedBy" | "next"
  /** The label of a branch. */
  readonly label?: string
}

/** The inputs of a start of the flow. */
export interface FlowStart {
  readonly description: string
  readonly inputs: Readonly<Record<string, InputSpec>>
  readonly task_required: boolean
  /** What the flow asks for as its task. */
  readonly task_prompt?: string
  /** [R23] The flow's `start` block: times are milliseconds. */
  readonly block?: SaidStart
}

export interface GraphView {
  readonly nodes: readonly GraphNode[]
  readonly edges: readonly GraphEdge[]
  readonly start: FlowStart
}

/** Edges to missing steps are left out; the check reports them. */
export function graphView(flow: Flow): GraphView {
  const graph = graphOf(flow)
  const edges = flow.steps.flatMap((step) => [
    ...step.blockedBy.map((from): GraphEdge => ({ from, to: step.id, kind: "blockedBy" })),
    ...routesOf(step).map(({ kind, label, target }): GraphEdge => ({
      from: step.id,
      to: target,
      kind,
      ...(kind === "branch" && label !== undefined ? { label } : {}),
    })),
  ])
  const known = edges.filter((edge) => graph.order.has(edge.from) && graph.order.has(edge.to))
  const nodes = flow.steps.map((step, i) => nodeOf(step, graph.segmentOf[i] ?? 0))
  return { nodes, edges: [...known, ...fallsOf(flow, graph)], start: startOf(flow) }
}

const startOf = ({ description, inputs, task_required, task_prompt, start: block }: Flow): FlowStart => ({
  description,
  inputs,
  task_required,
  ...defined({ task_prompt, block }),
})

function nodeOf(step: Step, segment: number): GraphNode {
  const { id, type, description } = step
  const agent = "agent" in step ? step.agent : undefined
  const flow = runsChildren(step) ? childFlowOf(step) : undefined
  const cap = "max_iterations" in step ? step.max_iterations : undefined
  const { signal, timeout } = step.type === "wait" ? step : {}
  const over = step.type === "map" ? step.over : undefined
  const tools = ownTools(step)
  return {
    id,
    type,
    ...defined({ agent, flow, description }),
    segment,
    ...defined({ max_iterations: cap, signal, timeout, over }),
    ...(tools.length === 0 ? {} : { tools }),
  }
}

function fallsOf(flow: Flow, graph: Graph): GraphEdge[] {
  const segments = graph.segments.map((segment) => segment.flatMap((i) => flow.steps[i] ?? []))
  const firsts = segments.map((members) => members.filter((e) => isFirst(e, members) && !graph.onlyByError.has(e.id)))
  const mayFollow = followers(graph)
  const falls: GraphEdge[] = []
  segments.forEach((members, s) => {
    for (const step of members.filter((m) => isLast(m, members) && mayFall(m, graph))) {
      for (let next = s + 1; next < segments.length; next++) {
        const first = (firsts[next] ?? []).filter((e) => mayFollow(step.id, e.id))
        if (first.length === 0) continue
        falls.push(...first.map((e): GraphEdge => ({ from: step.id, to: e.id, kind: "next" })))
        break
      }
    }
  })
  return falls
}

const isFirst = (step: Step, members: readonly Step[]): boolean => !members.some((m) => step.blockedBy.includes(m.id))
const isLast = (step: Step, members: readonly Step[]): boolean => !members.some((m) => m.blockedBy.includes(step.id))

const LEAVING: ReadonlySet<StepRoute["kind"]> = new Set(["branch", "loop", "exit", "present", "absent", "on_complete"])

/** False if a successful step always takes a forward route. A decision whose branches all lead back falls through when exhausted [F18]. */
function mayFall(step: Step, graph: Graph): boolean {
  const at = graph.order.get(step.id) ?? 0
  return !routesOf(step).some(({ kind, target }) => LEAVING.has(kind) && (graph.order.get(target) ?? Number.MAX_SAFE_INTEGER) > at)
}

/** Does every decision have a choice that runs `from` and does not exclude `to`? Only those that may exclude `to` are asked. */
function followers(graph: Graph): (from: string, to: string) => boolean {
  const choicesOf = new Map(
    Object.entries(graph.exclusions).map(([decider, labels]) => [decider, Object.values(labels).map((excluded) => new Set(excluded))]),
  )
  return (from, to) =>
    (graph.excluders.get(to) ?? []).every((decider) => {
      if ((graph.order.get(decider) ?? 0) >= (graph.order.get(from) ?? 0)) return true
      const choices = (choicesOf.get(decider) ?? []).filter((excluded) => !excluded.has(from))
      return choices.length === 0 || choices.some((excluded) => !excluded.has(to))
    })
}
