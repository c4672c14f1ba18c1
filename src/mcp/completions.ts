// completion/complete [H12]: values for an argument of a prompt or a resource template, as far as this key may see them.

import type { CompleteResult } from "@modelcontextprotocol/server"
import { z } from "zod"
import type { McpCall } from "../ports/services.ts"
import { INPUT_TASK } from "./flow-tool.ts"
import { promptFlow } from "./prompts.ts"
import { TEMPLATES } from "./resources.ts"

/** The protocol's own limit. */
const MAX_VALUES = 100 // limit: values of a completion over MCP → `hasMore`
const MAX_RUNS = 200 // limit: runs that a completion over MCP looks at → older ones are not offered

export interface CompletionRequest {
  readonly ref: { readonly type: "ref/prompt"; readonly name: string } | { readonly type: "ref/resource"; readonly uri: string }
  readonly argument: { readonly name: string; readonly value: string }
  readonly context?: { readonly arguments?: Readonly<Record<string, string>> | undefined } | undefined
}

/** Completes an argument; undefined: there is no such prompt or template. */
export async function complete(call: McpCall, { ref, argument, context }: CompletionRequest): Promise<CompleteResult | undefined> {
  const all =
    ref.type === "ref/prompt"
      ? await ofPrompt(call, ref.name, argument.name)
      : TEMPLATES.some(({ uriTemplate }) => uriTemplate === ref.uri)
        ? await ofTemplate(call, argument.name, context?.arguments ?? {})
        : undefined
  if (all === undefined) return undefined
  const said = argument.value.toLowerCase()
  const fitting = [...new Set(all)].filter((value) => value.toLowerCase().startsWith(said))
  const values = fitting.slice(0, MAX_VALUES)
  return { completion: { values, total: fitting.length, hasMore: fitting.length > values.length } }
}

/** What is known of an input before a run: its default, and the values of a boolean. */
async function ofPrompt(call: McpCall, name: string, argument: string): Promise<readonly string[] | undefined> {
  const flow = await promptFlow(call, name)
  if (!flow) return undefined
  const { inputs } = flow.is
  const input = argument === INPUT_TASK ? "task" : argument
  const spec = argument !== "task" && Object.hasOwn(inputs, input) ? inputs[input] : undefined
  const usual = spec?.default === undefined ? [] : [typeof spec.default === "string" ? spec.default : JSON.stringify(spec.default)]
  return [...usual, ...(spec?.type === "boolean" ? ["true", "false"] : [])]
}

async function ofTemplate(call: McpCall, variable: string, given: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const { caller, tenant } = call
  const reads = (scope: (typeof caller.scopes)[number]): boolean => caller.scopes.includes(scope)
  const skills = async (): Promise<readonly string[]> => (await tenant.catalog.files("skill")).data.map(({ id }) => id)
  switch (variable) {
    case "flow":
      return reads("catalog:read") ? (await tenant.catalog.files("flow")).data.map(({ id }) => id) : []
    case "skill":
      return reads("catalog:read") ? (await skills()).map((id) => id.split("/")[0] ?? "") : []
    case "file":
      return reads("catalog:read") ? (await skills()).flatMap((id) => inside(id, given["skill"])) : []
    case "run":
      return reads("runs:read") ? runIds(call) : []
    case "path":
      return reads("runs:read") && given["run"] !== undefined
        ? ((await tenant.run(given["run"]).files()) ?? []).map(({ path }) => path)
        : []
    case "question":
      return reads("runs:read") ? (await tenant.questions.open()).map(({ id }) => id) : []
    default:
      return []
  }
}

/** Without a skill, every file of every skill. */
function inside(id: string, skill: string | undefined): string[] {
  const slash = id.indexOf("/")
  return skill === undefined || id.slice(0, slash) === skill ? [id.slice(slash + 1)] : []
}

const Runs = z.object({ data: z.array(z.object({ id: z.string() })) })

async function runIds(call: McpCall): Promise<readonly string[]> {
  const answer = await call.ask("GET", `/v1/runs?limit=${MAX_RUNS}`)
  return answer.ok ? Runs.parse(await answer.json()).data.map(({ id }) => id) : []
}
