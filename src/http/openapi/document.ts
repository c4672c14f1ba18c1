// The API as an OpenAPI 3.1 document [H11], made from the route table, its descriptions and the zod schemas that handlers parse with.
//
// What follows from a route itself is added here and described nowhere: path parameters, the key and its scope, Idempotency-Key on
// every POST [H4], and the refusals that any such route can give [H10].

import { z } from "zod"
import { isObject, type Json, type JsonObject } from "../../core/json.ts"
import type { Route } from "../middleware/call.ts"
import { KINDS, type Code } from "../middleware/problem.ts"
import { SCHEMAS, TABLE } from "./table.ts"
import { TAGS, type Answer, type AnswerHeader, type Media, type Parameter, type Told } from "./told.ts"

/** A route and its description. */
export interface Operation {
  readonly method: string
  /** With `{name}` for parameters. */
  readonly path: string
  readonly scope: Route[2]
  readonly told: Told
}

/** Every route but these is in the document. */
const UNTOLD: ReadonlySet<string> = new Set(["/docs", "/mcp"])

/** `/v1/runs/:run/files/:path{.+}` → `/v1/runs/{run}/files/{path}`. */
const templated = (path: string): string => path.replace(/:(\w+)(?:\{[^}]*\})?/g, "{$1}")

/** Routes without a description are left out; a test says which. */
export function operationsOf(routes: readonly Route[]): Operation[] {
  return routes.flatMap(([method, path, scope]) => {
    const told = TABLE[`${method} ${templated(path)}`]
    return told === undefined ? [] : [{ method, path: templated(path), scope, told }]
  })
}

export const undescribed = (routes: readonly Route[]): string[] =>
  routes.flatMap(([method, path]) => {
    const line = `${method} ${templated(path)}`
    return UNTOLD.has(path) || Object.hasOwn(TABLE, line) ? [] : [line]
  })

export function openApi(routes: readonly Route[], version: string): JsonObject {
  const operations = operationsOf(routes)
  const schemas = new Schemas(operations)
  const refusals = new Map<string, JsonObject>()
  const paths: Record<string, Record<string, Json>> = {}
  for (const operation of operations) {
    const path = (paths[operation.path] ??= {})
    path[operation.method.toLowerCase()] = operationObject(operation, schemas, refusals)
  }
  const used = new Set(operations.map(({ told }) => told.tag))
  return {
    openapi: "3.1.0",
    info: {
      title: "Sluice",
      version,
      summary: "Agent flows at the edge: every run is a journal of its own.",
      description:
        "Errors are problem documents (RFC 9457) with a stable `code`. Lists are `{data, next_cursor}`. Every answer has an `x-request-id`. Send an `Idempotency-Key` with a POST, and a repeat of it is answered and not done again.",
      contact: { name: "Sluice" },
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/", description: "This instance" }],
    tags: Object.entries(TAGS).flatMap(([name, description]) => (used.has(asTag(name)) ? [{ name, description }] : [])),
    paths,
    components: {
      securitySchemes: {
        key: {
          type: "http",
          scheme: "bearer",
          description: "A tenant's API key. `x-scope` of an operation is the scope it needs; none implies another.",
        },
        admin: { type: "http", scheme: "bearer", description: "The instance's admin key, which has no tenant." },
        runToken: { type: "apiKey", in: "query", name: "token", description: "A short-lived token of one run, for browsers' streams." },
      },
      parameters: {
        IdempotencyKey: {
          name: "Idempotency-Key",
          in: "header",
          description: "1 to 255 printable ASCII characters. The same key and request → the first answer again.",
          schema: { type: "string", minLength: 1, maxLength: 255 },
        },
      },
      headers: Object.fromEntries(Object.entries(HEADERS).map(([name, says]) => [name, { description: says, schema: { type: "string" } }])),
      responses: Object.fromEntries([...refusals].sort(([a], [b]) => (a < b ? -1 : 1))),
      schemas: schemas.all(),
    },
  }
}

const asTag = (name: string): Told["tag"] => name as Told["tag"]

const HEADERS: Readonly<Record<AnswerHeader | "x-request-id" | "retry-after" | "idempotent-replayed", string>> = {
  "x-request-id": "The id of this request, to ask about it.",
  location: "Where the thing is that was made.",
  etag: "For If-Match and If-None-Match.",
  "preference-applied": "How long was waited.",
  "content-disposition": "The name to save it under.",
  ratelimit: "What is left of the quota.",
  "ratelimit-policy": "The quota.",
  "retry-after": "Seconds after which to try again.",
  "idempotent-replayed": "This is the first answer again.",
}

function operationObject({ method, path, scope, told }: Operation, schemas: Schemas, refusals: Map<string, JsonObject>): JsonObject {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map((found) => found[1] ?? "")
  const parameters: Json[] = [
    ...names.map((name) => ({ name, in: "path", required: true, schema: { type: "string" } })),
    ...listed("query", told.query, schemas),
    ...listed("header", told.headers, schemas),
    ...(takesKey(method, scope, told) ? [{ $ref: "#/components/parameters/IdempotencyKey" }] : []),
  ]
  const security: Json[] =
    scope === "open" ? [] : scope === "instance" ? [{ admin: [] }] : [{ key: [] }, ...(told.token === true ? [{ runToken: [] }] : [])]
  const needs =
    scope === "open"
      ? "Needs no key."
      : scope === "instance"
        ? "Needs the instance's admin key."
        : `Needs a key with the scope \`${scope}\`.`
  const body = told.body === undefined ? undefined : mediaOf(told.body)
  const responses: Record<string, Json> = {}
  for (const [status, answer] of Object.entries(told.answers)) responses[status] = answerObject(answer, method, schemas)
  const byStatus = new Map<number, Code[]>()
  for (const code of codesOf({ method, path, scope, told })) byStatus.set(KINDS[code][0], [...(byStatus.get(KINDS[code][0]) ?? []), code])
  for (const [status, codes] of byStatus) responses[status] = refusal(status, codes, refusals)
  return {
    operationId: told.id,
    summary: told.does,
    description: told.more === undefined ? needs : `${told.more} ${needs}`,
    tags: [told.tag],
    security,
    ...(scope === "open" || scope === "instance" ? {} : { "x-scope": scope }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined
      ? {}
      : { requestBody: { ...(told.optional === true ? {} : { required: true }), content: contentOf(body, schemas) } }),
    responses,
  }
}

const takesKey = (method: string, scope: Route[2], told: Told): boolean => method === "POST" && scope !== "open" && told.noKey !== true

/** All codes that the operation can refuse with, each once. */
export function codesOf({ method, path, scope, told }: Operation): readonly Code[] {
  const body = told.body === undefined ? [] : Object.keys(mediaOf(told.body))
  const hasJson = body.some((type) => /json/.test(type))
  const hasText = body.some((type) => /^(text\/|application\/yaml)/.test(type))
  const isOpen = scope === "open"
  const hasParameters = told.query !== undefined || told.headers !== undefined
  const keyed = takesKey(method, scope, told)
  const all: Code[] = [
    ...(hasJson ? (["malformed_json"] as const) : []),
    ...(hasText ? (["malformed_text"] as const) : []),
    ...(body.length > 0 ? (["incomplete_body", "too_large"] as const) : []),
    ...(isOpen ? [] : (["unauthorized", "forbidden"] as const)),
    ...(!isOpen && path.includes("{") ? (["not_found"] as const) : []),
    ...(keyed ? (["idempotency_busy", "idempotency_mismatch"] as const) : []),
    ...(hasJson || hasText ? (["unsupported_media_type"] as const) : []),
    ...(body.length > 0 || hasParameters || keyed ? (["invalid"] as const) : []),
    ...(told.headers !== undefined && "if-match" in told.headers ? (["unsupported"] as const) : []),
    ...(told.refuses ?? []),
    "internal",
  ]
  return [...new Set(all)]
}

/** The same refusals of two routes are one component, named after them. */
function refusal(status: number, codes: readonly Code[], refusals: Map<string, JsonObject>): JsonObject {
  const sorted = [...codes].sort()
  const name = `${status}-${sorted.join("-")}`
  const retry = status === 429 || sorted.includes("idempotency_busy")
  refusals.set(name, {
    description: sorted.map((code) => `\`${code}\`: ${KINDS[code][1]}.`).join(" "),
    headers: headersOf(["x-request-id", ...(retry ? ["retry-after"] : [])]),
    content: {
      "application/problem+json": {
        schema: { allOf: [{ $ref: "#/components/schemas/Problem" }, { type: "object", properties: { code: { enum: sorted } } }] },
      },
    },
  })
  return { $ref: `#/components/responses/${name}` }
}

function answerObject(answer: Answer, method: string, schemas: Schemas): JsonObject {
  const names = ["x-request-id", ...(answer.headers ?? []), ...(method === "POST" ? ["idempotent-replayed"] : [])]
  return {
    description: answer.says,
    headers: headersOf(names),
    ...(answer.body === undefined ? {} : { content: contentOf(mediaOf(answer.body), schemas) }),
  }
}

const headersOf = (names: readonly string[]): JsonObject =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

const contentOf = (media: Media, schemas: Schemas): JsonObject =>
  Object.fromEntries(Object.entries(media).map(([type, schema]) => [type, schema === "bytes" ? {} : { schema: schemas.of(schema) }]))

/** A schema alone is JSON. */
export const mediaOf = (body: z.ZodType | Media): Media => (isSchema(body) ? { "application/json": body } : body)

const isSchema = (body: z.ZodType | Media): body is z.ZodType => "_zod" in body

const listed = (where: "query" | "header", all: Readonly<Record<string, Parameter>> | undefined, schemas: Schemas): JsonObject[] =>
  Object.entries(all ?? {}).map(([name, { schema, says }]) => ({
    name: where === "header" ? titled(name) : name,
    in: where,
    description: says,
    schema: schemas.inline(schema),
  }))

const titled = (header: string): string => header.replace(/(^|-)\w/g, (start) => start.toUpperCase())

const ROOT = "#/components/schemas/"

/** zod schemas → `components.schemas`, each once; what has no name of its own is named after its operation. */
class Schemas {
  readonly #names = new Map<z.ZodType, string>(Object.entries(SCHEMAS).map(([name, schema]) => [schema, name]))
  readonly #made: Readonly<Record<string, Json>>

  constructor(operations: readonly Operation[]) {
    for (const { told } of operations) {
      const base = `${told.id[0]?.toUpperCase()}${told.id.slice(1)}`
      for (const schema of told.body === undefined ? [] : Object.values(mediaOf(told.body))) this.#name(schema, `${base}Body`)
      for (const { body } of Object.values(told.answers))
        for (const schema of body === undefined ? [] : Object.values(mediaOf(body))) this.#name(schema, `${base}Answer`)
    }
    const registry = z.registry<{ id: string }>()
    for (const [schema, id] of this.#names) registry.add(schema, { id })
    const { schemas } = z.toJSONSchema(registry, { uri: (id) => ROOT + id, io: "input", unrepresentable: "any", override: untie })
    this.#made = schemas as Readonly<Record<string, Json>>
  }

  /** Text and any JSON stand where they are used. */
  #name(schema: z.ZodType | "bytes", name: string): void {
    if (schema === "bytes" || schema instanceof z.ZodString || schema instanceof z.ZodLazy || this.#names.has(schema)) return
    const taken = new Set(this.#names.values())
    this.#names.set(schema, taken.has(name) ? `${name}2` : name)
  }

  of(schema: z.ZodType): JsonObject {
    const name = this.#names.get(schema)
    return name === undefined ? this.inline(schema) : { $ref: ROOT + name }
  }

  inline(schema: z.ZodType): JsonObject {
    return plain(z.toJSONSchema(schema, { io: "input", unrepresentable: "any", override: untie }))
  }

  all(): JsonObject {
    return Object.fromEntries(
      Object.entries(this.#made)
        .filter(([name]) => name !== "__shared")
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, schema]) => [name, plain(schema)]),
    )
  }
}

/** z.json() is any JSON: its own schema, which contains itself, says no more. */
function untie(ctx: { readonly zodSchema: z.core.$ZodType; readonly jsonSchema: Record<string, unknown> }): void {
  if (ctx.zodSchema._zod.def.type !== "lazy") return
  for (const key of Object.keys(ctx.jsonSchema)) delete ctx.jsonSchema[key]
}

/** Without what OpenAPI says itself, and without references to what was untied. */
function plain(schema: unknown): JsonObject {
  const clean = (value: unknown): Json => {
    if (Array.isArray(value)) return value.map(clean)
    if (!isObject(value)) return value as Json
    const ref = value["$ref"]
    if (typeof ref === "string" && (ref.includes("__shared") || ref.startsWith("#/$defs/"))) return {}
    return Object.fromEntries(
      Object.entries(value).flatMap(([key, child]) => (SAID.has(key) ? [] : ([[key, clean(child)]] satisfies [string, Json][]))),
    )
  }
  const made = clean(schema)
  return isObject(made) ? made : {}
}

const SAID: ReadonlySet<string> = new Set(["$schema", "$id", "$defs"])
