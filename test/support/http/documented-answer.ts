// Compares every answer that the HTTP tests get with the document of the API [H11]: status, media type, shape and code.

import { z } from "zod"
import { isObject } from "../../../src/core/json.ts"
import { ERROR_FORMS, statusIn, type ErrorForm } from "../../../src/api/route/error-forms.ts"
import { PROBLEMS } from "../../../src/api/route/problem.ts"
import { Problem } from "../../../src/api/doc/shape.doc.ts"
import { codesOf, mediaOf, OPERATIONS, type Operation } from "../../../src/http/openapi/operations.ts"
import { pathForm } from "../../../src/http/middleware/path-form.ts"
import { schemaNamed } from "../../../src/http/openapi/schemas.ts"

const KNOWN = OPERATIONS.map((operation) => ({
  operation,
  // Like the router: a parameter is one segment of the path, or with `{.+}` the rest of it.
  form: pathForm(operation.path),
}))

export interface HttpAnswer {
  readonly status: number
  readonly type: string
  readonly text: string
}

/** How an answer differs from the document; undefined if it does not. */
export function undocumented(method: string, path: string, answer: HttpAnswer): string | undefined {
  const { pathname } = new URL(path, "http://local")
  // No route handles a method that its path does not have.
  if (answer.status === 405) return undefined
  const fitting = KNOWN.filter(({ operation, form }) => operation.method === method && form.test(pathname))
  const found = fitting.find(({ operation }) => !operation.path.includes(":")) ?? fitting[0]
  if (!found) return undefined
  const wrong = answer.status >= 400 ? wrongRefusal(found.operation, answer) : wrongAnswer(found.operation, answer)
  return wrong === undefined ? undefined : `${method} ${found.operation.path}: ${wrong}\n${answer.text.slice(0, 1_000)}`
}

function wrongRefusal(operation: Operation, { status, type, text }: HttpAnswer): string | undefined {
  const { errors } = operation
  if (errors !== undefined) {
    const statuses = codesOf(operation).map((code) => statusIn(errors, code))
    if (type !== ERROR_FORMS[errors].media) return `a refusal has the type ${type}`
    if (!statuses.includes(status) && status !== 413) return `a refusal with the status ${status} is not in the document`
    const form = schemaNamed(ERROR_FORMS[errors].shape)?.safeParse(JSON.parse(text))
    return form?.success === true ? undefined : `a refusal has another form: ${form ? z.prettifyError(form.error) : ""}`
  }
  if (type !== "application/problem+json") return `a refusal has the type ${type}`
  const problem = Problem.safeParse(JSON.parse(text))
  if (!problem.success) return z.prettifyError(problem.error)
  const code = codesOf(operation).find((known) => known === problem.data.code)
  // The document does not say what happens to a body over 1 MiB, or one that ends early, where no body is expected.
  if (code === undefined && status !== 413) return `the refusal ${problem.data.code} is not in the document`
  return code !== undefined && PROBLEMS[code][0] !== status ? `the refusal ${code} has the status ${status}` : undefined
}

function wrongAnswer({ answers }: Operation, { status, type, text }: HttpAnswer): string | undefined {
  const answer = answers[status]
  if (answer === undefined) return `the status ${status} is not in the document`
  if (answer.body === undefined) return text === "" ? undefined : "the answer has a body and the document has none"
  const media = mediaOf(answer.body)
  const name = media[type] ?? media["*/*"]
  if (name === undefined) return `the type ${type} is not in the document`
  const schema = schemaNamed(name)
  if (schema === undefined || !type.endsWith("json")) return undefined
  const parsed = schema.safeParse(JSON.parse(text))
  return parsed.success ? undefined : z.prettifyError(parsed.error)
}

/** The code of a refusal, in whatever form the route writes it. */
export function codeIn(body: Readonly<Record<string, unknown>>, form: ErrorForm | undefined): unknown {
  const { error } = body
  if (form === "a2a") return reasonOf(body) === "INVALID_PARAMS" ? "invalid" : reasonOf(body)
  return form === undefined ? body["code"] : isObject(error) ? error["code"] : undefined
}

/** Why A2A refuses [P13]. */
export function reasonOf({ error }: Readonly<Record<string, unknown>>): unknown {
  const details = isObject(error) ? (error["details"] ?? error["data"]) : undefined
  const [first] = Array.isArray(details) ? (details as unknown[]) : []
  return isObject(first) ? first["reason"] : undefined
}
