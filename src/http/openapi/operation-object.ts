// Describes one operation of the document, with the parameters, keys and problems that follow from the kind of its route.

import type { JsonObject, Json } from "../../core/json.ts"
import { PARAMETERS } from "../../api/doc/api.doc.ts"
import { ERROR_FORMS, statusIn, type ErrorForm } from "../../api/route/error-forms.ts"
import { PROBLEMS, type ProblemCode } from "../../api/route/problem.ts"
import { MAX_PATH_PARAMETER, takesSession, type Parameters } from "../../api/route/route.ts"
import { ROOT } from "./schemas.ts"
import { bodyOf, codesOf, takesKey, type Operation } from "./operations.ts"
import { answerObject, contentObject, headersOf } from "./content.ts"

export function operationObject(operation: Operation, refusals: Map<string, JsonObject>): JsonObject {
  const { id, method, template, scope, also = [], tag, summary, description, optional, token } = operation
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
        : also.length === 0
          ? `Needs a key with the scope \`${scope}\`.`
          : `Needs a key with the scopes ${[scope, ...also].map((name) => `\`${name}\``).join(" and ")}.`
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
    ...(also.length === 0 ? {} : { "x-also": [...also] }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(Object.keys(body).length === 0
      ? {}
      : { requestBody: { ...(optional === true ? {} : { required: true }), content: contentObject(body) } }),
    responses,
  }
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

function pathParameter(name: string): JsonObject {
  const { description = "", example = "" } = PARAMETERS[name] ?? {}
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
