// What every check of a flow looks at: the draft, where its parts stand, and the agents that are there.

import type { Agent } from "../agent.ts"
import type { AgentDecisionStep, AgentStep, Flow, ForkStep, LoopDecisionStep, Step } from "../flow.ts"
import type { FlowFace } from "../flow-face.ts"
import { pathsOf, type Paths } from "./flow-paths.ts"
import { graphOf, type Graph } from "../graph.ts"
import type { Draft, ParsedFlow } from "../parse/parse-flow.ts"
import type { Place } from "../parse/place.ts"
import type { Report } from "../parse/report.ts"
import { entryOf } from "../parse/source.ts"
import type { Node } from "../parse/yaml-tree.ts"

export interface FlowWorld {
  readonly agents: ReadonlyMap<string, Agent>
  /** Every flow that a child run can be made of; absent: nobody knows, and nothing is said about children. */
  readonly flows?: ReadonlyMap<string, FlowFace>
  /** Ids of this flow's steps that have a stored handler; absent: nobody knows. */
  readonly code?: ReadonlySet<string>
}

/** The built-in that decides a fork that names no agent [F21]. */
export const DECIDER = "flow-decision"

/** A step that could be read, with the place of its keys in the file. */
export interface Placed {
  readonly step: Step
  readonly index: number
  /** `step "x"`, for messages. */
  readonly where: string
  /** Of the key, or of the step's id when the key is absent. */
  keyAt(...path: (string | number)[]): Place
  valueAt(...path: (string | number)[]): Place
  node(...path: (string | number)[]): Node | undefined
}

export interface Scope {
  readonly parsed: ParsedFlow
  readonly flow: Flow
  readonly world: FlowWorld
  readonly report: Report
  /** Without the holes; those are not judged. */
  readonly steps: readonly Placed[]
  /** Every id in file order, the holes' among them: naming one of them is not naming nothing. */
  readonly ids: readonly string[]
  readonly order: ReadonlyMap<string, number>
  /** The step of that id, unless it is a hole. */
  step(id: string): Step | undefined
  readonly graph: Graph
  /** No step is a hole, each has an id of its own: only then can ways through the flow be followed. */
  readonly isWhole: boolean
  /** Computed when first asked for. */
  paths(): Paths
}

export function scopeOf(parsed: ParsedFlow, draft: Draft, world: FlowWorld, report: Report): Scope {
  const { flow, holes } = draft
  const graph = graphOf(flow)
  const steps = flow.steps.flatMap((step, index) => (holes.has(index) ? [] : [placed(parsed, step, index)]))
  const ids = flow.steps.map((s) => s.id).filter((id) => id !== "")
  const order = new Map([...graph.order].filter(([id]) => id !== ""))
  const byIndex = new Map(steps.map((s) => [s.index, s.step]))
  let paths: Paths | undefined
  return {
    parsed,
    flow,
    world,
    report,
    steps,
    ids,
    order,
    step: (id) => byIndex.get(order.get(id) ?? -1),
    graph,
    isWhole: holes.size === 0 && order.size === flow.steps.length,
    paths: () => (paths ??= pathsOf(flow, graph)),
  }
}

function placed(parsed: ParsedFlow, step: Step, index: number): Placed {
  const base = ["steps", index]
  const node = (...path: (string | number)[]): Node | undefined => nodeAt(parsed.source.root, [...base, ...path])
  const place = (path: (string | number)[], what: "key" | "value"): Place => {
    if (node(...path) !== undefined) return parsed.place([...base, ...path], what)
    return node("id") === undefined ? parsed.place(base) : parsed.place([...base, "id"])
  }
  return {
    step,
    index,
    where: step.id === "" ? `step ${index + 1}` : `step "${step.id}"`,
    node,
    keyAt: (...path) => place(path, "key"),
    valueAt: (...path) => place(path, "value"),
  }
}

export function nodeAt(root: Node | undefined, path: readonly (string | number)[]): Node | undefined {
  let node = root
  for (const part of path) {
    if (node?.kind === "map" && typeof part === "string") node = entryOf(node, part)?.value
    else if (node?.kind === "list" && typeof part === "number") node = node.items[part]
    else return undefined
  }
  return node
}

/** Does an agent work on the step? Only then are its `inputs` the agent's. */
export const runsAgent = (step: Step): step is AgentStep | AgentDecisionStep | LoopDecisionStep | ForkStep =>
  step.type === "agent" || step.type === "agent-decision" || step.type === "agent-loop-decision" || step.type === "fork"

/** The agent that a step runs, the built-in decider of a fork included; "" when it runs none. */
export function agentNameFor(step: Step): string {
  if (!runsAgent(step)) return ""
  return step.type === "fork" ? (step.agent ?? DECIDER) : step.agent
}

export const agentOf = (scope: Scope, step: Step): Agent | undefined => scope.world.agents.get(agentNameFor(step))
