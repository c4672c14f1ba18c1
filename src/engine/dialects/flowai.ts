// Converts tools to and from flowai's form [C1, C3, C6, T2]: `define_tool` with a handler `(args, ctx)` that returns plain JSON, with an
// optional small `glimpse` of it. Arguments are validated before the handler sees them, which upstream leaves to the handler [C4].

import { defined } from "../../core/defined.ts"
import type { Json, JsonObject, JsonSchema } from "../../core/json.ts"
import { isObject } from "../../core/json.ts"
import type { ApprovalRule } from "../../core/tool/policy/policy.ts"
import { judgeOf } from "../../core/schema/judge.ts"
import { measure } from "../../core/schema/measure.ts"
import { argErrors } from "../../core/schema/sentence.ts"
import type { Tool, ToolPowers } from "../../ports/tool.ts"
import { defineTool, textOf, type ToolDefinition } from "./define-tool.ts"
import { normalizeSchema } from "./normalize-schema.ts"
import { ofTenant, type DialectReferences, type ResolvedMarks } from "./tenant-references.ts"

/** Services are also attributes of the context: `ctx.db` is `ctx.services.db`. */
export type FlowaiContext = {
  readonly services: Readonly<Record<string, unknown>>
  readonly references: DialectReferences
  readonly tool_use_id: string
  readonly secrets: (scope: string) => Promise<string | undefined>
  readonly signal: AbortSignal
  /** Mapping access by key: services, `run`, `step`, `agent`. */
  get(key: string, otherwise?: unknown): unknown
  readonly [service: string]: unknown
}

export interface FlowaiTool {
  readonly name: string
  readonly input_schema: unknown
  readonly description?: string
  /** Unset inherits; upstream's default `never` would silently relax a tenant's floor [C13]. */
  readonly approval?: ApprovalRule
  readonly output_schema?: JsonSchema
  /** Must be the tool's name: there is only one registry here. */
  readonly binding_id?: string
  handler(args: JsonObject, ctx: FlowaiContext): Promise<Json | undefined>
}

const KEYS: ReadonlyMap<string, string> = new Map([
  ["name", "name"],
  ["input_schema", "input_schema"],
  ["inputSchema", "input_schema"],
  ["description", "description"],
  ["approval", "approval"],
  ["output_schema", "output_schema"],
  ["outputSchema", "output_schema"],
  ["binding_id", "binding_id"],
  ["bindingId", "binding_id"],
  ["handler", "handler"],
])
const RESERVED: ReadonlySet<string> = new Set(["services", "references", "tool_use_id", "secrets", "signal", "get", "run", "step", "agent"])

export interface FlowaiHost {
  readonly services?: Readonly<Record<string, unknown>>
  readonly references?: DialectReferences
}

export function fromFlowai(
  given: FlowaiTool | Readonly<Record<string, unknown>>,
  host: FlowaiHost = {},
  more: Partial<Omit<ToolDefinition, "execute" | "name">> = {},
): Tool {
  const fields = new Map<string, unknown>()
  for (const [key, value] of Object.entries(given)) {
    const known = KEYS.get(key)
    if (known === undefined) throw new Error(`${key} is not a field of a flowai tool; known: ${[...new Set(KEYS.values())].join(", ")}`)
    if (value !== undefined) fields.set(known, value)
  }
  for (const name of Object.keys(host.services ?? {}))
    if (RESERVED.has(name)) throw new Error(`a service may not be called ${name}: the context already has that name`)
  const name = fields.get("name")
  const handler = fields.get("handler")
  if (!isHandler(handler)) throw new Error(`the tool ${String(name)} has no handler (args, ctx)`)
  if (fields.has("binding_id") && fields.get("binding_id") !== name)
    throw new Error(`binding_id: not supported, a tool is bound by its name ${String(name)}`)
  const output = fields.has("output_schema") ? normalized(fields.get("output_schema")) : undefined
  return defineTool({
    ...more,
    name,
    description: fields.get("description") ?? "",
    parameters: fields.get("input_schema"),
    ...(fields.has("approval") ? { approval: fields.get("approval") } : {}),
    glimpse: true,
    async execute(callId: string, params: JsonObject, signal: AbortSignal, _onUpdate: unknown, powers: ToolPowers) {
      const seen = { outside: false, private: false }
      const answered = jsonOf(await handler(params, contextOf(host, callId, signal, powers, seen)))
      const { glimpse, ...rest } = isObject(answered) ? answered : {}
      const result: Json = isObject(answered) && glimpse !== undefined ? jsonOf(rest) : answered
      const wrong = output === undefined ? [] : argErrors(judgeOf(output).findings(result, measure())).slice(0, 5)
      return {
        content: [{ type: "text", text: typeof result === "string" ? result : JSON.stringify(result) }],
        details: {
          result,
          ...(glimpse === undefined ? {} : { glimpse: jsonOf(glimpse) }),
          // For people: the model got the tool's result, and the tool needs a fix [C5].
          ...(wrong.length === 0 ? {} : { warnings: wrong.map((e) => `the result does not match output_schema: ${e.path} ${e.message}`) }),
        },
        ...(seen.outside ? { untrusted: true } : {}),
        ...(seen.private ? { private: true } : {}),
      }
    },
  })
}

/** A Sluice tool for a host that uses flowai's dialect. The handler throws what the tool throws. */
export function toFlowai(
  tool: Tool,
  powers: ToolPowers,
): Omit<FlowaiTool, "handler"> & {
  handler(args: JsonObject, ctx: { readonly tool_use_id: string; readonly signal?: AbortSignal }): Promise<Json>
} {
  const { name, description, parameters, approval } = tool
  return {
    name,
    description,
    input_schema: parameters,
    ...defined({ approval }),
    binding_id: name,
    async handler(args, ctx) {
      const signal = ctx.signal ?? new AbortController().signal
      const { content, details } = await tool.execute(ctx.tool_use_id, args, signal, undefined, powers)
      const kept = isObject(details) ? details : {}
      const result: Json = "result" in kept ? jsonOf(kept["result"]) : textOf(content)
      if (kept["glimpse"] === undefined) return result
      const glimpse = jsonOf(kept["glimpse"])
      return isObject(result) ? { ...(result as JsonObject), glimpse } : { result, glimpse }
    },
  }
}

function contextOf(host: FlowaiHost, callId: string, signal: AbortSignal, powers: ToolPowers, seen: ResolvedMarks): FlowaiContext {
  const services = Object.freeze({ ...host.services })
  const { run, step, agent } = powers.place ?? {}
  const held: Readonly<Record<string, unknown>> = { ...services, run, step, agent, tool_use_id: callId }
  return {
    ...services,
    run,
    step,
    agent,
    services,
    get references() {
      const references = host.references ?? (powers.references && ofTenant(powers.references, powers.place?.tainted === true, seen))
      if (references === undefined) throw new Error("ctx.references: no references are available here")
      return references
    },
    tool_use_id: callId,
    secrets: async (scope) => powers.secrets?.get(scope),
    signal,
    get: (key, otherwise) => (Object.hasOwn(held, key) && held[key] !== undefined ? held[key] : otherwise),
  }
}

function normalized(given: unknown): JsonSchema {
  if (isObject(given) && !("properties" in given) && given["type"] !== "object" && "type" in given) return jsonOf(given) as JsonSchema
  const schema = normalizeSchema(given)
  if (!schema.ok) throw new Error(`output_schema: ${schema.error}`)
  return schema.value
}

const isHandler = (value: unknown): value is FlowaiTool["handler"] => typeof value === "function"

/** The value as JSON; undefined becomes null. */
function jsonOf(value: unknown): Json {
  const text: string | undefined = JSON.stringify(value ?? null)
  if (text === undefined) throw new Error("the handler returned a value that is not JSON")
  return JSON.parse(text)
}
