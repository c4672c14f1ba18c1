// Generates the OpenAPI 3.1 document of the API [H11] from the declarations in src/api. This file adds the parts that follow from the kind of a
// route: path parameters, the key and its scope, Idempotency-Key on every POST [H4], and the problems that any such route can answer [H10].

import type { JsonObject, Json } from "../../core/json.ts"
import { OUTGOING, type Outgoing } from "../../api/doc/api.doc.ts"
import { TAGS, type AnswerHeader, type Content, type ShapeName } from "../../api/route/route.ts"
import { schemasOf } from "./schemas.ts"
import { bodyOf, mediaOf, OPERATIONS } from "./operations.ts"
import { contentObject } from "./content.ts"
import { operationObject } from "./operation-object.ts"

const HEADERS: Readonly<Record<AnswerHeader | "x-request-id" | "retry-after" | "idempotent-replayed", string>> = {
  "x-request-id": "The id of this request. Name it when you report a problem.",
  location: "The address of the created resource.",
  etag: "Send it as If-Match or If-None-Match.",
  "preference-applied": "The time that the server waited.",
  "set-cookie": "The session's cookie, or its removal.",
  "content-range": "The range of the returned bytes.",
  "content-disposition": "The file name for saving.",
  ratelimit: "The remaining quota.",
  "ratelimit-policy": "The quota.",
  "sluice-erased-within": "Seconds until the quota is restored, at the latest.",
  "retry-after": "Seconds to wait before the next attempt.",
  "idempotent-replayed": "Present if this is a replay of the first response.",
}

/** `server`: the base of the paths, as an address or as a path on the document's host. */
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
            "A short-lived token of one run, for browsers. Every token gives access to the run and its events; one with `view: public` also to its questions and named files.",
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
