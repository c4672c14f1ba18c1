// What every check of a flow looks at: the draft, where its parts are in the file, and the agents that exist.

import type { Agent } from "../agent.ts"
import { agentNameOf, type Flow, type InputType, type Step } from "../flow.ts"
import type { FlowFace } from "../flow-face.ts"
import type { Paths } from "./flow-paths.ts"
import type { Graph } from "../graph.ts"
import type { ParsedFlow } from "../parse/parsed-flow.ts"
import type { Place } from "../parse/place.ts"
import type { Report } from "../parse/report.ts"
import { entryOf } from "../parse/source.ts"
import type { Node } from "../parse/yaml-tree.ts"
import type { Reference } from "../template.ts"

export interface FlowWorld {
  readonly agents: ReadonlyMap<string, Agent>
  /** Every flow that a child run can use; absent: unknown, and the check says nothing about children. */
  readonly flows?: ReadonlyMap<string, FlowFace>
  /** Ids of this flow's steps that have a stored handler; absent: unknown. */
  readonly code?: ReadonlySet<string>
}

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
  /** Without the holes, which are not checked. */
  readonly steps: readonly Placed[]
  /** Every id in file order, those of holes included: a reference to a hole is not a reference to nothing. */
  readonly ids: readonly string[]
  readonly order: ReadonlyMap<string, number>
  /** The step with that id, unless it is a hole. */
  step(id: string): Step | undefined
  readonly graph: Graph
  /** No step is a hole, and each has an id of its own: only then can ways through the flow be followed. */
  readonly isWhole: boolean
  /** Computed on first use. */
  paths(): Paths
  /** The JSON type that a reference gives when it is all of a template. */
  typeOf(ref: Reference): ValueType
}

/** `any`: known only when the flow runs. */
export type ValueType = InputType | "any"

export function nodeAt(root: Node | undefined, path: readonly (string | number)[]): Node | undefined {
  let node = root
  for (const part of path) {
    if (node?.kind === "map" && typeof part === "string") node = entryOf(node, part)?.value
    else if (node?.kind === "list" && typeof part === "number") node = node.items[part]
    else return undefined
  }
  return node
}

/** The agent that works on a step; undefined when it is missing, or no agent does. */
export const agentOf = (scope: Scope, step: Step): Agent | undefined => scope.world.agents.get(agentNameOf(step) ?? "")
