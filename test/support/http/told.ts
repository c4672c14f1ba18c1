// Holds every answer that the HTTP tests get against the document of the API [H11]: its status, its media type, its shape, its code.

import { z } from "zod"
import { ROUTES } from "../../../src/http/app.ts"
import { codesOf, mediaOf, operationsOf, type Operation } from "../../../src/http/openapi/document.ts"
import { Problem } from "../../../src/http/openapi/shapes.ts"
import { KINDS } from "../../../src/http/middleware/problem.ts"

const KNOWN = operationsOf(ROUTES).map((operation) => ({
  operation,
  // As the router does: a parameter is a part of the path, the last one may be all that is left of it.
  form: new RegExp(`^${operation.path.replace(/\{(?:path|file|key)\}$/, ".+").replace(/\{\w+\}/g, "[^/]+")}$`),
}))

export interface Told {
  readonly status: number
  readonly type: string
  readonly text: string
}

/** What the document does not say of this answer; undefined: it says all of it. */
export function untold(method: string, path: string, answer: Told): string | undefined {
  const { pathname } = new URL(path, "http://local")
  // What a route does not take is answered before any route is asked.
  if (answer.status === 405) return undefined
  const found = KNOWN.find(({ operation, form }) => operation.method === method && form.test(pathname))
  if (!found) return undefined
  const wrong = answer.status >= 400 ? wrongRefusal(found.operation, answer) : wrongAnswer(found.operation, answer)
  return wrong === undefined ? undefined : `${method} ${found.operation.path}: ${wrong}\n${answer.text.slice(0, 1_000)}`
}

function wrongRefusal(operation: Operation, { status, type, text }: Told): string | undefined {
  if (type !== "application/problem+json") return `a refusal as ${type}`
  const problem = Problem.safeParse(JSON.parse(text))
  if (!problem.success) return z.prettifyError(problem.error)
  const code = codesOf(operation).find((known) => known === problem.data.code)
  // Nobody described what a body of more than 1 MiB, or one that ends early, does where none is expected.
  if (code === undefined && status !== 413) return `the refusal ${problem.data.code} is not in the document`
  return code !== undefined && KINDS[code][0] !== status ? `${code} as ${status}` : undefined
}

function wrongAnswer({ told }: Operation, { status, type, text }: Told): string | undefined {
  const answer = told.answers[status]
  if (answer === undefined) return `the status ${status} is not in the document`
  if (answer.body === undefined) return text === "" ? undefined : "a body where the document has none"
  const media = mediaOf(answer.body)
  const schema = media[type] ?? media["*/*"]
  if (schema === undefined) return `the type ${type} is not in the document`
  if (schema === "bytes" || !type.endsWith("json")) return undefined
  const parsed = schema.safeParse(JSON.parse(text))
  return parsed.success ? undefined : z.prettifyError(parsed.error)
}
