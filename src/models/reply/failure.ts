// Describes a failed model call as data [M1, F33]: status, a readable message, whether a retry can help, how long to wait.
//
// Handles everything that a provider, its library or the runtime throws. The message never contains a key: the `apiKey` setting is removed
// in every spelling, and so is anything that looks like a bearer token. Secrets are removed before anything is cut, joined or unwrapped
// [T32].

import { defined } from "../../core/defined.ts"
import { isObject } from "../../core/json.ts"
import { beginning } from "../../core/secrets/beginning.ts"
import { toldChecks } from "../../core/schema/told-checks.ts"
import { NO_SECRETS, type Redactor } from "../../core/secrets/redact.ts"
import { ratesIn } from "../../core/pacing/rate-headers.ts"
import { retryAfter } from "../../core/text/retry-after.ts"
import { EventTooLong } from "./mended-events.ts"
import { NoStream } from "./no-stream.ts"
import { isOverflow } from "./overflow.ts"
import { StreamTooLong } from "./stream-bytes.ts"
import type { ModelError } from "../../ports/model.ts"

const MAX_DETAIL = 600 // limit: characters of a provider's fault → the rest is cut
const MAX_NAME = 100 // limit: characters of the name of a provider behind a gateway → the rest is cut
const LOST = "the connection to the provider was lost: "
/** Characters read of an HTML page: the title is near the start. */
const MAX_PAGE = 20_000 // limit: characters read of a provider's error page → the rest is not read
/** Characters of a JSON body that is unwrapped; of a longer one only the beginning is shown. */
const MAX_JSON = 32_768

/** [F33] 408, 409, 429 and 5xx are retryable; every other status is final. No status: the connection was lost. */
export const retryableStatus = (status: number | undefined): boolean =>
  status === undefined || status === 408 || status === 409 || status === 429 || status >= 500

// An `error` inside a stream that started with 200 has a type or code, and often no status.
const FINAL_KINDS =
  /invalid|authentication|permission|not_found|context_length|too_large|insufficient_quota|billing|content_policy|unsupported/i
// Errors of the provider library about our request or settings: a retry does not help.
const FINAL_NAMES = new Set([
  "AI_LoadAPIKeyError",
  "AI_LoadSettingError",
  "AI_InvalidArgumentError",
  "AI_InvalidPromptError",
  "AI_NoSuchModelError",
  "AI_NoSuchProviderReferenceError",
  "AI_UnsupportedFunctionalityError",
])

/** What an error may show of a provider's text: at most so many characters, without secrets. */
type Shown = (text: string, most: number) => string

interface Told {
  /** Needed only for a `Retry-After` date from a server that sends no `Date`. */
  readonly now?: () => number
  /** The tenant's other secrets. */
  readonly redactor?: Redactor
}

/** `secrets`: the provider's secrets, to be removed. */
export function failureOf(error: unknown, secrets: readonly string[], { now = Date.now, redactor = NO_SECRETS }: Told = {}): ModelError {
  const shown: Shown = (text, most) => tokensOut(beginning(keysOut(text, secrets), most, redactor))
  const fields: Record<string, unknown> = isObject(error) ? error : {}
  const long = [error, fields["cause"]].find((e) => e instanceof EventTooLong)
  if (long) return { message: long.message, retryable: true, tooLong: long.size }
  const endless = [error, fields["cause"]].find((e) => e instanceof StreamTooLong)
  if (endless) return { message: endless.message, retryable: false }
  if (error instanceof NoStream) return noStream(error, secrets, { now, redactor })
  const status = errorStatus(fields)
  const detail = detailOf(error, fields, shown)
  if (status !== undefined) {
    const wait = waitAsked(fields["responseHeaders"], now)
    const rates = ratesIn(headerIn(fields["responseHeaders"]), now())
    return {
      status,
      message: `the provider answered ${status}${detail === "" ? "" : `: ${detail}`}`,
      retryable: retryableStatus(status),
      ...(MAY_OVERFLOW.has(status) && isOverflow(codesIn(fields), detail) ? { overflow: true } : {}),
      ...defined({ retryAfter: wait }),
      ...(rates.length === 0 ? {} : { rates }),
    }
  }
  if (typeof fields["name"] === "string" && FINAL_NAMES.has(fields["name"])) {
    return { message: `the model could not be called: ${detail}`, retryable: false }
  }
  if (!(error instanceof Error) && isObject(error)) {
    const codes = codesIn(fields)
    const final = codes.some((kind) => typeof kind === "string" && FINAL_KINDS.test(kind))
    const overflow = isOverflow(codes, detail) ? { overflow: true } : {}
    return {
      message: `the provider ended its stream with an error: ${detail}`,
      retryable: !final && !("overflow" in overflow),
      ...overflow,
    }
  }
  return { message: `${LOST}${detail}`, retryable: true }
}

/** Some servers answer 500 to a request that is too long. */
const MAY_OVERFLOW: ReadonlySet<number> = new Set([400, 413, 422, 500])

/** What an error says of itself beside its words, in an event or in a body. */
function codesIn(fields: Record<string, unknown>): readonly unknown[] {
  const body = fields["responseBody"]
  const inside = typeof body === "string" && body.length <= MAX_JSON ? jsonIn(body) : fields
  const holders = [inside, Array.isArray(inside) ? inside[0] : undefined].filter(isObject)
  const response = fields["response"]
  const nested = [...holders.map((holder) => holder["error"]), isObject(response) ? response["error"] : undefined].filter(isObject)
  return [...holders, ...nested].flatMap(({ type, code }) => [type, code])
}

/** An error inside is that error, as in a stream. */
function noStream({ said }: NoStream, secrets: readonly string[], told: Required<Told>): ModelError {
  const inside = jsonIn(said)
  const error = isObject(inside) ? inside["error"] : undefined
  if (isObject(error)) return failureOf(error, secrets, told)
  const { message } = failureOf(new Error(said), secrets, told)
  return {
    message: `the provider answered with no stream: ${said.trim() === "" ? "nothing" : message.slice(LOST.length)}`,
    retryable: true,
  }
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** An error in settings or scripts: a retry does not help. */
export const refusal = (message: string, status?: number): ModelError => ({ message, retryable: false, ...defined({ status }) })

export const scrub = (message: string, secrets: readonly string[]): string => tokensOut(keysOut(message, secrets))

function keysOut(message: string, secrets: readonly string[]): string {
  let text = message
  for (const secret of secrets) {
    const raw = secret.trim()
    if (raw === "") continue
    for (const form of new Set([secret, raw, encodeURIComponent(raw), JSON.stringify(raw).slice(1, -1)]))
      text = text.replaceAll(form, "[key]")
  }
  return text
}

function tokensOut(message: string): string {
  const text = message.replace(/\b(bearer)\s+[\w.~+/=*-]{6,}/gi, "$1 [key]")
  return text.replace(/\b(?:sk|pk|rk|gsk|xai|key)-[\w*-]{6,}/g, "[key]")
}

function errorStatus(fields: Record<string, unknown>): number | undefined {
  for (const key of ["statusCode", "status", "code"]) {
    const value = Number(fields[key])
    // An error with a 2xx status is a response that broke off, so it has no error status.
    if (fields[key] !== null && Number.isInteger(value) && value >= 300 && value <= 599) return value
  }
  return undefined
}

function detailOf(error: unknown, fields: Record<string, unknown>, shown: Shown): string {
  const body = fields["responseBody"]
  const unwrapped = typeof body === "string" ? readable(body, shown) : undefined
  if (unwrapped !== undefined) return unwrapped
  // Of an event that does not fit, what the server says in it, and not what is wrong with its form.
  const said =
    error instanceof Error ? (isObject(fields["value"]) ? sentence(fields["value"], shown, 0) : undefined) : sentence(fields, shown, 0)
  if (said !== undefined) return said
  const own = typeof fields["message"] === "string" ? fields["message"] : typeof error === "string" ? error : ""
  const cause = fields["cause"]
  // For a body that broke off, the cause says more than the library's message.
  if (own.startsWith("Failed to process") && cause instanceof Error) return readable(cause.message, shown) ?? "no reason given"
  const under = cause instanceof Error && !own.includes(cause.message) ? shown(cause.message, MAX_DETAIL) : ""
  const joined = [readable(own, shown) ?? "", under].filter((part) => part !== "").join(": ")
  return joined === "" ? "no reason given" : joined
}

/** The message inside a body: JSON is unwrapped as deep as gateways nest it, an HTML page gives its title. */
function readable(text: string, shown: Shown, depth = 0): string | undefined {
  const whole = text.trim()
  const trimmed = whole.endsWith("]") ? toldChecks(shown(whole, whole.length)) : whole
  if (trimmed === "") return undefined
  if (/^[[{]/.test(trimmed) && depth < 4 && trimmed.length <= MAX_JSON) {
    try {
      const found = sentence(JSON.parse(shown(trimmed, trimmed.length)), shown, depth)
      if (found !== undefined) return found
    } catch {
      // Not JSON: shown as plain text.
    }
  }
  const page = shown(trimmed, MAX_PAGE)
  const plain = page.startsWith("<") ? (/<title[^>]*>([^<]*)<\/title>/i.exec(page)?.[1] ?? page.replace(/<[^>]*>/g, " ")) : page
  const line = plain.replace(/\s+/g, " ").trim()
  return beginning(line, MAX_DETAIL)
}

function sentence(value: unknown, shown: Shown, depth: number): string | undefined {
  if (typeof value === "string") return readable(value, shown, depth + 1)
  if (Array.isArray(value)) return value.length === 0 ? undefined : sentence(value[0], shown, depth)
  if (!isObject(value)) return undefined
  // Checks of a server in Python; the whole of a request is `body` there.
  if (Array.isArray(value["loc"]) && typeof value["msg"] === "string") {
    const place = value["loc"].filter((step, at) => at > 0 || step !== "body").map((step) => `/${String(step)}`)
    return readable(place.length === 0 ? value["msg"] : `${place.join("")}: ${value["msg"]}`, shown, depth + 1)
  }
  // A gateway's own words say only that the provider behind it refused.
  const { metadata } = value
  const behind = isObject(metadata) ? sentence(metadata["raw"], shown, depth) : undefined
  if (behind !== undefined && isObject(metadata)) {
    const name = metadata["provider_name"]
    return typeof name === "string" ? `${shown(name, MAX_NAME)}: ${behind}` : behind
  }
  for (const key of ["response", "error", "message", "detail", "msg", "errors", "description"]) {
    const found = sentence(value[key], shown, depth)
    if (found !== undefined) return found
  }
  return undefined
}

/** [F33] The requested wait. */
function waitAsked(headers: unknown, now: () => number): number | undefined {
  return isObject(headers) ? retryAfter(headerIn(headers), now) : undefined
}

const headerIn =
  (headers: unknown) =>
  (name: string): string | undefined => {
    const value = isObject(headers) ? headers[name] : undefined
    return typeof value === "string" ? value : undefined
  }
