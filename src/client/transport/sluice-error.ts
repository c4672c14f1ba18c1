// Represents a refusal of the server as an error, with its typed problem document [H3].

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
  /** Stable, for programs. `network` if no answer arrived, `answer` if the answer is not a problem document. */
  readonly code: string
  readonly errors: readonly Fault[]
  /** Name it when you report a problem. */
  readonly requestId: string | undefined
  /** The whole document, including members beyond RFC 9457. */
  readonly problem: Readonly<Record<string, unknown>>

  constructor(
    fields: {
      readonly status: number
      readonly code: string
      readonly message: string
      readonly errors?: readonly Fault[]
      readonly requestId?: string | undefined
      readonly problem?: Readonly<Record<string, unknown>>
    },
    cause?: unknown,
  ) {
    super(fields.message, cause === undefined ? undefined : { cause })
    this.name = "SluiceError"
    this.status = fields.status
    this.code = fields.code
    this.errors = fields.errors ?? []
    this.requestId = fields.requestId
    this.problem = fields.problem ?? {}
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
