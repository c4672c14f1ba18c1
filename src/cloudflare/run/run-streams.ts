// Those who follow a run live [E4]: over SSE, and over sockets that outlast the object's sleep.

import { isOver, type Run } from "../../core/run/state.ts"
import { view } from "../../core/run/views/view.ts"
import type { Projection } from "../../engine/run/projections.ts"
import { formatOf } from "../../ports/event-format.ts"
import type { EventFormat } from "../../ports/run.ts"
import type { AwakeRun } from "./awake-run.ts"
import type { Env } from "../platform/env.ts"
import { EventSockets } from "./event-sockets.ts"
import { EventStream, type StreamSource } from "./event-stream.ts"
import { PAGE_CHARS } from "./journal-pages.ts"
import type { SqlJournal } from "./journal-sql.ts"
import { keyWatch } from "../tenant/keys/key-watch.ts"
import type { LiveFrames } from "./live-frames.ts"
import type { RunProjections } from "./run-projections.ts"

export interface StreamDeps {
  readonly env: Env
  readonly ctx: DurableObjectState
  readonly self: AwakeRun
  readonly journal: SqlJournal
  readonly live: LiveFrames
  readonly projections: RunProjections
  readonly run: () => Promise<Run | undefined>
}

export class RunStreams {
  readonly #deps: StreamDeps
  readonly #source: StreamSource
  readonly #sockets: EventSockets

  constructor(deps: StreamDeps) {
    this.#deps = deps
    const { ctx, self, journal, live } = deps
    this.#source = {
      read: (cursor, limit) => journal.read(cursor, limit, PAGE_CHARS),
      over: () => self.conductor !== undefined && isOver(self.conductor.run),
    }
    this.#sockets = new EventSockets(ctx, this.#source, (format, after) => this.#projectionAt(format, after))
    live.add(this.#sockets)
  }

  /** `GET /events?after=N[&snapshot=1]`, or a WebSocket. */
  async open(request: Request): Promise<Response> {
    const { live } = this.#deps
    const query = new URL(request.url).searchParams
    const after = Number(query.get("after") ?? "0")
    const run = await this.#deps.run()
    if (!run) return new Response(null, { status: 404 })
    const named = formatOf(query.get("format") ?? "")
    const format = named === undefined ? {} : { format: named }
    if (request.headers.get("upgrade") === "websocket")
      return this.#socket({ after, ...format, ...(query.get("ack") === "1" ? { speaks: true } : {}) }, query.get("key") ?? "")
    if (isOver(run) && after >= run.seq) return new Response(null, { status: 204 })
    const first = query.get("snapshot") === "1" ? `event: run.snapshot\ndata: ${JSON.stringify(view(run))}\n\n` : undefined
    const projection = named === undefined ? undefined : this.#projectionAt(named, after)
    const stream = new EventStream(this.#source, after, first, (s) => live.remove(s), projection)
    live.add(stream)
    return stream.response
  }

  /** [H1] A socket that a revoked key opened must not stay: the tenant tells, if it knows of it. */
  async #socket(place: Parameters<EventSockets["accept"]>[0], key: string): Promise<Response> {
    const { env, self } = this.#deps
    const { tenant } = self
    const started = self.started()
    if (key !== "" && tenant !== undefined && started)
      if (!(await keyWatch(env, tenant).watch(key, started.run))) return new Response(null, { status: 401 })
    return this.#sockets.accept({ ...place, ...(key === "" ? {} : { key }) })
  }

  /** What was committed before a sleep may not have been sent. */
  wake(): void {
    this.#sockets.wake()
  }

  /** The key is revoked. */
  drop(key: string): void {
    this.#sockets.drop(key)
  }

  async heard(socket: WebSocket): Promise<void> {
    await this.#deps.self.awake()
    this.#sockets.heard(socket)
  }

  closed(socket: WebSocket, code: number): void {
    // 1005 and 1006 are no codes that may be sent.
    if (socket.readyState !== WebSocket.CLOSED) socket.close(code === 1005 || code === 1006 ? 1000 : code)
  }

  #projectionAt(format: EventFormat, after: number): Projection | undefined {
    const { self, projections } = this.#deps
    return self.conductor && projections.at(self.conductor.run.plan, format, after)
  }
}
