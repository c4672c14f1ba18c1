// Limits the bytes, events and requests that an MCP server may send during one list or call [T27, N4]. Beyond a limit the call fails with
// the reason. Everything is read in pieces, so that other work gets its turn.

import { JsonMeter } from "../../core/outside/json-meter.ts"
import { Breath } from "../../ports/breath.ts"

/** Limit: bytes of all answers to one list or call → the call fails. */
export const MAX_BYTES = 8 * 1024 * 1024
const MOST_VALUES = 200_000 // limit: values of all answers to one list or call → the call fails
/** Progress, log lines, pings and comments, on all streams of a list or call. */
const MAX_EVENTS = 10_000 // limit: events that an MCP server sends during one list or call → the call fails, with the reason
/** Each ping of a server is a request to it. */
// Limit: requests to an MCP server for one list or call, replies to its pings among them → the call fails, with the reason.
const MAX_SENT = 500
/** Nobody sends it several requests at once, so it has no reason to answer with many messages. */
const MAX_BATCH = 64 * 1024 // limit: bytes of a body with several messages of an MCP server → the call fails, with the reason

/** An event is parsed, checked and maybe answered: about twenty of them are a slice of the thread's time, or 100 KB. */
const EVENT_WORK = 50_000
const BYTE_WORK = 10
const AT_ONCE = 20

export interface Flood {
  /** Aborts when the server has said too much. */
  readonly signal: AbortSignal
  /** Why it did. */
  reason(): Error | undefined
  /** Before a request is sent. Throws. */
  sends(): void
  /** The same bytes, counted; those of a stream of events in pieces. */
  read(body: ReadableStream<Uint8Array>, type: string | undefined, done?: () => void): ReadableStream<Uint8Array>
}

export function flood(): Flood {
  const gone = new AbortController()
  const breath = new Breath(gone.signal)
  const left = { bytes: MAX_BYTES, events: MAX_EVENTS, sent: MAX_SENT }
  const values = { most: MOST_VALUES, left: MOST_VALUES }
  let reason: Error | undefined
  const stop = (why: string): Error => {
    reason ??= new Error(why)
    gone.abort(reason)
    return reason
  }
  const take = (what: keyof typeof left, count: number, why: string): void => {
    left[what] -= count
    if (left[what] < 0) throw stop(why)
  }
  const bytes = (count: number): void => take("bytes", count, `its answers are larger than ${MAX_BYTES / 1024 / 1024} MiB`)

  return {
    signal: gone.signal,
    reason: () => reason,
    sends: () => {
      if (reason !== undefined) throw reason
      take("sent", 1, `it wants more than ${MAX_SENT} requests for one call, such as replies to its pings`)
    },
    read(body, type, done) {
      const isStream = type?.toLowerCase().includes("event-stream") === true
      const ends = blankLines()
      const meter = new JsonMeter(values, isStream)
      let batch = isStream ? false : undefined
      let seen = 0
      return body.pipeThrough(
        new TransformStream<Uint8Array, Uint8Array>({
          async transform(chunk, controller) {
            bytes(chunk.byteLength)
            const why = meter.take(chunk)
            if (why !== undefined) throw stop(`its answer ${why}`)
            if (!isStream) {
              seen += chunk.byteLength
              batch ??= startsBatch(chunk)
              if (batch && seen > MAX_BATCH) throw stop(`it answers with more than ${MAX_BATCH / 1024} KiB of messages at once`)
              controller.enqueue(chunk)
              return
            }
            for (const [from, to, events] of pieces(chunk, ends)) {
              take("events", events, `it sends more than ${MAX_EVENTS.toLocaleString("en")} events, such as progress and log lines`)
              await breath.compute(events * EVENT_WORK + (to - from) * BYTE_WORK, () => controller.enqueue(chunk.subarray(from, to)))
            }
          },
          flush: () => done?.(),
        }),
      )
    },
  }
}

const [TAB, LF, CR, SPACE, BRACKET] = [9, 10, 13, 32, 91]

/** undefined: there is nothing yet but blanks. */
function startsBatch(chunk: Uint8Array): boolean | undefined {
  const first = chunk.find((byte) => byte !== TAB && byte !== LF && byte !== CR && byte !== SPACE)
  return first === undefined ? undefined : first === BRACKET
}

/** Tells whether this byte ends an event: it ends an empty line, by LF, CR or both. */
export function blankLines(): (byte: number) => boolean {
  let [isEmpty, before] = [true, 0]
  return (byte) => {
    const isSecond = byte === LF && before === CR
    before = byte
    if (isSecond) return false
    const isEnd = byte === LF || byte === CR
    const ends = isEnd && isEmpty
    isEmpty = isEnd
    return ends
  }
}

/** Parts of at most `AT_ONCE` events. */
export function* pieces(
  chunk: Uint8Array,
  ends: (byte: number) => boolean,
): Generator<readonly [from: number, to: number, events: number]> {
  let [from, events] = [0, 0]
  for (let i = 0; i < chunk.byteLength; i++) {
    if (!ends(chunk[i] ?? 0) || ++events < AT_ONCE) continue
    yield [from, i + 1, events]
    ;[from, events] = [i + 1, 0]
  }
  if (from < chunk.byteLength) yield [from, chunk.byteLength, events]
}
