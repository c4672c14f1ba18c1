// Mends the events of a provider's stream before the provider's library reads them [B3]: a report of usage that is missing, null,
// text or impossible must not fail a reply that is otherwise whole, and a library must not read a part of it as a small figure.
//
// Such a report becomes zeros, which no reply can have used: the call then counts as the most that it can cost. Everything else passes
// unchanged, event for event.

import { isObject } from "../core/json.ts"

/** An unfinished event may be this long: the longest repeats a whole reply, with every character escaped. */
export const MAX_EVENT_CHARS = 16 * 1024 * 1024

/** Events of the three APIs that hold a report. */
const MAY_REPORT = /"usage"|"message_start"|"message_delta"/

/** Takes text in arbitrary pieces, and returns it by whole lines. */
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
    return MAY_REPORT.test(lines) ? lines.split("\n").map(mended).join("\n") : lines
  }

  rest(): string {
    this.#size = 0
    return this.#parts.splice(0).join("")
  }

  #keep(text: string): void {
    this.#size += text.length
    if (this.#size > MAX_EVENT_CHARS) throw new Error(`one event of the provider's stream is longer than ${MAX_EVENT_CHARS} characters`)
    if (text !== "") this.#parts.push(text)
  }
}

function mended(line: string): string {
  if (!MAY_REPORT.test(line)) return line
  const [, json] = /^data:(.*?)\r?$/.exec(line) ?? []
  const body = json === undefined ? undefined : parsed(json)
  const report = body && placeOf(body.value)
  if (!body || !report) return line
  const { holder, needed } = report
  const isSound = isReport(holder["usage"], needed)
  if (isSound && body.isJson) return line
  if (!isSound) holder["usage"] = ZEROS
  return `data: ${JSON.stringify(body.value)}${line.endsWith("\r") ? "\r" : ""}`
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
