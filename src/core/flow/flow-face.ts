// Summarizes a child flow for its parent [F23]: its typed inputs, its outputs, and the flows that it runs.

import { isTooDeep, type Json, type JsonObject } from "../json.ts"
import { exactJson, isInexact } from "../outside/exact-json.ts"
import { pathsOf } from "./check/flow-paths.ts"
import { agentNameOf, childFlowOf, runsChildren, untilOf, type ChildRun, type Flow, type InputSpec, type InputType } from "./flow.ts"
import { graphOf } from "./graph.ts"

/** A step that runs another flow. */
export interface FlowUse {
  readonly step: string
  readonly flow: string
  readonly type: ChildRun["type"]
  /** Every path through the flow runs the step: running this flow always runs the other. */
  readonly always: boolean
}

export interface FlowFace {
  readonly inputs: Readonly<Record<string, InputSpec>>
  /** Names of the declared outputs. A child also has the fields that every result has. */
  readonly outputs: readonly string[]
  readonly uses: readonly FlowUse[]
  /** The agents of its steps. */
  readonly agents?: readonly string[]
  /** [V23] Its steps that a scorer judges; absent: none. */
  readonly judged?: readonly string[]
}

/** [F23] The maximum depth of child runs below the started run: the kernel limits runs, the check limits files. */
export const MAX_NESTING = 5 // limit: levels of child runs → `FV-FLOW-DEPTH`, and the child does not start

export function faceOf(flow: Flow): FlowFace {
  return { inputs: flow.inputs, outputs: Object.keys(flow.outputs ?? {}), uses: usesOf(flow), agents: agentsOf(flow), ...judgedIn(flow) }
}

function judgedIn({ steps }: Flow): Pick<FlowFace, "judged"> {
  const judged = steps.flatMap((step) => (untilOf(step) ? [step.id] : []))
  return judged.length === 0 ? {} : { judged }
}

const agentsOf = ({ steps }: Flow): string[] => [...new Set(steps.flatMap((step) => agentNameOf(step) ?? []))]

function usesOf(flow: Flow): FlowUse[] {
  const children = flow.steps.flatMap((step, index): { use: Omit<FlowUse, "always">; index: number }[] => {
    return runsChildren(step) ? [{ use: { step: step.id, flow: childFlowOf(step), type: step.type }, index }] : []
  })
  if (children.length === 0) return []
  const paths = pathsOf(flow, graphOf(flow))
  return children.map(({ use, index }) => ({ ...use, always: !paths.mayEndWithout(index) }))
}

/** The value of this type that the text represents, if any. `inputs: { count: 3 }` is the number 3 for a child whose input is a number. */
export function literalOf(text: string, type: InputType): Json | undefined {
  if (type === "string") return text
  const bare = text.trim()
  if (type === "number")
    return !isInexact(bare) && /^-?(?:0|[1-9]\d{0,308})(?:\.\d{1,308})?(?:[eE][+-]?\d{1,3})?$/.test(bare) && Number.isFinite(Number(bare))
      ? Number(bare)
      : undefined
  if (type === "boolean") return bare === "true" ? true : bare === "false" ? false : undefined
  const value = jsonIn(bare)
  if (type === "array") return Array.isArray(value) ? value : undefined
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined
}

function jsonIn(text: string): Json | undefined {
  try {
    const value = exactJson(text) as Json
    return isTooDeep(value) ? undefined : value
  } catch {
    return undefined
  }
}

/**
 * Converts a value to the type of an input: text is parsed, and a number or a boolean is written as a template writes it. A value that
 * cannot be converted stays as it is, and the flow refuses it.
 */
export function valueAs(value: Json, type: InputType): Json {
  if (typeof value === "string") return literalOf(value, type) ?? value
  return type === "string" && (typeof value === "number" || typeof value === "boolean") ? String(value) : value
}

/**
 * Converts the parent's inputs to the child's types: `count: 3` in a file becomes text as a template, and `${{index}}` alone is a number. A
 * missing value is not given, so the child's default applies [F40]; so is an empty text or null where the child wants another type.
 */
export function literalsOf(specs: Readonly<Record<string, InputSpec>>, inputs: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(inputs).flatMap(([name, given]): [string, Json][] => {
      const type = Object.hasOwn(specs, name) ? specs[name]?.type : undefined
      const value = given ?? ""
      if (type === undefined) return [[name, given]]
      return typeof value === "string" && value.trim() === "" && type !== "string" ? [] : [[name, valueAs(value, type)]]
    }),
  )
}
