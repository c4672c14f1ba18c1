// A streamed reply with fewer and larger pieces [M5]: neighbouring deltas of one text, or of one call's arguments, are made one event
// before the provider's library reads them. An event costs there about 0.27 ms of processor in workerd (five streams, one behind the
// other); and a connection that always has more to read is read without a turn for others: a reply of 240 KB in pieces of four
// characters kept every other request waiting for 40 s, and the platform closed those unread. What is read is the same: nothing is
// reordered, and an event that is not surely a delta of the same thing goes on as it came.

import { isObject } from "../core/json.ts"

/** How long a piece may wait for the next ones: readers are shown a frame every 100 ms at most. */
const WAIT_MS = 20
/** After so much, others get a turn: a connection that always has more to read would be read without end. */
const TURN_CHARS = 64 * 1024
/** These differ from event to event and say nothing. */
const NUMBERING = ["sequence_number", "obfuscation"]

export function gathered(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, init)
    const { body, ok, status, statusText } = response
    if (!ok || !body || response.headers.get("content-type")?.includes("text/event-stream") !== true) return response
    const headers = new Headers(response.headers)
    // The body is decoded already, and its length another one.
    for (const name of ["content-encoding", "content-length"]) headers.delete(name)
    return new Response(gather(body), { status, statusText, headers })
  }
}

function gather(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  const encoder = new TextEncoder()
  const deltas = new NeighbourDeltas()
  let reading: ReturnType<typeof reader.read> | undefined
  let broken: { readonly by: unknown } | undefined

  const read = (): ReturnType<typeof reader.read> => {
    if (reading === undefined) {
      reading = reader.read()
      // It may fail while nobody waits for it; whoever reads next is told.
      reading.catch(() => undefined)
    }
    return reading
  }

  /** What comes within a moment, counted from its first piece. */
  async function moment(): Promise<{ text: string; done: boolean }> {
    let text = ""
    let timer: ReturnType<typeof setTimeout> | undefined
    let due: Promise<undefined> | undefined
    try {
      while (text.length < TURN_CHARS) {
        const came = await (due ? Promise.race([read(), due]) : read())
        if (came === undefined) return { text, done: false }
        reading = undefined
        if (came.done) return { text: text + decoder.decode(), done: true }
        text += decoder.decode(came.value, { stream: true })
        due ??= new Promise((resolve) => (timer = setTimeout(() => resolve(undefined), WAIT_MS)))
      }
    } catch (error) {
      // What came before the break is handed on before it is told.
      broken = { by: error }
      return { text, done: false }
    } finally {
      clearTimeout(timer)
    }
    await new Promise<void>((resolve) => void setTimeout(resolve, 0))
    return { text, done: false }
  }

  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        for (let ready = ""; ready === "";) {
          if (broken) throw broken.by
          const { text, done } = await moment()
          ready = deltas.take(text) + (done ? deltas.rest() : "")
          if (ready !== "") controller.enqueue(encoder.encode(ready))
          if (done) return controller.close()
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}

/** Whole events out of text that comes in any pieces, neighbours made one. */
export class NeighbourDeltas {
  /** What has come of an event that is not whole. */
  #parts: string[] = []
  #plain = false

  take(text: string): string {
    // Lines may end otherwise; JSON holds no bare carriage return, so this is seen at once.
    if (text.includes("\r")) this.#plain = true
    if (this.#plain) return this.rest() + text
    const split = text.startsWith("\n") && this.#parts.at(-1)?.endsWith("\n") === true
    if (!split && !text.includes("\n\n")) {
      if (text !== "") this.#parts.push(text)
      return ""
    }
    const all = this.rest() + text
    const end = all.lastIndexOf("\n\n") + 2
    if (end < all.length) this.#parts.push(all.slice(end))
    return joined(all.slice(0, end))
  }

  rest(): string {
    return this.#parts.splice(0).join("")
  }
}

/** An event of one delta: its words but for the text, and the text. */
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
    if (event === "") continue
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

/** Where the text of this delta stands, when it holds one text and nothing else that grows. */
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
  // An id or a name begins a call.
  if (!isObject(call) || call["id"] !== undefined || !isObject(call["function"]) || call["function"]["name"] !== undefined) return undefined
  return typeof said["content"] === "string" ? undefined : only(call["function"], ["arguments"])
}

function only(holder: unknown, keys: readonly string[]): { holder: Record<string, unknown>; key: string } | undefined {
  if (!isObject(holder)) return undefined
  const [key, second] = keys.filter((k) => typeof holder[k] === "string")
  return key === undefined || second !== undefined ? undefined : { holder, key }
}
