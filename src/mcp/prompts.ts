// Offers flows as MCP prompts [H12]: a person picks one and fills in the inputs, and the client's model is asked to call the flow with
// them.

import type { GetPromptResult, ListPromptsResult, Prompt } from "@modelcontextprotocol/server"
import { defined } from "../core/defined.ts"
import { literalOf } from "../core/flow/flow-face.ts"
import type { Json } from "../core/json.ts"
import type { McpCall } from "../ports/services.ts"
import { flowTool, INPUT_TASK, type FlowFace } from "./flow-tool.ts"
import { mainTools, startable, type ListedFlow } from "./list-tools.ts"
import { pageOf } from "./page-of.ts"
import { flowsOf } from "./tool-names.ts"
import { setOutValue } from "../core/outside/set-out.ts"

/** Lists the prompts; undefined: the cursor is invalid. */
export async function listPrompts(call: McpCall, cursor: string | undefined): Promise<ListPromptsResult | undefined> {
  const flows = await startable(call, (await mainTools(call)).builtins)
  const entries = flows.map(({ name, face }) => ({
    place: `1 ${name}`,
    entry: async () => {
      const found = await face()
      return found && promptOf(name, found)
    },
  }))
  const page = await pageOf(entries, cursor)
  return page && { prompts: page.data, ...defined({ nextCursor: page.nextCursor }) }
}

/** The flow behind a prompt's name, in any spelling. */
export async function promptFlow(call: McpCall, name: string): Promise<(ListedFlow & { readonly is: FlowFace }) | undefined> {
  const { builtins } = await mainTools(call)
  const flows = await startable(call, builtins)
  const meant = await flowsOf(name, builtins, async () => flows.map(({ id }) => id))
  const found = meant.flatMap((id) => flows.filter((flow) => flow.id === id))[0]
  const is = await found?.face()
  return found && is && { ...found, is }
}

interface Argument {
  readonly name: string
  readonly description?: string
  readonly required: boolean
}

export function argumentsOf({ inputs, task_required: required, task_prompt: prompt }: FlowFace): Argument[] {
  return [
    { name: "task", description: prompt ?? "What the run should do, in plain text", required },
    ...Object.entries(inputs).map(([input, spec]) => ({
      name: input === "task" ? INPUT_TASK : input,
      ...defined({ description: spec.description }),
      required: spec.required,
    })),
  ]
}

function promptOf(name: string, face: FlowFace): Prompt {
  return { name, title: face.name, description: flowTool(name, face).description, arguments: argumentsOf(face) }
}

/** The filled prompt, or a string with the fault of an argument. */
export function filledPrompt(
  { name, is }: ListedFlow & { readonly is: FlowFace },
  given: Readonly<Record<string, string>>,
): GetPromptResult | string {
  const args: Record<string, Json> = {}
  for (const { name: argument, required } of argumentsOf(is)) {
    const text = Object.hasOwn(given, argument) ? given[argument] : undefined
    if (text === undefined || text === "") {
      if (required) return `the argument ${argument} is required`
      continue
    }
    const type = argument === "task" ? "string" : (is.inputs[argument === INPUT_TASK ? "task" : argument]?.type ?? "string")
    const value = literalOf(text, type)
    if (value === undefined) return `the argument ${argument} must be a value of the type ${type}`
    args[argument] = value
  }
  const known = new Set(argumentsOf(is).map((argument) => argument.name))
  const unknown = Object.keys(given).find((argument) => !known.has(argument))
  if (unknown !== undefined)
    return `there is no argument ${JSON.stringify(unknown.slice(0, 100))}; the arguments are ${[...known].join(", ")}`
  const text = `Call the tool ${name} with these arguments, then tell me what it found:\n\n${setOutValue(args)}`
  return { description: is.description, messages: [{ role: "user", content: { type: "text", text } }] }
}
