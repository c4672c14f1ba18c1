// defineTool: creates a tool from one object with keys in camelCase or snake_case [A1, C1]. An unknown key is an error, never ignored; a
// tool that cannot run is refused at its definition, not at its call.

import { isObject, type JsonObject } from "../../core/json.ts"
import { nearest } from "../../core/text/nearest.ts"
import { parseApprovalRule } from "../../core/tool/policy/approval-rule.ts"
import type { ApprovalRule } from "../../core/tool/policy/policy.ts"
import { GROUPS } from "../../core/tool/policy/tool-names.ts"
import { ok } from "../../core/result.ts"
import { messageOf } from "../../core/text/fault-text.ts"
import type { Effect, ToolContext, ToolGroup, ToolSpec } from "../../core/tool/tool-spec.ts"
import type { Tool, ToolOutcome } from "../../ports/tool.ts"
import { normalizeSchema } from "./normalize-schema.ts"

type Execute = Tool["execute"]

/** Each key may also be in snake_case: `required_secret_scopes`. `input_schema` is an alias of `parameters`. */
export interface ToolDefinition extends Partial<Omit<ToolSpec, "name" | "parameters" | Data>> {
  readonly name: string
  /** JSON Schema, zod, or `{field: type}`. Absent: no arguments. */
  readonly parameters?: unknown
  readonly input_schema?: unknown
  readonly inputSchema?: unknown
  readonly execute: Execute
  /** A line for the model before the description, and usage rules after it: shown only where the tool is granted. */
  readonly promptSnippet?: string
  readonly promptGuidelines?: readonly string[]
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9_.:/-]{0,127}$/
const EFFECTS: readonly Effect[] = ["none", "read", "write"]
const CONTEXTS: readonly ToolContext[] = ["main", "agent", "architect"]

type Read<T> = (value: unknown, key: string) => T

const fail = (key: string, what: string): never => {
  throw new Error(`${key}: ${what}`)
}
const text: Read<string> = (value, key) => (typeof value === "string" && value.trim() !== "" ? value : fail(key, "must be a text"))
const flag: Read<boolean> = (value, key) => (typeof value === "boolean" ? value : fail(key, "must be true or false"))
const texts: Read<readonly string[]> = (value, key) =>
  Array.isArray(value) && value.every((item): item is string => typeof item === "string") ? value : fail(key, "must be a list of texts")
const oneOf =
  <T extends string>(choices: readonly T[]): Read<T> =>
  (value, key) =>
    choices.find((choice) => choice === value) ?? fail(key, `must be one of ${choices.join(", ")}`)
const listOf =
  <T extends string>(choices: readonly T[]): Read<readonly T[]> =>
  (value, key) =>
    Array.isArray(value) ? value.map((item) => oneOf(choices)(item, key)) : fail(key, "must be a list")
const ms: Read<number> = (value, key) =>
  typeof value === "number" && Number.isInteger(value) && value > 0 ? value : fail(key, "must be a whole number of milliseconds")
const rule: Read<ApprovalRule> = (value, key) => {
  const read = parseApprovalRule(value)
  return read.ok ? read.value : fail(key, read.error.message)
}
const shape =
  <T>(): Read<T> =>
  (value, key) =>
    isObject(value) ? (value as T) : fail(key, "must be an object")

/** Keys of tools that are data: their definitions say what they are. */
type Data = "preview" | "undoable" | "overrides"

/** Every key but name, parameters and execute. */
const READ = {
  label: text,
  effect: oneOf(EFFECTS),
  idempotent: flag,
  resumes: flag,
  contexts: listOf(CONTEXTS),
  paths: shape<NonNullable<ToolSpec["paths"]>>(),
  timeout: ms,
  truncate: oneOf(["head", "tail"] as const),
  same: text,
  groups: listOf<ToolGroup>(GROUPS),
  untrusted: flag,
  private: flag,
  reach: shape<NonNullable<ToolSpec["reach"]>>(),
  approval: rule,
  requiredSecretScopes: texts,
  glimpse: flag,
  simulate: text,
  render: shape<NonNullable<ToolSpec["render"]>>(),
} as const satisfies {
  readonly [K in Exclude<keyof ToolSpec, "name" | "description" | "parameters" | Data>]-?: Read<NonNullable<ToolSpec[K]>>
}

const KNOWN: readonly string[] = [
  "name",
  "description",
  "parameters",
  "inputSchema",
  "execute",
  "promptSnippet",
  "promptGuidelines",
  ...Object.keys(READ),
]

/** Throws an Error that names the tool and the faulty key. */
export function defineTool(definition: ToolDefinition | Readonly<Record<string, unknown>>): Tool {
  const given = isObject(definition) ? definition : fail("defineTool", "takes an object")
  const name = given["name"]
  if (typeof name !== "string" || !NAME.test(name)) throw new Error("a tool needs a name: letters, digits and _ . : / -, at most 128")
  try {
    return toolOf(name, camel(given))
  } catch (e) {
    throw new Error(`the tool ${name} cannot be defined: ${messageOf(e)}`, { cause: e })
  }
}

function toolOf(name: string, fields: ReadonlyMap<string, unknown>): Tool {
  const execute = fields.get("execute")
  if (!isExecute(execute)) return fail("execute", "must be a function (toolCallId, params, signal, onUpdate, powers)")
  if (fields.has("parameters") && fields.has("inputSchema")) fail("inputSchema", "is an alias of parameters: give only one of them")
  const given = fields.get("parameters") ?? fields.get("inputSchema")
  const parameters = given === undefined ? ok(NO_ARGUMENTS) : normalizeSchema(given)
  if (!parameters.ok) return fail("parameters", parameters.error)
  const read: Record<string, unknown> = {}
  for (const [key, reader] of Object.entries(READ)) {
    const value = fields.get(key)
    if (value !== undefined) read[key] = reader(value, key)
  }
  const spec: Partial<ToolSpec> = read
  return {
    // A tool that does not declare its effect counts as a write.
    effect: "write",
    contexts: ["agent"],
    ...spec,
    name,
    description: described(fields),
    parameters: parameters.value,
    execute,
  }
}

const NO_ARGUMENTS: JsonObject = { type: "object", properties: {}, additionalProperties: false }

const isExecute = (value: unknown): value is Execute => typeof value === "function"

function described(fields: ReadonlyMap<string, unknown>): string {
  const own = fields.get("description")
  const description = own === undefined || own === "" ? "" : text(own, "description")
  const snippet = fields.get("promptSnippet")
  const guidelines = texts(fields.get("promptGuidelines") ?? [], "promptGuidelines")
  const head = snippet === undefined ? [] : [text(snippet, "promptSnippet")]
  return [...head, ...(description === "" ? [] : [description]), ...guidelines.map((line) => `- ${line}`)].join("\n")
}

function camel(given: Readonly<Record<string, unknown>>): ReadonlyMap<string, unknown> {
  const fields = new Map<string, unknown>()
  for (const [key, value] of Object.entries(given)) {
    const name = key.replaceAll(/(?<=[a-z])_([a-z])/g, (_, letter: string) => letter.toUpperCase())
    if (!KNOWN.includes(name)) {
      const near = nearest(name, KNOWN)
      fail(key, `is unknown${near === undefined ? "" : `; did you mean ${near}?`}`)
    }
    if (fields.has(name)) fail(key, `is given twice, also as ${name}`)
    if (value !== undefined) fields.set(name, value)
  }
  return fields
}

/** Defines several tools that share a value, such as a connection [D5]; refuses duplicate names [D4]. */
export function defineTools<Shared>(shared: Shared, make: (shared: Shared) => readonly ToolDefinition[]): readonly Tool[] {
  const tools = make(shared).map(defineTool)
  const names = new Set<string>()
  for (const { name } of tools) {
    if (names.has(name)) throw new Error(`two tools are called ${name}`)
    names.add(name)
  }
  return tools
}

/** Shared by the other dialects: an outcome's text as a model reads it. */
export const textOf = (content: ToolOutcome["content"]): string =>
  content.map((part) => (part.type === "text" ? part.text : `[${part.mimeType}]`)).join("\n")
