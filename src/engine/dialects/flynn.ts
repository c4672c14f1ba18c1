// Converts tools to and from Flynn's form [D1, D26, T2]: `{name, description, inputSchema, execute(args, {signal})} → {success, output,
// error?}`. Flynn returns failures as values, Sluice throws them; messages and details survive both conversions.

import { defined } from "../../core/defined.ts"
import type { Json, JsonObject, JsonSchema } from "../../core/json.ts"
import { isObject } from "../../core/json.ts"
import { ToolFailure, type Tool, type ToolPowers } from "../../ports/tool.ts"
import { thrownMessage } from "../run/call/tool-outcome.ts"
import { defineTool, textOf, type ToolDefinition } from "./define-tool.ts"

export interface FlynnResult {
  readonly success: boolean
  readonly output: Json
  readonly error?: string
}

export interface FlynnTool {
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonSchema
  readonly requiredSecretScopes?: readonly string[]
  execute(args: JsonObject, options: { readonly signal?: AbortSignal }): Promise<FlynnResult>
}

/** `more`: fields that this dialect lacks, such as `effect` and `groups`. */
export function fromFlynn(tool: FlynnTool, more: Partial<Omit<ToolDefinition, "execute" | "name">> = {}): Tool {
  const { name, description, inputSchema, requiredSecretScopes } = tool
  return defineTool({
    ...more,
    name,
    description,
    parameters: inputSchema,
    ...defined({ requiredSecretScopes }),
    async execute(_callId, params, signal) {
      const result: unknown = await tool.execute(params, { signal })
      if (!isObject(result) || typeof result["success"] !== "boolean") throw new Error(`${name} did not return {success, output, error}`)
      const { success, output, error } = result
      const shown = typeof output === "string" ? output : output === undefined || output === null ? "" : JSON.stringify(output)
      const details = typeof output === "object" && output !== null ? { details: jsonOf(output) } : {}
      if (success) return { content: [{ type: "text", text: shown }], ...details }
      const said = typeof error === "string" && error !== "" ? error : shown || `${name} failed without a reason`
      throw new ToolFailure([{ type: "text", text: said }], details.details ?? {})
    },
  })
}

/** A Sluice tool for a host that uses Flynn's dialect. Never rejects. */
export function toFlynn(tool: Tool, powers: ToolPowers): FlynnTool {
  const { name, description, parameters, requiredSecretScopes } = tool
  return {
    name,
    description,
    inputSchema: parameters,
    ...defined({ requiredSecretScopes }),
    async execute(args, { signal }) {
      try {
        const { content } = await tool.execute("flynn", args, signal ?? new AbortController().signal, undefined, powers)
        return { success: true, output: textOf(content) }
      } catch (e) {
        return { success: false, output: "", error: thrownMessage(e) || `${name} failed without a reason` }
      }
    },
  }
}

const jsonOf = (value: unknown): Json => JSON.parse(JSON.stringify(value))
