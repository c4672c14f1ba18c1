// Repairs the events of a provider's stream before the provider's library reads them [B3]: a usage report that is missing, null, text or
// impossible must not fail an otherwise complete reply, or be read in part as a small figure. Such a report becomes zeros, which no reply
// can have used, so the call counts at its maximum cost. An event may also contain any number of calls, which a library processes at once:
// calls above the limit of a reply are dropped [G6]. Everything else passes unchanged, event for event.

import { isObject } from "../../core/json.ts"
import { MAX_KEPT_CALLS } from "../../core/run/session/calls.ts"

/** The maximum length of an event: the longest repeats a whole reply, and no run keeps a tenth of that [J20]. */
export const MAX_EVENT_CHARS = 4 * 1024 * 1024 // limit: characters of one event of a provider's stream → the call fails

/** One event of the stream exceeds the limit. */
export class EventTooLong extends Error {
  readonly size: number

  constructor(size: number) {
    super(`one event of the provider's stream is longer than ${MAX_EVENT_CHARS} characters`)
    this.size = size
  }
}

/** Events of the three APIs that hold a report. */
const MAY_REPORT = /"usage"|"message_start"|"message_delta"|"usageMetadata"/
/** An event without data keeps a connection open; a library takes it for JSON. */
const BLANK = /^data:[ \t]*\r?$/m

/** A shorter event cannot hold too many calls. */
const MANY_CALLS_CHARS = 16 * MAX_KEPT_CALLS

/** Takes text in arbitrary pieces, and returns whole lines. */
export class MendedEvents {
  #parts: string[] = []
  #size = 0

  take(text: string): string {
    const end = text.lastIndexOf("\n") + 1
    if (end === 0) {
      this.#keep(text)
      return ""
    }
    const lines = this.rest() + text.slice(0, end)
    if (end < text.length) this.#keep(text.slice(end))
    return mayNeed(lines) || BLANK.test(lines) ? lines.split("\n").map(mended).join("\n") : lines
  }

  rest(): string {
    this.#size = 0
    return this.#parts.splice(0).join("")
  }

  #keep(text: string): void {
    this.#size += text.length
    if (this.#size > MAX_EVENT_CHARS) throw new EventTooLong(this.#size)
    if (text !== "") this.#parts.push(text)
  }
}

/** One event's data as repaired JSON; undefined: it is not JSON. */
export function mendedEvent(data: string): unknown {
  const body = parsed(data)
  if (body && mayNeed(data)) {
    reportMended(body.value, body.isJson)
    callsCut(body.value)
  }
  return body?.value
}

const mayNeed = (text: string): boolean => MAY_REPORT.test(text) || text.length > MANY_CALLS_CHARS

function mended(line: string): string {
  // A comment in its place.
  if (BLANK.test(line)) return line.endsWith("\r") ? ":\r" : ":"
  if (!mayNeed(line)) return line
  const [, json] = /^data:(.*?)\r?$/.exec(line) ?? []
  const body = json === undefined ? undefined : parsed(json)
  if (!body) return line
  const changes = [reportMended(body.value, body.isJson), callsCut(body.value)]
  return changes.includes(true) ? `data: ${JSON.stringify(body.value)}${line.endsWith("\r") ? "\r" : ""}` : line
}

/** Whether the event must be written anew. */
function reportMended(body: unknown, isJson: boolean): boolean {
  const report = placeOf(body)
  if (!report) return geminiMended(body)
  const { holder, needed } = report
  const isSound = isReport(holder["usage"], needed)
  if (!isSound) holder["usage"] = ZEROS
  const named = namesCached(holder["usage"])
  return !isSound || !isJson || named
}

/** Servers that name cached tokens in their own way: DeepSeek, Moonshot. The library knows only the members of OpenAI. */
const CACHED = ["prompt_cache_hit_tokens", "cached_tokens"] as const

/** Whether the report got the name that the library reads. */
function namesCached(usage: unknown): boolean {
  if (!isObject(usage)) return false
  const name = CACHED.find((key) => isCount(usage[key]))
  const details = isObject(usage["prompt_tokens_details"]) ? usage["prompt_tokens_details"] : {}
  if (name === undefined || isPresent(details["cached_tokens"])) return false
  usage["prompt_tokens_details"] = { ...details, cached_tokens: usage[name] }
  return true
}

/** Chat Completions alone has lists of calls in its events. One more than are kept, so that the reader sees that there were more. */
function callsCut(body: unknown): boolean {
  const choices = isObject(body) ? body["choices"] : undefined
  let changed = false
  for (const choice of Array.isArray(choices) ? choices : []) {
    const delta: unknown = isObject(choice) ? choice["delta"] : undefined
    const calls = isObject(delta) ? delta["tool_calls"] : undefined
    if (!isObject(delta) || !Array.isArray(calls) || calls.length <= MAX_KEPT_CALLS + 1) continue
    delta["tool_calls"] = calls.slice(0, MAX_KEPT_CALLS + 1)
    changed = true
  }
  return changed
}

/** Each API reads its own members, and requires some of them. */
const ZEROS = { prompt_tokens: 0, completion_tokens: 0, input_tokens: 0, output_tokens: 0 }

function parsed(json: string): { readonly value: unknown; readonly isJson: boolean } | undefined {
  for (const isJson of [true, false]) {
    try {
      // Some servers write numbers that JSON does not have.
      return { value: JSON.parse(isJson ? json : json.replace(/:\s*-?(?:NaN|Infinity)(?=\s*[,}])/g, ":-1")), isJson }
    } catch {
      continue
    }
  }
  return undefined
}

/** Where this event has its report, and the members that the library requires there; undefined: it has none, and needs none. */
function placeOf(body: unknown): { readonly holder: Record<string, unknown>; readonly needed: readonly string[] } | undefined {
  if (!isObject(body)) return undefined
  const { type, message, response } = body
  // Messages.
  if (type === "message_start") return isObject(message) ? { holder: message, needed: ["input_tokens"] } : undefined
  if (type === "message_delta") return { holder: body, needed: ["output_tokens"] }
  // Responses. Without a report the library has no figures.
  if (typeof type === "string" && type.startsWith("response."))
    return isObject(response) && isPresent(response["usage"]) ? { holder: response, needed: ["input_tokens", "output_tokens"] } : undefined
  // Chat Completions.
  return isPresent(body["usage"]) ? { holder: body, needed: ["prompt_tokens", "completion_tokens"] } : undefined
}

const isPresent = (value: unknown): boolean => value !== undefined && value !== null

/** Gemini's report, which no reply needs. */
function geminiMended(body: unknown): boolean {
  const usage = isObject(body) ? body["usageMetadata"] : undefined
  if (!isObject(body) || !isPresent(usage)) return false
  const isSound = isObject(usage) && Object.entries(usage).every(([name, n]) => !name.endsWith("TokenCount") || !isPresent(n) || isCount(n))
  if (!isSound) body["usageMetadata"] = null
  return !isSound
}

/** Are all figures counts of tokens, in the report and in its details, and the needed ones among them? */
function isReport(usage: unknown, needed: readonly string[]): boolean {
  if (!isObject(usage) || !needed.every((name) => isPresent(usage[name]))) return false
  return Object.entries(usage).every(([name, value]) => {
    if (!isPresent(value)) return true
    if (name.endsWith("_tokens")) return isCount(value)
    if (!name.endsWith("_tokens_details")) return true
    return isObject(value) && Object.entries(value).every(([n, v]) => !n.endsWith("_tokens") || !isPresent(v) || isCount(v))
  })
}

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0
