// A refusal of the server as an error: its problem document, typed [H3].

export interface Fault {
  /** JSON Pointer into the body, or `?name` for a query parameter. */
  readonly pointer: string
  readonly line?: number
  readonly column?: number
  readonly message: string
  readonly suggestion?: string
}

export class SluiceError extends Error {
  readonly status: number
  /** Stable: what a program decides by. `network` when no answer came, `answer` when it was none of ours. */
  readonly code: string
  readonly errors: readonly Fault[]
  /** Ask the operator about it. */
  readonly requestId: string | undefined
  /** The whole document, members beyond RFC 9457 among it. */
  readonly problem: Readonly<Record<string, unknown>>

  constructor(
    told: {
      readonly status: number
      readonly code: string
      readonly message: string
      readonly errors?: readonly Fault[]
      readonly requestId?: string | undefined
      readonly problem?: Readonly<Record<string, unknown>>
    },
    cause?: unknown,
  ) {
    super(told.message, cause === undefined ? undefined : { cause })
    this.name = "SluiceError"
    this.status = told.status
    this.code = told.code
    this.errors = told.errors ?? []
    this.requestId = told.requestId
    this.problem = told.problem ?? {}
  }
}

export async function errorOf(answer: Response): Promise<SluiceError> {
  const text = await answer.text().catch(() => "")
  const requestId = answer.headers.get("x-request-id") ?? undefined
  const problem = parse(text)
  if (problem === undefined || typeof problem["code"] !== "string")
    return new SluiceError({ status: answer.status, code: "answer", message: `HTTP ${answer.status}: ${text.slice(0, 500)}`, requestId })
  const { code, detail, title, errors } = problem
  const message = typeof detail === "string" ? detail : typeof title === "string" ? title : code
  return new SluiceError({ status: answer.status, code, message, errors: isFaults(errors) ? errors : [], requestId, problem })
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined
  } catch {
    return undefined
  }
}

const isFaults = (value: unknown): value is readonly Fault[] =>
  Array.isArray(value) && value.every((one: unknown) => typeof one === "object" && one !== null && "message" in one)
