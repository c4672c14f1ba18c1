// Presents a flow as an MCP tool [H12]: its schema is `task` plus the typed inputs, its result `{run, status, output}`.

import type { Tool } from "@modelcontextprotocol/server"
import { defined } from "../core/defined.ts"
import type { Flow, InputSpec } from "../core/flow/flow.ts"
import { parseFlow } from "../core/language/parse-flow.ts"
import type { Json, JsonObject } from "../core/json.ts"
import { Lru } from "../engine/lru.ts"

/** The fields of a flow that a list shows. */
export type FlowFace = Pick<Flow, "name" | "description" | "inputs" | "task_required" | "task_prompt">

/** By the file's hash, which determines the face: a list of many flows is read and parsed once. */
const faces = new Lru<FlowFace>(1000)

export const knownFace = (hash: string): FlowFace | undefined => faces.get(hash)

/** undefined: the file has an error, so a start would be refused. */
export function faceOf(id: string, content: string, hash: string): FlowFace | undefined {
  const { flow } = parseFlow(content, id)
  if (!flow) return undefined
  const { name, description, inputs, task_required, task_prompt } = flow
  const face = { name, description, inputs, task_required, ...defined({ task_prompt }) }
  faces.set(hash, face)
  return face
}

/** The argument for an input named `task`, since `task` is the run's task. */
export const INPUT_TASK = "inputs.task"

const OUTPUT: Tool["outputSchema"] = {
  type: "object",
  properties: {
    run: { type: "string", description: "The run's id" },
    status: { type: "string", description: "succeeded, failed or canceled; waiting if a person must answer first" },
    output: { description: "The last finish of the run; null if there is none" },
  },
  required: ["run", "status", "output"],
}

export function flowTool(name: string, { inputs, ...flow }: FlowFace): Tool {
  const own = Object.entries(inputs).map(([input, spec]) => ({ called: input === "task" ? INPUT_TASK : input, spec }))
  return {
    name,
    title: flow.name,
    description: flow.description === "" ? `Runs the flow ${flow.name}.` : flow.description,
    inputSchema: {
      type: "object",
      properties: {
        task: { type: "string", description: flow.task_prompt ?? "What the run should do, in plain text" },
        ...Object.fromEntries(own.map(({ called, spec }) => [called, property(spec)])),
      },
      required: [...(flow.task_required ? ["task"] : []), ...own.filter(({ spec }) => spec.required).map(({ called }) => called)],
      additionalProperties: false,
    },
    outputSchema: OUTPUT,
    // The agents' actions are unknown: they may be harmful, not repeatable, or leave the system.
    annotations: { title: flow.name, readOnlyHint: false, openWorldHint: true },
  }
}

const property = ({ type, description, default: otherwise }: InputSpec): { [key: string]: JsonObject[string] } => ({
  type,
  ...defined({ description, default: otherwise }),
})

/** [P1] The member of a call's `_meta` that names the run's thread, because all arguments belong to the flow. */
const THREAD_META = "dev.sluice/thread"

/** [R1] And the one that has the start's block. */
const START_META = "dev.sluice/start"

/** The body of a start; the start itself reports faults. */
export function startBody(
  args: JsonObject,
  { [THREAD_META]: thread, [START_META]: start }: Readonly<Record<string, unknown>> = {},
): JsonObject {
  const { task, [INPUT_TASK]: input, ...inputs } = args
  const named = {
    ...defined({ task }),
    ...(typeof thread === "string" ? { thread } : {}),
    ...(start === undefined ? {} : { start: start as Json }),
  }
  return { ...named, inputs: { ...inputs, ...defined({ task: input }) } }
}
