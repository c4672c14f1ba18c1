// Merges a streamed reply into fewer, larger pieces [M5]: adjacent deltas of one text, or of one call's arguments, become one event before
// the provider's library reads them. Each event costs the library about 0.27 ms of CPU in workerd (five streams in sequence), and a
// connection that always has more data starves all others: a reply of 240 KB in pieces of four characters blocked every other request for
// 40 s, and the platform closed those requests. The content is unchanged: nothing is reordered, and an event that is not certainly a delta
// of the same text passes unchanged.

import { isObject } from "../../core/json.ts"
import { EventTooLong, MAX_EVENT_CHARS, MendedEvents } from "./mended-events.ts"
import { Grace } from "./grace.ts"
import { ENCODED, shortened, StreamBytes } from "./stream-bytes.ts"
import { StreamEnd } from "./stream-end.ts"
import { anyMarks, type Known } from "./stream-marks.ts"
import { later, pause } from "../../ports/timers.ts"

/** How long a piece may wait for more: readers get a frame at most every 100 ms. */
const WAIT_MS = 20
/** After this much text, other work gets a turn: otherwise a connection with constant data would be read without a break. */
const TURN_CHARS = 64 * 1024
/** Members that differ between events without meaning. */
const NUMBERING = ["sequence_number", "obfuscation"]

/** Merges the deltas of a stream. `known`: the API's form of deltas. */
export function gathered(fetch: typeof globalThis.fetch, known: () => Known = anyMarks): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, init)
    const { body, ok, status, statusText } = response
    if (!ok) return shortened(response)
    if (!body || /^application\/json\b/i.test(response.headers.get("content-type") ?? "")) return response
    const headers = new Headers(response.headers)
    for (const name of ENCODED) headers.delete(name)
    return new Response(gather(body, known()), { status, statusText, headers })
  }
}

function gather(body: ReadableStream<Uint8Array>, known: Known): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  const encoder = new TextEncoder()
  const deltas = new NeighborDeltas()
  const events = new MendedEvents()
  const end = new StreamEnd()
  const bytes = new StreamBytes()
  let reading: ReturnType<typeof reader.read> | undefined
  let broken: { readonly by: unknown } | undefined

  const read = (): ReturnType<typeof reader.read> => {
    if (reading === undefined) {
      reading = reader.read()
      // The read may fail while no one awaits it; the next await sees the error.
      reading.catch(() => undefined)
    }
    return reading
  }

  /** The text that arrives within WAIT_MS of its first piece. `grace`: nothing more need come. */
  async function moment(grace: Promise<undefined> | undefined): Promise<{ text: string; done: boolean }> {
    let text = ""
    let cancel: (() => void) | undefined
    let due = grace
    try {
      while (text.length < TURN_CHARS) {
        const came = await (due ? Promise.race([read(), due]) : read())
        if (came === undefined) return { text, done: due === grace }
        reading = undefined
        if (came.done) return { text: text + decoder.decode(), done: true }
        bytes.take(came.value.byteLength)
        text += decoder.decode(came.value, { stream: true })
        if (due === grace) due = new Promise((resolve) => (cancel = later(() => resolve(undefined), WAIT_MS)))
      }
    } catch (error) {
      // Text received before the error is passed on first.
      broken = { by: error }
      return { text, done: false }
    } finally {
      cancel?.()
    }
    await pause(0)
    return { text, done: false }
  }

  const grace = new Grace()
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        for (let ready = ""; ready === "";) {
          if (broken) throw broken.by
          const { text: came, done: isLast } = await moment(grace.over)
          end.take(came)
          const text = isLast ? came + end.missing() : came
          ready = known.take(events.take(deltas.take(text) + (isLast ? deltas.rest() : ""))) + (isLast ? events.rest() : "")
          const done = isLast || known.over === "now"
          if (done) ready += known.rest()
          else if (known.over === "soon" && ready.includes("data:")) grace.begin()
          if (ready !== "") controller.enqueue(encoder.encode(ready))
          if (!done) continue
          grace.end()
          // The server may leave it open.
          reader.cancel().catch(() => undefined)
          return controller.close()
        }
      },
      cancel(reason) {
        grace.end()
        return reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
}

/** Turns text in arbitrary pieces into whole events, with adjacent deltas merged. */
export class NeighborDeltas {
  /** The pieces of an incomplete event. */
  #parts: string[] = []
  #size = 0
  #plain = false

  take(text: string): string {
    // A stream with other line ends passes unchanged; JSON has no bare carriage return, so one means such line ends.
    if (text.includes("\r")) this.#plain = true
    if (this.#plain) return this.rest() + text
    const split = text.startsWith("\n") && this.#parts.at(-1)?.endsWith("\n") === true
    if (!split && !text.includes("\n\n")) {
      this.#keep(text)
      return ""
    }
    const all = this.rest() + text
    const end = all.lastIndexOf("\n\n") + 2
    this.#keep(all.slice(end))
    return joined(all.slice(0, end))
  }

  #keep(text: string): void {
    this.#size += text.length
    if (this.#size > MAX_EVENT_CHARS) throw new EventTooLong(this.#size)
    if (text !== "") this.#parts.push(text)
  }

  rest(): string {
    this.#size = 0
    return this.#parts.splice(0).join("")
  }
}

/** An event with one delta: everything except the text, and the text. */
interface Delta {
  readonly event: string
  readonly body: object
  readonly rest: string
  readonly put: (text: string) => void
  readonly text: string
}

function joined(events: string): string {
  const out: string[] = []
  let open: (Delta & { parts: string[]; as: string }) | undefined
  const close = (): void => {
    if (!open) return
    open.put(open.parts.join(""))
    out.push(open.parts.length === 1 ? open.as : `${open.event}data: ${JSON.stringify(open.body)}\n\n`)
    open = undefined
  }
  for (const event of events.split("\n\n")) {
    if (event === "" || isComment(event)) continue
    const delta = deltaOf(event)
    if (delta && open && open.event === delta.event && open.rest === delta.rest) open.parts.push(delta.text)
    else {
      close()
      if (delta) open = { ...delta, parts: [delta.text], as: `${event}\n\n` }
      else out.push(`${event}\n\n`)
    }
  }
  close()
  return out.join("")
}

/** It only keeps a connection open. */
const isComment = (event: string): boolean => event.startsWith(":") && !event.includes("\n")

function deltaOf(event: string): Delta | undefined {
  const [, name = "", json] = /^(event:.*\n)?data:(.*)$/.exec(event) ?? []
  if (json === undefined) return undefined
  let body: unknown
  try {
    body = JSON.parse(json)
  } catch {
    return undefined
  }
  const place = isObject(body) ? placeOf(body) : undefined
  if (!place || !isObject(body)) return undefined
  const { holder, key } = place
  const text = holder[key]
  if (typeof text !== "string") return undefined
  const put = (now: string): void => void (holder[key] = now)
  put("")
  const rest = JSON.stringify(Object.entries(body).filter(([member]) => !NUMBERING.includes(member)))
  return { event: name, body, rest, put, text }
}

/** Where this delta's text is, if it has exactly one growing text. */
function placeOf(body: Record<string, unknown>): { holder: Record<string, unknown>; key: string } | undefined {
  const { type, delta, choices } = body
  // Messages.
  if (type === "content_block_delta") return only(delta, ["text", "partial_json", "thinking"])
  // Responses.
  if (typeof type === "string" && type.endsWith(".delta") && typeof delta === "string") return { holder: body, key: "delta" }
  // Chat Completions.
  const choice: unknown = Array.isArray(choices) && choices.length === 1 ? choices[0] : undefined
  if (!isObject(choice) || !isObject(choice["delta"])) return undefined
  const said = choice["delta"]
  const calls = said["tool_calls"]
  if (!Array.isArray(calls)) return only(said, ["content", "reasoning", "reasoning_content"])
  const call: unknown = calls.length === 1 ? calls[0] : undefined
  // An id or a name starts a new call.
  if (!isObject(call) || call["id"] !== undefined || !isObject(call["function"]) || call["function"]["name"] !== undefined) return undefined
  return typeof said["content"] === "string" ? undefined : only(call["function"], ["arguments"])
}

function only(holder: unknown, keys: readonly string[]): { holder: Record<string, unknown>; key: string } | undefined {
  if (!isObject(holder)) return undefined
  const [key, second] = keys.filter((k) => typeof holder[k] === "string")
  return key === undefined || second !== undefined ? undefined : { holder, key }
}
