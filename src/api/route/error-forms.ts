// Defines the forms of a refusal [H3, P10]: a problem document, or the form that clients of another protocol read.

import { PROBLEMS, type ProblemCode } from "./problem.ts"

export const ERROR_FORMS = {
  openai: { media: "application/json", shape: "OpenAiError" },
  a2a: { media: "application/json", shape: "A2aError" },
} as const
export type ErrorForm = keyof typeof ERROR_FORMS

/** A refusal without a form. */
export interface Refused {
  readonly code: ProblemCode
  readonly detail: string
  readonly errors?: readonly { readonly pointer: string; readonly message?: string }[]
  readonly more?: Readonly<Record<string, unknown>>
  readonly headers?: Readonly<Record<string, string>>
}

/** 422 in a problem document; other protocols say 400. */
const BAD_BODIES: ReadonlySet<ProblemCode> = new Set<ProblemCode>(["invalid", "unsupported", "task_required"])

export const statusIn = (form: ErrorForm | undefined, code: ProblemCode): number =>
  form !== undefined && BAD_BODIES.has(code) ? 400 : PROBLEMS[code][0]
