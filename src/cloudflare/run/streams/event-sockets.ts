// Serves readers of a run over WebSocket [E4]: the same log as SSE, one text message per event. The object may hibernate between messages:
// each socket's cursor is its attachment, so a woken object continues each socket where it was.
//
// A socket has no backpressure: unread messages stay in memory. So a reader gets at most WINDOW_CHARS without an acknowledgement. A reader
// that never sends anything is then closed (1013) and reconnects with `?after=`. For a reader that has sent any message, or announced
// that it will (`?ack=1`), the object waits.

import type { Projection } from "../../../engine/run/projections.ts"
import type { EventFormat } from "../../../ports/run.ts"
import type { RunEvent } from "../../../core/run/event.ts"
import type { StreamSource } from "./event-stream.ts"
import type { LiveReader, TextSoFar } from "./live-frames.ts"
import { isPublicFrame } from "../../../core/run/views/public.ts"
import { messageOf } from "../../../core/text/fault-text.ts"
import { logError } from "../../platform/log.ts"

const PAGE = 200
const WINDOW_CHARS = 4 * 1024 * 1024 // limit: characters on their way to a reader → the next wait for its answer
const TRANSIENT_CHARS = WINDOW_CHARS / 4 // limit: characters on their way above which transient frames are left out → they are left out

const NONE: readonly WebSocket[] = []

const OVER = 1000
const GONE = 1001
/** Any of the application's own codes; a client that tries again gets it again. */
const BEYOND = 4416
const REVOKED = 1008
const FAULT = 1011
const LATER = 1013

/** A socket's state while the object hibernates; the platform allows 2 KiB. */
interface Place {
  readonly after: number
  /** Characters sent since the reader's last message. */
  readonly sent: number
  /** The reader has sent a message, or announced that it will. */
  readonly speaks?: true
  readonly format?: EventFormat
  /** The reader has had the whole journal once, and the text that open turns had said by then. */
  readonly joined?: true
  /** The id of the key that opened the socket. */
  readonly key?: string
}

export class EventSockets implements LiveReader {
  readonly #ctx: Pick<DurableObjectState, "acceptWebSocket" | "getWebSockets">
  readonly #source: StreamSource
  /** A projection that has read the journal up to this event. */
  readonly #projectionAt: (format: EventFormat, after: number) => Projection | undefined
  readonly #soFar: () => readonly TextSoFar[]
  readonly #projections = new WeakMap<WebSocket, Projection>()
  /** There was no socket, and every new one comes through `accept`. */
  #isAlone = false

  constructor(
    ctx: Pick<DurableObjectState, "acceptWebSocket" | "getWebSockets">,
    source: StreamSource,
    projectionAt: (format: EventFormat, after: number) => Projection | undefined,
    soFar: () => readonly TextSoFar[],
  ) {
    this.#ctx = ctx
    this.#source = source
    this.#projectionAt = projectionAt
    this.#soFar = soFar
  }

  get size(): number {
    return this.#all().length
  }

  /** Asked at every decision of a run, and the platform makes a list each time. */
  #all(): readonly WebSocket[] {
    if (this.#isAlone) return NONE
    const all = this.#ctx.getWebSockets()
    this.#isAlone = all.length === 0
    return all
  }

  /** `last`: the journal's last event. A reader that claims to have more is told, and would otherwise hear nothing. */
  accept(place: Pick<Place, "after" | "format" | "key" | "speaks">, last = Infinity): Response {
    const { 0: client, 1: server } = new WebSocketPair()
    this.#ctx.acceptWebSocket(server)
    this.#isAlone = false
    server.serializeAttachment({ ...place, sent: 0 } satisfies Place)
    if (place.after > last) close(server, BEYOND, `after=${place.after} is beyond the journal, which ends at ${last}`)
    this.#pump(server)
    return new Response(null, { status: 101, webSocket: client })
  }

  wake(): void {
    for (const socket of this.#all()) this.#pump(socket)
  }

  show(event: string, data: object): void {
    const text = JSON.stringify({ type: event, ...data })
    for (const socket of this.#all()) {
      const place = placeOf(socket)
      // Until it has joined, what is said now is part of what was said so far.
      const isEarly = event === "model.delta" && place.joined !== true
      if (!shows(place, event) || isEarly || place.sent > TRANSIENT_CHARS || !isOpen(socket)) continue
      socket.send(text)
      put(socket, { ...place, sent: place.sent + text.length })
    }
  }

  /** Any message from the reader acknowledges everything sent so far. */
  acknowledge(socket: WebSocket): void {
    put(socket, { ...placeOf(socket), sent: 0, speaks: true })
    this.#pump(socket)
  }

  /** [H1] Closes the sockets that a revoked key opened. */
  drop(key: string): void {
    for (const socket of this.#all()) if (placeOf(socket).key === key) close(socket, REVOKED, "the key was revoked")
  }

  end(): void {
    for (const socket of this.#all()) close(socket, GONE, "the run was deleted")
  }

  #pump(socket: WebSocket): void {
    if (!isOpen(socket)) return
    try {
      let place = placeOf(socket)
      for (;;) {
        const events = this.#source.read(place.after, PAGE)
        if (events.length === 0) {
          if (place.joined !== true) place = this.#join(socket, place)
          put(socket, place)
          if (this.#source.over()) close(socket, OVER, "the run has ended")
          return
        }
        for (const e of events) {
          if (place.sent > WINDOW_CHARS) {
            put(socket, place)
            if (!place.speaks) close(socket, LATER, `reconnect with ?after=${place.after}`)
            return
          }
          let sent = place.sent
          for (const text of this.#shown(socket, place, e)) {
            socket.send(text)
            sent += text.length
          }
          place = { ...place, after: e.seq, sent }
        }
      }
    } catch (e) {
      logError("run.socket", { message: messageOf(e) })
      close(socket, FAULT, "the journal could not be read")
    }
  }

  #join(socket: WebSocket, place: Place): Place {
    const texts = shows(place, "model.delta") ? this.#soFar().map((said) => JSON.stringify({ type: "model.delta", ...said })) : []
    for (const text of texts) socket.send(text)
    return { ...place, joined: true, sent: texts.reduce((sum, text) => sum + text.length, place.sent) }
  }

  #shown(socket: WebSocket, { format, after }: Place, e: RunEvent): string[] {
    if (format === undefined) return [JSON.stringify(e)]
    const projection = this.#projections.get(socket) ?? this.#projectionAt(format, after)
    if (!projection) return []
    this.#projections.set(socket, projection)
    // Public events have the form of events.
    return projection.frames(e).map(({ event, data }) => JSON.stringify(format === "public" ? data : { seq: e.seq, event, data }))
  }
}

const shows = ({ format }: Place, event: string): boolean => format === undefined || (format === "public" && isPublicFrame(event))

const isOpen = (socket: WebSocket): boolean => socket.readyState === WebSocket.OPEN

const placeOf = (socket: WebSocket): Place => socket.deserializeAttachment() as Place

const put = (socket: WebSocket, place: Place): void => socket.serializeAttachment(place)

function close(socket: WebSocket, code: number, reason: string): void {
  if (isOpen(socket)) socket.close(code, reason)
}
