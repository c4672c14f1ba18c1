// The API as an OpenAPI 3.1 document [H11], generated from the declarations in src/api.
//
// What follows from the kind of a route is added here and declared nowhere: path parameters, the key and its scope, Idempotency-Key on
// every POST [H4], and the problems that any such route can answer [H10].

import type { JsonObject, Json } from "../../core/json.ts"
import { API } from "../../api/api.ts"
import { EXAMPLES, OUTGOING, PATH_PARAMETERS, TEXT_EXAMPLES, type Outgoing } from "../../api/doc/api.doc.ts"
import { ERROR_FORMS, statusIn, type ErrorForm } from "../../api/error-forms.ts"
import { PROBLEMS, type ProblemCode } from "../../api/problem.ts"
import {
  MAX_PATH_PARAMETER,
  TAGS,
  takesSession,
  type Answer,
  type AnswerHeader,
  type Content,
  type Parameters,
  type RouteDoc,
  type ShapeName,
} from "../../api/route.ts"
import { nameOf, ROOT, schemasOf, type Shape } from "./schemas.ts"

/** A route with its operation's id and its path as the document writes it. */
export interface Operation extends RouteDoc {
  readonly id: string
  /** With `{name}` for parameters. */
  readonly template: string
}

/** `/v1/runs/:run/files/:path{.+}` → `/v1/runs/{run}/files/{path}`; `:task{[^/]+:cancel}` → `{task}:cancel`; `:call{message:send}` → `message:send`. */
const templated = (path: string): string =>
  path.replace(/:(\w+)(?:\{([^}]*)\})?/g, (_, name: string, own = "") =>
    /^[a-z]+:[a-z]+$/.test(own) ? own : `{${name}}${/^\[\^\/\]\+(:[a-z]+)$/.exec(own)?.[1] ?? ""}`,
  )

export const OPERATIONS: readonly Operation[] = Object.entries(API).map(([id, route]) => ({
  ...route,
  id,
  template: templated(route.path),
}))

const HEADERS: Readonly<Record<AnswerHeader | "x-request-id" | "retry-after" | "idempotent-replayed", string>> = {
  "x-request-id": "The id of this request. Name it when you report a problem.",
  location: "The address of what was created.",
  etag: "Send it as If-Match or If-None-Match.",
  "preference-applied": "How long the server waited.",
  "set-cookie": "The session's cookie, or its removal.",
  "content-range": "Which bytes of the file these are.",
  "content-disposition": "The name to save the file under.",
  ratelimit: "What is left of the quota.",
  "ratelimit-policy": "The quota.",
  "retry-after": "Seconds to wait before the next attempt.",
  "idempotent-replayed": "Present if this is the first answer again.",
}

/** `server`: where the paths are, as an address or as a path of the host that the document came from. */
export function openApi(version: string, server = "/"): JsonObject {
  const refusals = new Map<string, JsonObject>()
  const paths: Record<string, Record<string, Json>> = {}
  for (const operation of OPERATIONS) {
    const path = (paths[operation.template] ??= {})
    path[operation.method.toLowerCase()] = operationObject(operation, refusals)
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Sluice",
      version,
      summary: "Agent flows at the edge: every run has its own journal.",
      description:
        "Errors are problem documents (RFC 9457) with a stable `code`. Lists are `{data, next_cursor}`. Every answer has an `x-request-id`. Send an `Idempotency-Key` with a POST, and repeating the request returns the first answer instead of doing the work again.",
      contact: { name: "Sluice" },
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: server, description: "This instance" }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    webhooks: Object.fromEntries(Object.entries(OUTGOING).map(([name, message]) => [name, { post: outgoingObject(name, message) }])),
    components: {
      securitySchemes: {
        key: {
          type: "http",
          scheme: "bearer",
          description: "A tenant's API key. The `x-scope` of an operation is the scope that it needs; no scope implies another.",
        },
        admin: { type: "http", scheme: "bearer", description: "The admin key of the instance, which belongs to no tenant." },
        session: {
          type: "apiKey",
          in: "cookie",
          name: "__Host-sluice",
          description:
            "The session of a person, set by `POST /v1/session`: the rights of its key, for pages of this origin. Its name differs behind a dispatcher and in local development.",
        },
        runToken: {
          type: "apiKey",
          in: "query",
          name: "token",
          description:
            "A short-lived token of one run, for browsers. Every token opens the run and its events; one with `view: public` also its questions and named files.",
        },
      },
      parameters: {
        IdempotencyKey: {
          name: "Idempotency-Key",
          in: "header",
          description: "1 to 255 printable ASCII characters. The same key with the same request returns the first answer again.",
          schema: { type: "string", minLength: 1, maxLength: 255 },
        },
      },
      headers: Object.fromEntries(
        Object.entries(HEADERS).map(([name, description]) => [name, { description, schema: { type: "string" } }]),
      ),
      responses: Object.fromEntries([...refusals].sort(([a], [b]) => (a < b ? -1 : 1))),
      schemas: schemasOf(usedShapes()),
    },
  }
}

function usedShapes(): Set<ShapeName> {
  const used = new Set<ShapeName>(["Problem"])
  const add = (content: Content | undefined): void => {
    for (const shape of Object.values(mediaOf(content))) used.add(shape)
  }
  for (const operation of OPERATIONS) {
    for (const shape of Object.values(bodyOf(operation))) if (typeof shape === "string") used.add(shape)
    for (const answer of Object.values(operation.answers)) add(answer.body)
  }
  for (const { body, answers } of Object.values(OUTGOING)) {
    used.add(body)
    for (const answer of Object.values(answers)) add(answer.body)
  }
  return used
}

function operationObject(operation: Operation, refusals: Map<string, JsonObject>): JsonObject {
  const { id, method, template, scope, tag, summary, description, optional, token } = operation
  const parameters: Json[] = [
    ...[...template.matchAll(/\{(\w+)\}/g)].map((found) => pathParameter(found[1] ?? "")),
    ...listed("query", operation.query),
    ...listed("header", operation.headers),
    ...(takesKey(operation) ? [{ $ref: "#/components/parameters/IdempotencyKey" }] : []),
  ]
  const security: Json[] =
    scope === "open"
      ? []
      : scope === "instance"
        ? [{ admin: [] }]
        : [{ key: [] }, ...(takesSession(operation) ? [{ session: [] }] : []), ...(token === true ? [{ runToken: [] }] : [])]
  const needs =
    scope === "open"
      ? "Needs no key."
      : scope === "instance"
        ? "Needs the admin key of the instance."
        : `Needs a key with the scope \`${scope}\`.`
  const body = bodyOf(operation)
  const responses: Record<string, Json> = {}
  for (const [status, answer] of Object.entries(operation.answers)) responses[status] = answerObject(answer, method)
  const byStatus = new Map<number, ProblemCode[]>()
  const { errors } = operation
  for (const code of codesOf(operation)) {
    const status = statusIn(errors, code)
    byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  }
  for (const [status, codes] of byStatus) responses[status] = refusal(status, codes, errors, refusals)
  return {
    operationId: id,
    summary,
    description: description === undefined ? needs : `${description} ${needs}`,
    tags: [tag],
    security,
    ...(scope === "open" || scope === "instance" ? {} : { "x-scope": scope }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(Object.keys(body).length === 0
      ? {}
      : { requestBody: { ...(optional === true ? {} : { required: true }), content: contentObject(body) } }),
    responses,
  }
}

function outgoingObject(name: string, { tag, summary, description, headers, body, answers }: Outgoing): JsonObject {
  return {
    operationId: name.replace(/\.(\w)/g, (_, letter: string) => letter.toUpperCase()),
    summary,
    description,
    tags: [tag],
    security: [],
    parameters: Object.entries(headers).map(([header, text]) => ({
      name: header,
      in: "header",
      required: true,
      description: text,
      schema: { type: "string" },
    })),
    requestBody: { required: true, content: contentObject(mediaOf(body)) },
    responses: Object.fromEntries(
      Object.entries(answers).map(([status, answer]) => [
        status,
        {
          description: answer.description,
          ...(answer.body === undefined ? {} : { content: contentObject(mediaOf(answer.body)) }),
        },
      ]),
    ),
  }
}

const takesKey = ({ method, scope, noKey, ownRepeats }: RouteDoc): boolean =>
  method === "POST" && scope !== "open" && noKey !== true && ownRepeats !== true

/** The media types of a request's body, each with its shape. */
export const bodyOf = ({ body, media }: RouteDoc): Readonly<Record<string, Shape>> => ({
  ...(body === undefined ? {} : { "application/json": body }),
  ...media,
})

/** The media types of an answer, each with the name of its shape. */
export const mediaOf = (content: Content | undefined): Readonly<Record<string, ShapeName>> =>
  content === undefined ? {} : typeof content === "string" ? { "application/json": content } : content

/** All codes that the operation can refuse with, each once. */
export function codesOf(operation: Operation): readonly ProblemCode[] {
  const { template, scope, headers, problems, anyQuery } = operation
  const body = Object.keys(bodyOf(operation))
  const hasJson = body.some((type) => /json/.test(type))
  const hasText = body.some((type) => /^(text\/|application\/yaml)/.test(type))
  const isOpen = scope === "open"
  const hasParameters = headers !== undefined || anyQuery !== true
  const isKeyed = takesKey(operation)
  const all: ProblemCode[] = [
    ...(hasJson ? (["malformed_json"] as const) : []),
    ...(hasText ? (["malformed_text"] as const) : []),
    ...(body.length > 0 ? (["incomplete_body", "too_large"] as const) : []),
    ...(isOpen ? [] : (["unauthorized", "forbidden"] as const)),
    ...(!isOpen && template.includes("{") ? (["not_found"] as const) : []),
    ...(isKeyed ? (["idempotency_busy", "idempotency_mismatch"] as const) : []),
    ...(hasJson || hasText ? (["unsupported_media_type"] as const) : []),
    ...(body.length > 0 || hasParameters || isKeyed ? (["invalid"] as const) : []),
    ...(headers !== undefined && "if-match" in headers ? (["unsupported"] as const) : []),
    ...(problems ?? []),
    "internal",
  ]
  return [...new Set(all)]
}

/** Routes with the same refusals share one component, named after their codes. */
function refusal(
  status: number,
  codes: readonly ProblemCode[],
  form: ErrorForm | undefined,
  refusals: Map<string, JsonObject>,
): JsonObject {
  const sorted = [...codes].sort()
  const name = `${form === undefined ? "" : `${form}-`}${status}-${sorted.join("-")}`
  const retry = status === 429 || sorted.includes("idempotency_busy")
  const first = sorted[0] ?? "internal"
  refusals.set(name, {
    description: sorted.map((code) => `\`${code}\`: ${PROBLEMS[code][1]}.`).join(" "),
    headers: headersOf(["x-request-id", ...(retry ? ["retry-after"] : [])]),
    content: form
      ? contentObject({ [ERROR_FORMS[form].media]: ERROR_FORMS[form].shape })
      : {
          "application/problem+json": {
            schema: {
              allOf: [
                { $ref: `${ROOT}Problem` },
                { type: "object", properties: { code: { description: "The codes of this status.", enum: sorted } } },
              ],
            },
            example: {
              type: `urn:sluice:problem:${first}`,
              title: PROBLEMS[first][1],
              status,
              detail: `${PROBLEMS[first][1]}.`,
              instance: "/v1/runs",
              code: first,
            },
          },
        },
  })
  return { $ref: `#/components/responses/${name}` }
}

function answerObject({ description, headers = [], body }: Answer, method: string): JsonObject {
  const names = ["x-request-id", ...headers, ...(method === "POST" ? ["idempotent-replayed"] : [])]
  return {
    description,
    headers: headersOf(names),
    ...(body === undefined ? {} : { content: contentObject(mediaOf(body)) }),
  }
}

const headersOf = (names: readonly string[]): JsonObject =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

const contentObject = (media: Readonly<Record<string, Shape>>): JsonObject =>
  Object.fromEntries(
    Object.entries(media).map(([type, shape]) => {
      const example = exampleOf(type, shape)
      return [type, { ...schemaOf(shape), ...(example === undefined ? {} : { example }) }]
    }),
  )

function schemaOf(shape: Shape): JsonObject {
  if (shape === "bytes") return {}
  if (shape === "text") return { schema: { type: "string" } }
  if (shape === "json") return { schema: {} }
  return { schema: { $ref: ROOT + nameOf(shape) } }
}

/** undefined for bytes, which have no example. */
export function exampleOf(type: string, shape: Shape): Json | undefined {
  if (shape === "bytes") return undefined
  if (shape === "text") return TEXT_EXAMPLES[type]
  if (shape === "json") return { approved: true }
  if (typeof shape === "string" && shape.endsWith("[]")) return { data: [EXAMPLES[shape.slice(0, -2)] as Json], next_cursor: null }
  const name = shape === "object" ? "JsonObject" : typeof shape === "string" ? shape : nameOf(shape)
  return EXAMPLES[name] as Json | undefined
}

function pathParameter(name: string): JsonObject {
  const { description = "", example = "" } = PATH_PARAMETERS[name] ?? {}
  return { name, in: "path", required: true, description, schema: { type: "string", maxLength: MAX_PATH_PARAMETER }, example }
}

const listed = (where: "query" | "header", all: Parameters | undefined): JsonObject[] =>
  Object.entries(all ?? {}).map(([name, { schema, description }]) => ({
    name: where === "header" ? titled(name) : name,
    in: where,
    description,
    schema: schema as JsonObject,
  }))

const titled = (header: string): string => header.replace(/(^|-)\w/g, (start) => start.toUpperCase())
