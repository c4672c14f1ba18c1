// Values that a schema of the document allows; where the schema says "text" and a name says what kind of text, a meaningful one.

import { isObject, type Json, type JsonObject } from "../../src/core/json.ts"
import type { Chance } from "./chance.ts"
import { RECEIVER } from "./stand.ts"
import { AGENT_TEXT, FLOW_TEXT, HANDLER_TEXT, REHEARSAL_TEXT, SKILL_TEXT } from "./texts.ts"
import type { Ids } from "../service/possessions.ts"

const DEPTH = 6

export class Maker {
  readonly #schemas: Readonly<Record<string, JsonObject>>
  readonly #chance: Chance
  readonly #ids: Ids

  constructor(schemas: Readonly<Record<string, JsonObject>>, chance: Chance, ids: Ids) {
    this.#schemas = schemas
    this.#chance = chance
    this.#ids = ids
  }

  /** `name`: the member it is for. */
  of(schema: JsonObject, name = "", depth = 0): Json {
    const chance = this.#chance
    const meant = this.#meant(name, schema)
    if (meant !== undefined && chance.percent(85)) return meant
    const ref = schema["$ref"]
    if (typeof ref === "string") return this.of(this.#schemas[ref.split("/").at(-1) ?? ""] ?? {}, name, depth)
    if (schema["const"] !== undefined) return schema["const"]
    if (Array.isArray(schema["enum"])) return chance.of(schema["enum"])
    for (const one of ["anyOf", "oneOf"] as const) {
      const all = schema[one]
      if (Array.isArray(all)) return this.of(asSchema(chance.of(all)), name, depth)
    }
    if (Array.isArray(schema["allOf"])) {
      const parts = schema["allOf"].map((part) => this.of(asSchema(part), name, depth))
      return parts.every(isObject) ? Object.assign({}, ...parts) : (parts[0] ?? null)
    }
    const type = Array.isArray(schema["type"]) ? chance.of(schema["type"]) : schema["type"]
    switch (type) {
      case "object":
        return this.#object(schema, depth)
      case "array": {
        const least = numberOf(schema["minItems"], 0)
        const length = depth > DEPTH ? least : Math.min(numberOf(schema["maxItems"], 3), least + chance.below(3))
        return Array.from({ length }, () => this.of(asSchema(schema["items"]), name, depth + 1))
      }
      case "string":
        return this.#text(schema)
      case "integer":
      case "number": {
        const least = numberOf(schema["minimum"], 0)
        const most = Math.min(numberOf(schema["maximum"], least + 1_000), least + 1_000_000)
        return least + chance.below(most - least + 1)
      }
      case "boolean":
        return chance.percent(50)
      case "null":
        return null
      default:
        return chance.of<Json>([null, true, 1, "text", [1, "a"], { a: { b: [] } }])
    }
  }

  #object(schema: JsonObject, depth: number): JsonObject {
    const properties = isObject(schema["properties"]) ? Object.entries(schema["properties"]) : []
    const required = Array.isArray(schema["required"]) ? schema["required"] : []
    const chosen = properties.filter(([name]) => required.includes(name) || (depth <= DEPTH && this.#chance.percent(40)))
    const own = chosen.map(([name, child]) => [name, this.of(asSchema(child), name, depth + 1)] as const)
    const more = isObject(schema["additionalProperties"]) && depth <= DEPTH ? this.#chance.below(3) : 0
    const named = Array.from(
      { length: more },
      (_, at) => [`m${at}`, this.of(asSchema(schema["additionalProperties"]), "", depth + 1)] as const,
    )
    return Object.fromEntries([...own, ...named])
  }

  #text(schema: JsonObject): string {
    const { minLength, maxLength, pattern } = schema
    if (schema["format"] === "date-time") return "2026-11-22T07:00:00Z"
    const form = typeof pattern === "string" ? new RegExp(pattern) : undefined
    const found = WORDS.filter((word) => form === undefined || form.test(word)).filter((word) => word.length >= numberOf(minLength, 0))
    const word = found.length === 0 ? "x".repeat(numberOf(minLength, 1)) : this.#chance.of(found)
    return word.slice(0, numberOf(maxLength, word.length))
  }

  /** By name, for what a schema cannot express: which flow, which expression. */
  #meant(name: string, schema: JsonObject): Json | undefined {
    const all = this.#all(name)
    if (all === undefined || schema["enum"] !== undefined) return undefined
    return this.#chance.of(all)
  }

  #all(name: string): readonly Json[] | undefined {
    const own = (id: string): string => this.#ids[id] ?? "x"
    switch (name) {
      case "flow":
        return [own("flow"), "asks", "coded"]
      case "secret":
      case "scope":
        return [own("scope")]
      case "cron":
        return ["0 0 1 1 *", "*/5 9-17 * * 1-5", "0 0 29 2 *"]
      case "zone":
        return ["UTC", "Europe/Berlin", "America/St_Johns"]
      case "url":
      case "baseUrl":
      case "server":
        return [RECEIVER, `${RECEIVER}/a?b=c`]
      case "from":
        return ["2026-03-29T00:30:00Z", "2026-11-22T07:00:00+05:30"]
      case "expires":
        return ["2030-01-01T00:00:00Z"]
      case "runs":
      case "retention_max":
        return ["30d", "12h", 86_400_000]
      case "mapping":
        return [{ task: "${{trigger.body.text}}", inputs: { a: "${{trigger.headers.x-a}} of ${{trigger.query.q}}" } }]
      case "filter":
        return ['action == "opened"', "size > 3 && draft != true"]
      case "dedupe":
        return ["${{trigger.body.id}}"]
      case "openapi":
        return [{ openapi: "3.1.0", info: { title: "t", version: "1" }, paths: { "/a": { get: { operationId: "a", responses: {} } } } }]
      case "schema":
      case "parameters":
        return [{ type: "object", properties: { a: { type: "string", pattern: "^a+$" } }, required: ["a"] }, { type: "object" }]
      case "content":
        return [FLOW_TEXT, AGENT_TEXT, SKILL_TEXT, REHEARSAL_TEXT, HANDLER_TEXT]
      case "agents":
        return [{ "fuzzed.md": AGENT_TEXT }, {}]
      case "flows":
        return [{ "fuzzed.yaml": FLOW_TEXT }, {}]
      case "skills":
        return [{ "fuzzed/SKILL.md": SKILL_TEXT }, {}]
      case "code":
        return [{ "fuzzed/compute.ts": HANDLER_TEXT }, {}]
      case "files":
        return [{ "agents/other.md": AGENT_TEXT, "a/SKILL.md": SKILL_TEXT, "x.bin": "\u0000" }]
      case "origins":
        return [["https://app.sluice.invalid"], []]
      case "method":
        return ["GET", "POST"]
      case "turns":
        return [{ "*": [{ finish: { status: "complete", summary: "done" } }] }]
      case "dispatcher":
        return [{ url: RECEIVER, secret: own("scope") }]
      case "callback":
        return [{ url: RECEIVER, secret: own("scope") }]
      case "rehearse":
        return [true]
      case "args":
        return ["rm -rf", { a: "b" }]
      default:
        return undefined
    }
  }
}

const WORDS = [
  "abc",
  "fuzz-one",
  "1.0.0",
  "X-Signature",
  "Bearer",
  "30s",
  "script/model",
  "0".repeat(64),
  "a text with spaces",
  "rate limits, ünïcode",
]

const asSchema = (value: unknown): JsonObject => (isObject(value) ? (value as JsonObject) : {})
const numberOf = (value: unknown, otherwise: number): number => (typeof value === "number" ? value : otherwise)
