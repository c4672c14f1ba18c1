// Formats refusals for the requested protocol [P10], because its clients read nothing else. The path determines the protocol, because a
// request without a key has no route yet.

import { protocols } from "../api/protocols.ts"
import { ERROR_FORMS, statusIn, type ErrorForm, type Refused } from "../api/route/error-forms.ts"
import type { RouteDoc } from "../api/route/route.ts"
import { faultOfRefusal, restError } from "./a2a/fault.ts"
import { pathForm } from "../http/middleware/path-form.ts"

interface Written {
  readonly status: number
  readonly body: object
  readonly headers?: Readonly<Record<string, string>>
}

const OPENAI_TYPES: Readonly<Record<number, string>> = {
  401: "authentication_error",
  403: "permission_error",
  404: "invalid_request_error",
  409: "conflict_error",
  429: "rate_limit_error",
}

function openai({ code, detail, errors = [], more }: Refused): Written {
  const status = statusIn("openai", code)
  const [first] = errors
  const param = first?.pointer.startsWith("/") === true ? (first.pointer.split("/")[1] ?? null) : null
  const type = OPENAI_TYPES[status] ?? (status >= 500 ? "server_error" : "invalid_request_error")
  const said = more?.["as"] ?? code
  return {
    status,
    body: { error: { message: detail, type, param: said === "model_not_found" ? "model" : param, code: said } },
    // OpenAI's clients try 409 again by themselves.
    ...(status === 409 || code === "run_failed" ? { headers: { "x-should-retry": "false" } } : {}),
  }
}

function a2a(refusal: Refused): Written {
  const fault = faultOfRefusal(refusal)
  return { status: fault.status, body: restError(fault) }
}

const WRITERS: Readonly<Record<ErrorForm, (refusal: Refused) => Written>> = { openai, a2a }

const PATHS = Object.values<RouteDoc>(protocols).flatMap(({ path, errors }) =>
  errors === undefined ? [] : [{ form: errors, path: pathForm(path) }],
)
// What is no route of A2A is refused in its form too.
const UNDER_A2A = { form: "a2a", path: /^\/a2a\// } as const

/** The refusal in the protocol's form; undefined: a problem document is used. */
export function inOwnForm(path: string, refusal: Refused): Response | undefined {
  const form = [...PATHS, UNDER_A2A].find((one) => one.path.test(path))?.form
  if (form === undefined) return undefined
  const { status: own, body, headers } = WRITERS[form](refusal)
  return new Response(JSON.stringify(body), {
    status: own,
    headers: { ...refusal.headers, ...headers, "content-type": ERROR_FORMS[form].media },
  })
}
