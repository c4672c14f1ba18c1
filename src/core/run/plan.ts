// Compiles a plan: the pinned definitions of a run, for the kernel. Immutable, the same for the same pins, cached by their hash.
//
// A history and its plan are enough to fold a run: nothing is looked up during the run [J6]. The journal does not hold the plan; it holds
// the hashes of the plan's parts (`run.started.pinned`), and those bodies never change [F72].

import { defined } from "../defined.ts"
import type { Agent } from "../flow/agent.ts"
import { untilOf, type Flow, type Step } from "../flow/flow.ts"
import { graphOf, type Graph } from "../flow/graph.ts"
import type { Skill } from "../flow/skill.ts"
import type { Scorer } from "../flow/scorer.ts"
import type { ToolSpec } from "../tool/tool-spec.ts"
import { callersOf } from "./own/caller.ts"

export interface Plan {
  readonly flow: Flow
  readonly graph: Graph
  readonly steps: ReadonlyMap<string, Step>
  readonly stepIds: readonly string[]
  /** Segment → the ids of its steps, in file order. */
  readonly members: readonly (readonly string[])[]
  readonly agents: Readonly<Record<string, Agent>>
  readonly skills: Readonly<Record<string, Skill>>
  readonly tools: ReadonlyMap<string, ToolSpec>
  /** [T25] Tools that this instance lacks, with the reason. */
  readonly missing?: ReadonlyMap<string, string>
  /** [V23] The steps with `until`, and their scorers. */
  readonly judged: readonly string[]
  readonly scorers?: Readonly<Record<string, Scorer>>
}

export interface PlanSource {
  readonly flow: Flow
  readonly agents: Readonly<Record<string, Agent>>
  readonly skills: Readonly<Record<string, Skill>>
  readonly tools: readonly ToolSpec[]
  readonly missing?: ReadonlyMap<string, string>
  readonly scorers?: Readonly<Record<string, Scorer>>
}

export function compile(source: PlanSource): Plan {
  const graph = graphOf(source.flow)
  const stepIds = source.flow.steps.map((s) => s.id)
  return {
    flow: source.flow,
    graph,
    steps: new Map(source.flow.steps.map((s) => [s.id, s])),
    stepIds,
    members: graph.segments.map((segment) => segment.flatMap((i) => stepIds[i] ?? [])),
    // An agent may be called `constructor`: an agent that is not pinned must not be found on the prototype.
    agents: Object.assign(Object.create(null), source.agents, callersOf(source.flow)),
    skills: Object.assign(Object.create(null), source.skills),
    tools: new Map(source.tools.map((t) => [t.name, t])),
    judged: source.flow.steps.flatMap((step) => (untilOf(step) ? [step.id] : [])),
    ...defined({ missing: source.missing, scorers: source.scorers }),
  }
}

/** Tells whether a route from `from` to `to` leads back, or to itself. */
export function isBackward(plan: Plan, from: string, to: string): boolean {
  return (plan.graph.order.get(to) ?? 0) <= (plan.graph.order.get(from) ?? 0)
}
