// A plan: the pinned definitions of a run, compiled for the kernel. Immutable, the same for the same pins, kept by their hash.
//
// A history and its plan are enough to fold a run: nothing is looked up while it goes [J6]. The plan is not in the journal;
// the hashes of what it is made of are (`run.started.pinned`), and those bodies never change [F72].

import type { Agent } from "../flow/agent.ts"
import type { Flow, Step } from "../flow/flow.ts"
import { graphOf, type Graph } from "../flow/graph.ts"
import type { Skill } from "../flow/skill.ts"
import type { ToolSpec } from "../tool/tool-spec.ts"

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
}

export interface PlanSource {
  readonly flow: Flow
  readonly agents: Readonly<Record<string, Agent>>
  readonly skills: Readonly<Record<string, Skill>>
  readonly tools: readonly ToolSpec[]
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
    // An agent may be called `constructor`: what was not pinned must not be found on the prototype.
    agents: Object.assign(Object.create(null), source.agents),
    skills: Object.assign(Object.create(null), source.skills),
    tools: new Map(source.tools.map((t) => [t.name, t])),
  }
}

/** The built-in decider of a fork that names no agent [F21]. */
export const FORK_DECIDER = "flow-decision"

/** Whose session a step is, if it can have one. */
export function agentNameOf(step: Step): string | undefined {
  switch (step.type) {
    case "agent":
    case "agent-decision":
    case "agent-loop-decision":
      return step.agent
    case "fork":
      return step.agent ?? FORK_DECIDER
    case "conditional":
    case "code":
    case "code-decision":
    case "flow-ref":
    case "map":
    case "wait":
      return undefined
  }
}

/** The labels that `finish.branch` may take [G5]; undefined for a step that does not decide. */
export function labelsOf(step: Step): readonly string[] | undefined {
  switch (step.type) {
    case "agent-decision":
    case "code-decision":
    case "fork":
      return step.branches.map((b) => b.label)
    case "agent-loop-decision":
      return ["loop", "exit"]
    case "agent":
    case "conditional":
    case "code":
    case "flow-ref":
    case "map":
    case "wait":
      return undefined
  }
}

/** [F17] The target step ids are accepted as synonyms of `loop` and `exit`. */
export function labelFor(step: Step, branch: string): string | undefined {
  if (step.type === "agent-loop-decision") {
    if (branch === "loop" || branch === "exit") return branch
    if (branch === step.exit_target) return "exit"
    return branch === step.loop_target ? "loop" : undefined
  }
  return labelsOf(step)?.includes(branch) ? branch : undefined
}

export function targetOf(step: Step, label: string): string | undefined {
  switch (step.type) {
    case "agent-decision":
    case "code-decision":
    case "fork":
      return step.branches.find((b) => b.label === label)?.target
    case "agent-loop-decision":
      return label === "loop" ? step.loop_target : label === "exit" ? step.exit_target : undefined
    case "conditional":
      return label === "present" ? step.present : label === "absent" ? step.absent : undefined
    case "wait":
      return label === "timeout" ? step.on_timeout : undefined
    case "agent":
    case "code":
    case "flow-ref":
    case "map":
      return undefined
  }
}

/** Is a route from `from` to `to` a step back (or to itself)? */
export function isBackward(plan: Plan, from: string, to: string): boolean {
  return (plan.graph.order.get(to) ?? 0) <= (plan.graph.order.get(from) ?? 0)
}
