// Rules for every answer, whatever the request [S17, H3, H8, H11]; and their tally.

import { isObject } from "../../src/core/json.ts"
import type { Operation } from "./document.ts"
import { valueOf, type Answer, type Sent } from "./wire.ts"

/** CPU is not visible from outside: a request alone on a quiet server may take this long; a slower one is sent twice more. */
export const MAX_MS = 1_000
/** How many times the same fault is printed. */
const TOLD = 2

export class Tally {
  passed = 0
  readonly #failed = new Map<string, string[]>()

  /** `wrong`: undefined when the rule holds. `kind` groups equal faults. */
  note(kind: string, wrong: string | undefined): void {
    if (wrong === undefined) {
      this.passed += 1
      return
    }
    const same = this.#failed.get(kind) ?? []
    this.#failed.set(kind, [...same, wrong])
    if (same.length < TOLD) console.log(`FAIL ${kind}\n     ${wrong.replaceAll("\n", "\n     ")}`)
  }

  get failed(): number {
    return this.#failed.size
  }

  /** How often each fault occurred. */
  lines(): string[] {
    return [...this.#failed].map(([kind, all]) => `${all.length} times: ${kind}`)
  }
}

/** The faults of an answer, each with its kind. `operation`: undefined for requests outside the document. */
export function faultsOf(operation: Operation | undefined, sent: Sent, answer: Answer): readonly (readonly [kind: string, why: string])[] {
  const { status, headers, text } = answer
  const faults: [string, string][] = []
  const wrong = (kind: string, why = ""): void => void faults.push([kind, why])
  if (status === 0) wrong("no answer", text)
  else if (status >= 500 && !isElsewhere(status, text)) wrong(`${status}`)
  if (status === 0 || status >= 500) return faults
  if (!/^req_[0-9a-f]{32}$/.test(valueOf(headers, "x-request-id") ?? "") && status !== 101) wrong("no x-request-id")
  if (status >= 400) for (const why of notProblem(sent, answer)) wrong(why)
  if (operation !== undefined) {
    const codes = operation.answers.get(status)
    if (codes === undefined && !OUTSIDE.has(status)) wrong(`${status} is not in the document`)
    const code = codeOf(text)
    if (codes !== undefined && status >= 400 && code !== undefined && !codes.includes(code))
      wrong(`${status} ${code} is not in the document`)
  }
  return faults
}

/** A method that a path does not take, and a body where none is accepted, belong to no operation. */
const OUTSIDE: ReadonlySet<number> = new Set([405, 413])

/** Not caused by the request: another server's fault, and a binding that this instance lacks. */
const isElsewhere = (status: number, text: string): boolean =>
  (status === 502 && codeOf(text) === "mcp_unreachable") || (status === 503 && codeOf(text) === "not_configured")

function notProblem({ method, path }: Sent, { status, headers, text }: Answer): string[] {
  const type = valueOf(headers, "content-type") ?? ""
  if (type !== "application/problem+json") return [`${status} as ${type || "nothing"}`]
  if (method === "HEAD") return []
  const problem = objectOf(text)
  if (problem === undefined) return ["a problem that is not a JSON object"]
  const missing = ["type", "title", "detail", "code", "instance"].filter(
    (name) => typeof problem[name] !== "string" || problem[name] === "",
  )
  const faults = missing.map((name) => `a problem without ${name}`)
  if (problem["status"] !== status) faults.push(`a problem of ${String(problem["status"])} as ${status}`)
  if (text.length > 1_048_576) faults.push("a problem of more than 1 MiB")
  if (
    /\bat \S+ \(|\/src\/\S+\.ts|node_modules|TypeError|RangeError|Cannot read prop|is not a function|internal error; reference/.test(
      detailsOf(problem, path),
    )
  )
    faults.push("a problem that reveals internals")
  return faults
}

/** Without the text that the client itself sent. */
const detailsOf = (problem: Record<string, unknown>, path: string): string =>
  path.length > 300 ? "" : `${String(problem["detail"])} ${String(problem["title"])}`

export function objectOf(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

const codeOf = (text: string): string | undefined => {
  const code = objectOf(text)?.["code"]
  return typeof code === "string" ? code : undefined
}

/** One line to find it again, and the request itself. */
export function shown({ method, path, headers, body }: Sent, { status, text, ms }: Answer): string {
  const own = headers.filter(([name]) => name !== "authorization").map(([name, value]) => `${name}: ${short(value, 200)}`)
  const lines = [
    `${method} ${short(path, 400)}`,
    ...own,
    ...(body === undefined ? [] : [`${body.byteLength} bytes: ${short(body.toString(), 700)}`]),
  ]
  return `${lines.join("\n")}\n→ ${status} after ${ms.toFixed(0)} ms ${short(text, 500)}`
}

/** Control characters are shown as escapes. */
const short = (text: string, most: number): string => {
  const visible = JSON.stringify(text.slice(0, most)).slice(1, -1).replaceAll('\\"', '"')
  return text.length > most ? `${visible}… (${text.length})` : visible
}
