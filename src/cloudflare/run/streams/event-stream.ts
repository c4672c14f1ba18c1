// Serves a run's journal to one reader over SSE [E4]. It reads with a cursor of its own, so it has no gaps or duplicates, whatever it
// missed. The stream waits for a slow reader and does not buffer, so unread events use no memory. A reader that reads nothing is
// disconnected, and reconnects with Last-Event-ID as after any broken connection [N4].

import type { SpokenPiece } from "../../../core/run/protocol/sent-text.ts"
import type { PiFlowsFrame } from "../../../core/run/views/pi-flows.ts"
import type { Projection } from "../../../engine/run/projections.ts"
import type { RunEvent } from "../../../core/run/event.ts"
import { Breath } from "../../../ports/breath.ts"
import { every } from "../../../ports/timers.ts"
import { READ_WORK } from "../journal/journal-pages.ts"
import type { LiveReader, TextSoFar } from "./live-frames.ts"

const PAGE = 200
/** The edge closes silent streams; a comment every 10 s keeps them open ([E4] requires ≤ 15 s). */
const HEARTBEAT_MS = 10_000
/** A reader is cut off that takes nothing of one write while so many heartbeats pass, or after the first so many characters more would have been
 *  sent. */
const MOST_BEATS = 6 // limit: heartbeats in which a reader takes nothing → its stream ends; it comes back at its cursor
// Limit: characters that pass while a reader takes nothing → its stream ends; it comes back at its cursor.
export const MOST_UNTAKEN = 1024 * 1024
/** Characters of a page after which others get a turn. */
const SHARED = 16 * 1024
const MAX_TRANSIENT = 100 // limit: transient frames that wait for a reader → they are left out

export interface StreamSource {
  /** At most `limit` events, fewer if they are large. An empty page: there are no more yet. */
  read(after: number, limit: number): RunEvent[]
  /** Whether the run has ended, so that nothing follows its last event. */
  over(): boolean
}

export interface StreamStart {
  readonly source: StreamSource
  /** The reader already has all events up to this one. */
  readonly after: number
  /** A frame to send before the events. */
  readonly first?: string | undefined
  readonly closed: (stream: EventStream) => void
  /** [E3] Absent: the events themselves. */
  readonly projection?: Projection | undefined
  /** Frames of this kind are sent too; by default all without a projection, none with one. */
  readonly shows?: (event: string) => boolean
  /** What open turns have said, for a reader that has just read the whole journal. */
  readonly soFar?: () => readonly TextSoFar[]
}

const lineOf = ({ event, data }: PiFlowsFrame): string => `${event === "" ? "" : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`

const transient = (event: string, data: object): string => `event: ${event}\ndata: ${JSON.stringify({ type: event, ...data })}\n\n`

export class EventStream implements LiveReader {
  readonly size = 1
  readonly response: Response
  readonly #projection: Projection | undefined
  readonly #source: StreamSource
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>
  readonly #encoder = new TextEncoder()
  readonly #breath = new Breath()
  readonly #closed: (stream: EventStream) => void
  readonly #shows: (event: string) => boolean
  readonly #soFar: () => readonly TextSoFar[]
  /** The reader has had the whole journal, and the text that open turns had said by then. */
  #joined = false
  #cursor: number
  #transient: string[] = []
  /** Pieces of open turns, for a projection that tells them. */
  #pieces: SpokenPiece[] = []
  #pumping = false
  /** While a write waits for the reader: what has passed since. */
  #waiting: { beats: number; chars: number } | undefined
  #wanted = false
  #done = false
  readonly #endHeartbeat: () => void

  constructor({ source, after, first, closed, projection, shows, soFar = () => [] }: StreamStart) {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
    this.#source = source
    this.#projection = projection
    // Clients of pi-flows expect only complete texts.
    this.#shows = shows ?? (() => projection === undefined)
    this.#soFar = soFar
    this.#cursor = after
    this.#writer = writable.getWriter()
    this.#closed = closed
    // It is known by the writes.
    this.#writer.closed.catch(() => undefined)
    if (first !== undefined) this.#transient.push(first)
    this.response = new Response(readable, { headers: { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-store" } })
    this.#endHeartbeat = every(() => this.#beat(), HEARTBEAT_MS)
    this.wake()
  }

  show(event: string, data: object): void {
    // Until it has joined, what is said now is part of what was said so far.
    if (event === "model.delta" && this.#joined && this.#projection?.said) {
      this.#missed((data as SpokenPiece).text.length)
      // A piece that finds no room leaves a gap, and the whole text fills it.
      if (this.#pieces.length < MAX_TRANSIENT) this.#pieces.push(data as SpokenPiece)
      return this.wake()
    }
    if (this.#shows(event) && (this.#joined || event !== "model.delta")) this.#transiently(transient(event, data))
  }

  #beat(): void {
    if (this.#waiting && ++this.#waiting.beats >= MOST_BEATS) return this.#cutOff()
    this.#transiently(": ping\n\n")
  }

  #missed(chars: number): void {
    const { beats = 0 } = this.#waiting ?? {}
    // Much may be said in one turn, in which no reader can take anything.
    if (this.#waiting && beats > 0 && (this.#waiting.chars += chars) > MOST_UNTAKEN) this.#cutOff()
  }

  #cutOff(): void {
    this.#stop()
    void this.#writer.abort(new Error("the reader read nothing: reconnect with Last-Event-ID")).catch(() => undefined)
  }

  #transiently(frame: string): void {
    this.#missed(frame.length)
    if (this.#transient.length < MAX_TRANSIENT) this.#transient.push(frame)
    this.wake()
  }

  /** New events can be read. */
  wake(): void {
    this.#wanted = true
    if (!this.#pumping && !this.#done) void this.#pump()
  }

  async #pump(): Promise<void> {
    this.#pumping = true
    try {
      for (let work = 0; this.#wanted && !this.#done;) {
        // Of many readers that wait for their turn, one at a time goes on.
        await this.#breath.compute(work, () => undefined)
        this.#wanted = false
        const frames = this.#transient.splice(0)
        const events = this.#source.read(this.#cursor, PAGE)
        for (const e of events) frames.push(this.#shown(e))
        const last = events.at(-1)
        if (!last && !this.#joined) {
          this.#joined = true
          if (this.#projection?.said) this.#pieces.unshift(...this.#soFar())
          else if (this.#shows("model.delta")) for (const said of this.#soFar()) frames.push(transient("model.delta", said))
        }
        // The events before a piece come first: its turn may have ended with them.
        if (!last) for (const piece of this.#pieces.splice(0)) frames.push(this.#said(piece))
        const text = frames.join("")
        if (text !== "") await this.#written(text)
        if (last) this.#cursor = last.seq
        if (last?.type === "run.ended" || (!last && this.#source.over())) return await this.#end()
        // A page may be short because its events are large; only an empty page means that there are no more.
        if (last) this.#wanted = true
        work = text.length >= SHARED ? text.length * READ_WORK : 0
      }
    } catch (e) {
      // Either the reader left, which changes nothing for the run [J12], or the journal could not be read. Then the stream breaks, so that
      // the reader reconnects at its cursor. A stream left open would stay silent.
      this.#stop()
      void this.#writer.abort(e).catch(() => undefined)
    } finally {
      this.#pumping = false
    }
  }

  async #written(text: string): Promise<void> {
    this.#waiting = { beats: 0, chars: 0 }
    await this.#writer.write(this.#encoder.encode(text))
    this.#waiting = undefined
  }

  /** The run is deleted: the stream ends where it is. */
  end(): void {
    if (this.#done) return
    this.#stop()
    void this.#writer.close().catch(() => undefined)
  }

  #shown(e: RunEvent): string {
    if (!this.#projection) return `id: ${e.seq}\nevent: ${e.type}\ndata: ${JSON.stringify(e)}\n\n`
    const frames = this.#projection.frames(e)
    // Only the last frame of an event moves the cursor, so a reader that reconnects gets all frames of an event or none.
    return frames.map((frame, i) => `${i === frames.length - 1 ? `id: ${e.seq}\n` : ""}${lineOf(frame)}`).join("")
  }

  #said(piece: SpokenPiece): string {
    return (this.#projection?.said?.(piece) ?? []).map(lineOf).join("")
  }

  async #end(): Promise<void> {
    this.#stop()
    await this.#writer.close()
  }

  #stop(): void {
    if (this.#done) return
    this.#done = true
    this.#endHeartbeat()
    this.#closed(this)
  }
}
