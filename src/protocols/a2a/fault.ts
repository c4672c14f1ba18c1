// Formats refusals for A2A [P13, P18]: Google's RPC status over HTTP, a JSON-RPC error over JSON-RPC, with the same details.

import { statusIn, type Refused } from "../../api/route/error-forms.ts"
import { defined } from "../../core/defined.ts"

export interface A2aFault {
  /** In upper snake case. */
  readonly reason: string
  readonly message: string
  readonly status: number
  readonly fields?: readonly { readonly field: string; readonly description: string }[]
  readonly headers?: Readonly<Record<string, string>>
}

/** The protocol's own errors: their status over HTTP, their code in JSON-RPC. */
const OWN: Readonly<Record<string, readonly [status: number, code: number]>> = {
  TASK_NOT_FOUND: [404, -32001],
  TASK_NOT_CANCELABLE: [400, -32002],
  PUSH_NOTIFICATION_NOT_SUPPORTED: [400, -32003],
  UNSUPPORTED_OPERATION: [400, -32004],
  CONTENT_TYPE_NOT_SUPPORTED: [400, -32005],
  VERSION_NOT_SUPPORTED: [400, -32009],
  PARSE_ERROR: [400, -32700],
  INVALID_REQUEST: [400, -32600],
  METHOD_NOT_FOUND: [404, -32601],
  INVALID_PARAMS: [400, -32602],
}
const OTHER_CODE = -32000
const INTERNAL_CODE = -32603

export const a2aFault = (reason: string, message: string): A2aFault => ({ reason, message, status: OWN[reason]?.[0] ?? 400 })

export const badField = (field: string, description: string): A2aFault => badFields([{ field, description }])

export const badFields = (fields: readonly { readonly field: string; readonly description: string }[]): A2aFault => ({
  reason: "INVALID_PARAMS",
  message: fields.map(({ field, description }) => `${field} ${description}`).join("; "),
  status: 400,
  fields,
})

export const TASK_NOT_FOUND = a2aFault("TASK_NOT_FOUND", "There is no task of this id that this key can see at this agent.")

export function faultOfRefusal({ code, detail, errors = [], headers }: Refused): A2aFault {
  const status = statusIn("a2a", code)
  const about = defined({ headers })
  if (code === "malformed_json" || code === "malformed_text") return { ...a2aFault("PARSE_ERROR", detail), ...about }
  if (code === "unsupported_media_type") return { ...a2aFault("CONTENT_TYPE_NOT_SUPPORTED", detail), ...about }
  const fields = errors.map(({ pointer, message }) => ({ field: fieldOf(pointer), description: message ?? detail }))
  if (status === 400) return { reason: "INVALID_PARAMS", message: detail, status, fields, ...about }
  return { reason: code.toUpperCase(), message: detail, status, ...(fields.length === 0 ? {} : { fields }), ...about }
}

/** `/message/parts/0` → `message.parts[0]`; `?pageSize` → `pageSize`. */
const fieldOf = (pointer: string): string =>
  pointer.startsWith("?")
    ? pointer.slice(1)
    : pointer
        .split("/")
        .slice(1)
        .map((part) => (/^\d+$/.test(part) ? `[${part}]` : `.${part.replaceAll("~1", "/").replaceAll("~0", "~")}`))
        .join("")
        .replace(/^\./, "")

const STATUS: Readonly<Record<number, string>> = {
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  405: "UNIMPLEMENTED",
  409: "ABORTED",
  429: "RESOURCE_EXHAUSTED",
  500: "INTERNAL",
  503: "UNAVAILABLE",
}

/** 400s about what was sent; the others are about the state of a task, or about what the agent can do. */
const ARGUMENTS: ReadonlySet<string> = new Set(["INVALID_PARAMS", "PARSE_ERROR", "INVALID_REQUEST", "CONTENT_TYPE_NOT_SUPPORTED"])

const statusName = ({ reason, status }: A2aFault): string =>
  STATUS[status] ?? (status >= 500 ? "INTERNAL" : ARGUMENTS.has(reason) ? "INVALID_ARGUMENT" : "FAILED_PRECONDITION")

const detailsOf = ({ reason, fields = [] }: A2aFault): object[] => [
  { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason, domain: "a2a-protocol.org", metadata: {} },
  ...(fields.length === 0 ? [] : [{ "@type": "type.googleapis.com/google.rpc.BadRequest", fieldViolations: fields }]),
]

export const restError = (fault: A2aFault): { readonly error: object } => ({
  error: { code: fault.status, status: statusName(fault), message: fault.message, details: detailsOf(fault) },
})

export const rpcError = (fault: A2aFault): object => ({
  code: OWN[fault.reason]?.[1] ?? (fault.status >= 500 ? INTERNAL_CODE : OTHER_CODE),
  message: fault.message,
  data: detailsOf(fault),
})

/** A fault with its own code is a 200 in JSON-RPC; a fault of the key, the flow or the server keeps its status. */
export const rpcStatus = ({ reason, status }: A2aFault): number => (reason in OWN ? 200 : status)
