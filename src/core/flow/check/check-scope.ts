// Provides the data that every check of a flow uses: the draft, the places of its parts in the file, and the existing agents.

import type { Scorer } from "../scorer.ts"
import type { Agent } from "../agent.ts"
import { agentNameOf, type Flow, type InputType, type Step } from "../flow.ts"
import type { FlowFace } from "../flow-face.ts"
import type { ToolTraits } from "./check-trifecta.ts"
import type { Paths } from "./flow-paths.ts"
import type { Graph } from "../graph.ts"
import type { ParsedFlow } from "../parse/parsed-flow.ts"
import type { SourcePlace } from "../parse/place.ts"
import type { Report } from "../parse/report.ts"
import { entryOf } from "../parse/source.ts"
import type { YamlNode } from "../parse/yaml-tree.ts"
import type { TemplateReference } from "../template.ts"

export interface FlowWorld {
  readonly agents: ReadonlyMap<string, Agent>
  /** Names of agents and ids of flows that are there, and have errors of their own; absent: none. */
  readonly broken?: {
    readonly agents: ReadonlySet<string>
    readonly flows?: ReadonlySet<string>
    /** Files of tools that have errors of their own. */
    readonly toolFiles?: readonly string[]
  }
  /** Every flow that a child run can use; absent: unknown, so children are not checked. */
  readonly flows?: ReadonlyMap<string, FlowFace>
  /** Ids of this flow's steps that have a stored handler; absent: unknown. */
  readonly code?: ReadonlySet<string>
  /** [F26] Every tool that exists, by name; absent: unknown. */
  readonly tools?: ReadonlyMap<string, ToolTraits>
  /** [V26] Every scorer that loads; absent: unknown, because no step has `until`. */
  readonly scorers?: (name: string) => Scorer | undefined
}

/** A parsed step with the places of its keys in the file. */
export interface Placed {
  readonly step: Step
  readonly index: number
  /** `step "x"`, for messages. */
  readonly where: string
  /** The place of the key, or of the step's id if the key is absent. */
  keyAt(...path: (string | number)[]): SourcePlace
  valueAt(...path: (string | number)[]): SourcePlace
  node(...path: (string | number)[]): YamlNode | undefined
}

export interface CheckScope {
  readonly parsed: ParsedFlow
  readonly flow: Flow
  readonly world: FlowWorld
  readonly report: Report
  /** All steps except holes, which are not checked. */
  readonly steps: readonly Placed[]
  /** Every id in file order, including holes: a reference to a hole is not an error. */
  readonly ids: readonly string[]
  readonly order: ReadonlyMap<string, number>
  /** The step with this id, unless it is a hole. */
  step(id: string): Step | undefined
  readonly graph: Graph
  /** No step is a hole and every id is unique. Only then can checks follow paths through the flow. */
  readonly isWhole: boolean
  /** Computed on first use. */
  paths(): Paths
  /** The JSON type of a template that is a single reference. */
  typeOf(ref: TemplateReference): ValueType
}

/** The type of a value. `any`: known only at run time. */
export type ValueType = InputType | "any"

export function nodeAt(root: YamlNode | undefined, path: readonly (string | number)[]): YamlNode | undefined {
  let node = root
  for (const part of path) {
    if (node?.kind === "map" && typeof part === "string") node = entryOf(node, part)?.value
    else if (node?.kind === "list" && typeof part === "number") node = node.items[part]
    else return undefined
  }
  return node
}

/** The agent of a step; undefined if the agent does not exist or the step has none. */
export const agentOf = (scope: CheckScope, step: Step): Agent | undefined => scope.world.agents.get(agentNameOf(step) ?? "")
