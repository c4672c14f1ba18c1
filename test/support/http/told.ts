// Holds every answer that the HTTP tests get against the document of the API [H11]: its status, its media type, its shape, its code.

import { z } from "zod"
import { PROBLEMS } from "../../../src/api/problem.ts"
import { Problem } from "../../../src/api/shape.doc.ts"
import { codesOf, mediaOf, OPERATIONS, type Operation } from "../../../src/http/openapi/document.ts"
import { schemaNamed } from "../../../src/http/openapi/schemas.ts"

const KNOWN = OPERATIONS.map((operation) => ({
  operation,
  // As the router does: a parameter is one segment of the path, or with `{.+}` the rest of it.
  form: new RegExp(`^${operation.path.replace(/:\w+\{\.\+\}/g, ".+").replace(/:\w+/g, "[^/]+")}$`),
}))

export interface Told {
  readonly status: number
  readonly type: string
  readonly text: string
}

/** What the document does not say about this answer; undefined if it says everything. */
export function untold(method: string, path: string, answer: Told): string | undefined {
  const { pathname } = new URL(path, "http://local")
  // A method that the path does not have is answered before any route.
  if (answer.status === 405) return undefined
  const fitting = KNOWN.filter(({ operation, form }) => operation.method === method && form.test(pathname))
  const found = fitting.find(({ operation }) => !operation.path.includes(":")) ?? fitting[0]
  if (!found) return undefined
  const wrong = answer.status >= 400 ? wrongRefusal(found.operation, answer) : wrongAnswer(found.operation, answer)
  return wrong === undefined ? undefined : `${method} ${found.operation.path}: ${wrong}\n${answer.text.slice(0, 1_000)}`
}

function wrongRefusal(operation: Operation, { status, type, text }: Told): string | undefined {
  if (type !== "application/problem+json") return `a refusal as ${type}`
  const problem = Problem.safeParse(JSON.parse(text))
  if (!problem.success) return z.prettifyError(problem.error)
  const code = codesOf(operation).find((known) => known === problem.data.code)
  // The document does not say what happens to a body over 1 MiB, or one that ends early, where no body is expected.
  if (code === undefined && status !== 413) return `the refusal ${problem.data.code} is not in the document`
  return code !== undefined && PROBLEMS[code][0] !== status ? `${code} as ${status}` : undefined
}

function wrongAnswer({ answers }: Operation, { status, type, text }: Told): string | undefined {
  const answer = answers[status]
  if (answer === undefined) return `the status ${status} is not in the document`
  if (answer.body === undefined) return text === "" ? undefined : "a body where the document has none"
  const media = mediaOf(answer.body)
  const name = media[type] ?? media["*/*"]
  if (name === undefined) return `the type ${type} is not in the document`
  const schema = schemaNamed(name)
  if (schema === undefined || !type.endsWith("json")) return undefined
  const parsed = schema.safeParse(JSON.parse(text))
  return parsed.success ? undefined : z.prettifyError(parsed.error)
}
