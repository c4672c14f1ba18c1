// The server's own description: the operations of /openapi.json, and the fuzzer's only knowledge of routes.

import { isObject, type JsonObject } from "../../src/core/json.ts"
import type { Answer } from "./wire.ts"

export interface Operation {
  readonly id: string
  readonly method: string
  /** With `{name}` for parameters. */
  readonly path: string
  readonly names: readonly string[]
  readonly query: readonly { readonly name: string; readonly schema: JsonObject }[]
  /** Media type → schema; undefined: any bytes. */
  readonly bodies: readonly (readonly [type: string, schema: JsonObject | undefined])[]
  /** Status → the codes that its problem may have; empty for a status that is not a refusal. */
  readonly answers: ReadonlyMap<number, readonly string[]>
  readonly key: "tenant" | "admin" | "none"
}

export interface Document {
  readonly operations: readonly Operation[]
  readonly schemas: Readonly<Record<string, JsonObject>>
}

export function documentOf({ text }: Answer): Document {
  const whole: unknown = JSON.parse(text)
  const components = at(whole, "components")
  const operations = Object.entries(at(whole, "paths")).flatMap(([path, item]) =>
    Object.entries(isObject(item) ? item : {}).flatMap(([method, described]) =>
      isObject(described) ? [operationOf(method.toUpperCase(), path, described, components)] : [],
    ),
  )
  const schemas = Object.entries(at(components, "schemas")).flatMap(([name, schema]) =>
    isObject(schema) ? [[name, schema as JsonObject] as const] : [],
  )
  return { operations, schemas: Object.fromEntries(schemas) }
}

function operationOf(method: string, path: string, described: Record<string, unknown>, components: Record<string, unknown>): Operation {
  const parameters = Array.isArray(described["parameters"]) ? described["parameters"].filter(isObject) : []
  const security = Array.isArray(described["security"]) ? described["security"].filter(isObject) : []
  return {
    id: String(described["operationId"]),
    method,
    path,
    names: parameters.flatMap((p) => (p["in"] === "path" ? [String(p["name"])] : [])),
    query: parameters.flatMap((p) => (p["in"] === "query" ? [{ name: String(p["name"]), schema: at(p, "schema") as JsonObject }] : [])),
    bodies: Object.entries(at(at(described, "requestBody"), "content")).map(([type, media]) => {
      const schema = isObject(media) ? media["schema"] : undefined
      return [type, isObject(schema) ? (schema as JsonObject) : undefined] as const
    }),
    answers: new Map(
      Object.entries(at(described, "responses")).map(([status, answer]) => {
        const name = isObject(answer) && typeof answer["$ref"] === "string" ? (answer["$ref"].split("/").at(-1) ?? "") : ""
        return [Number(status), codesIn(at(components, "responses")[name])] as const
      }),
    ),
    key: security.some((s) => "admin" in s) ? "admin" : security.length > 0 ? "tenant" : "none",
  }
}

/** `code`'s enum, wherever it is in the problem's schema. */
function codesIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(codesIn)
  if (!isObject(value)) return []
  const code = at(at(value, "properties"), "code")["enum"]
  return Array.isArray(code) ? code.map(String) : Object.values(value).flatMap(codesIn)
}

const at = (value: unknown, name: string): Record<string, unknown> => {
  const child = isObject(value) ? value[name] : undefined
  return isObject(child) ? child : {}
}
