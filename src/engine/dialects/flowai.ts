// flowai's tools, both ways [C1, C3, C6, T2]: `define_tool` with a handler `(args, ctx)` that answers plain JSON, with a small `glimpse`
// of it where it has one. Arguments are validated here before the handler sees them, which upstream leaves to the handler [C4].

import { Validator } from "@cfworker/json-schema"
import type { Json, JsonObject, JsonSchema } from "../../core/json.ts"
import { isObject } from "../../core/json.ts"
import type { ApprovalRule } from "../../core/policy/policy.ts"
import type { Tool, ToolPowers } from "../../ports/tool.ts"
import { defineTool, textOf, type ToolDefinition } from "./define-tool.ts"
import { normaliseSchema } from "./normalise-schema.ts"
import { ofTenant, type References, type Seen } from "./tenant-references.ts"

/** A service is an attribute of the context too: `ctx.db` is `ctx.services.db`. */
export type FlowaiContext = {
  readonly services: Readonly<Record<string, unknown>>
  readonly references: References
  readonly tool_use_id: string
  readonly secrets: (scope: string) => Promise<string | undefined>
  readonly signal: AbortSignal
  /** By key, as of a mapping: services, `run`, `step`, `agent`. */
  get(key: string, otherwise?: unknown): unknown
  readonly [service: string]: unknown
}

export interface FlowaiTool {
  readonly name: string
  readonly input_schema: unknown
  readonly description?: string
  /** Unset inherits; upstream's default is `never`, which would relax a tenant's floor unseen [C13]. */
  readonly approval?: ApprovalRule
  readonly output_schema?: JsonSchema
  /** Only the tool's own name: there is one registry here. */
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
  readonly references?: References
}

export function fromFlowai(
  given: FlowaiTool | Readonly<Record<string, unknown>>,
  host: FlowaiHost = {},
  more: Partial<Omit<ToolDefinition, "execute" | "name">> = {},
): Tool {
  const fields = new Map<string, unknown>()
  for (const [key, value] of Object.entries(given)) {
    const known = KEYS.get(key)
    if (known === undefined) throw new Error(`${key} is no field of a tool here; known: ${[...new Set(KEYS.values())].join(", ")}`)
    if (value !== undefined) fields.set(known, value)
  }
  for (const name of Object.keys(host.services ?? {}))
    if (RESERVED.has(name)) throw new Error(`a service may not be called ${name}: the context has that itself`)
  const name = fields.get("name")
  const handler = fields.get("handler")
  if (!isHandler(handler)) throw new Error(`the tool ${String(name)} has no handler (args, ctx)`)
  if (fields.has("binding_id") && fields.get("binding_id") !== name)
    throw new Error(`binding_id: not supported, a tool is bound by its name ${String(name)}`)
  const output = fields.has("output_schema") ? normalised(fields.get("output_schema")) : undefined
  return defineTool({
    ...more,
    name,
    description: fields.get("description") ?? "",
    parameters: fields.get("input_schema"),
    ...(fields.has("approval") ? { approval: fields.get("approval") } : {}),
    glimpse: true,
    async execute(callId: string, params: JsonObject, signal: AbortSignal, _onUpdate: unknown, powers: ToolPowers) {
      const seen = { outside: false }
      const answered = jsonOf(await handler(params, contextOf(host, callId, signal, powers, seen)))
      const { glimpse, ...rest } = isObject(answered) ? answered : {}
      const result: Json = isObject(answered) && glimpse !== undefined ? jsonOf(rest) : answered
      const wrong = output === undefined ? [] : new Validator(output, "2020-12", false).validate(result).errors.slice(0, 5)
      return {
        content: [{ type: "text", text: typeof result === "string" ? result : JSON.stringify(result) }],
        details: {
          result,
          ...(glimpse === undefined ? {} : { glimpse: jsonOf(glimpse) }),
          // For people: the model got what the tool said, and it is the tool that has to be mended [C5].
          ...(wrong.length === 0
            ? {}
            : { warnings: wrong.map((e) => `the result is not as output_schema says: ${e.instanceLocation} ${e.error}`) }),
        },
        ...(seen.outside ? { untrusted: true } : {}),
      }
    },
  })
}

/** A tool of ours for a host that speaks flowai's dialect. What the tool throws, the handler throws. */
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
    ...(approval === undefined ? {} : { approval }),
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

function contextOf(host: FlowaiHost, callId: string, signal: AbortSignal, powers: ToolPowers, seen: Seen): FlowaiContext {
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
      if (references === undefined) throw new Error("ctx.references: there are no references here")
      return references
    },
    tool_use_id: callId,
    secrets: async (scope) => powers.secrets?.get(scope),
    signal,
    get: (key, otherwise) => (Object.hasOwn(held, key) && held[key] !== undefined ? held[key] : otherwise),
  }
}

function normalised(given: unknown): JsonSchema {
  if (isObject(given) && !("properties" in given) && given["type"] !== "object" && "type" in given) return jsonOf(given) as JsonSchema
  const schema = normaliseSchema(given)
  if (!schema.ok) throw new Error(`output_schema: ${schema.error}`)
  return schema.value
}

const isHandler = (value: unknown): value is FlowaiTool["handler"] => typeof value === "function"

/** What JSON can hold of it; nothing is null. */
function jsonOf(value: unknown): Json {
  const text: string | undefined = JSON.stringify(value ?? null)
  if (text === undefined) throw new Error("the handler answered something that is no JSON")
  return JSON.parse(text)
}
