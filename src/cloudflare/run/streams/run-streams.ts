// Manages live readers of a run [E4], over SSE and over sockets that survive the object's hibernation.

import { isOver } from "../../../core/run/state.ts"
import { isPublicFrame, publicRun } from "../../../core/run/views/public.ts"
import { runView } from "../../../core/run/views/view.ts"
import type { Projection } from "../../../engine/run/projections.ts"
import { FORMATS } from "../../../api/run/runs.ts"
import { defined } from "../../../core/defined.ts"
import type { EventFormat } from "../../../ports/run.ts"
import type { AwakeRun } from "../awake-run.ts"
import { EventSockets } from "./event-sockets.ts"
import { EventStream, type StreamSource } from "./event-stream.ts"
import { PIECE_CHARS } from "../journal/journal-pages.ts"
import { portOf } from "../../platform/port-of.ts"
import type { RunResources } from "../run-resources.ts"
import type { RunStart } from "../run-start.ts"

export class RunStreams {
  readonly #resources: RunResources
  readonly #self: AwakeRun
  readonly #starts: RunStart
  readonly #source: StreamSource
  readonly #sockets: EventSockets

  constructor(resources: RunResources, self: AwakeRun, starts: RunStart) {
    this.#resources = resources
    this.#self = self
    this.#starts = starts
    const { ctx, journal, live } = resources
    this.#source = {
      // [K34] Readers follow a run to its end; its postscript is in the ledger.
      read: (cursor, limit) => {
        const end = self.conductor?.run.endSeq ?? Infinity
        return journal.read(cursor, limit, PIECE_CHARS).filter(({ seq }) => seq <= end)
      },
      over: () => self.conductor !== undefined && isOver(self.conductor.run),
    }
    this.#sockets = new EventSockets(
      ctx,
      this.#source,
      (format, after) => this.#projectionAt(format, after),
      () => live.soFar(),
    )
    live.add(this.#sockets)
  }

  /** `GET /events?after=N[&snapshot=1]`, or a WebSocket. */
  async open(request: Request): Promise<Response> {
    const { live } = this.#resources
    const query = new URL(request.url).searchParams
    const after = Number(query.get("after") ?? "0")
    const run = await this.#starts.run()
    if (!run) return new Response(null, { status: 404 })
    const named = ([...FORMATS, "public"] as const).find((format) => format === query.get("format"))
    const format = defined({ format: named })
    // A start may have been told before its commit.
    const last = Math.max(run.seq, this.#self.conductor?.ahead.seq ?? 0)
    if (request.headers.get("upgrade") === "websocket") {
      const place = { after, ...format, ...(query.get("ack") === "1" ? { speaks: true as const } : {}) }
      return this.#socket(place, query.get("key") ?? "", isOver(run) ? Infinity : last)
    }
    // A cursor beyond the journal is of another one, and would be silent until this one has grown so far. Of all answers that are no stream, 204 is
    // the one after which an EventSource closes and says so; it does not show a comment.
    if (isOver(run) ? after >= (run.endSeq ?? run.seq) : after > last) return new Response(null, { status: 204 })
    const first =
      query.get("snapshot") === "1"
        ? `event: run.snapshot\ndata: ${JSON.stringify(named === "public" ? publicRun(runView(run)) : runView(run))}\n\n`
        : undefined
    const projection = named === undefined ? undefined : this.#projectionAt(named, after)
    const stream = new EventStream({
      source: this.#source,
      after,
      first,
      projection,
      ...(named === "public" ? { shows: isPublicFrame } : {}),
      soFar: () => live.soFar(),
      closed: (s) => live.remove(s),
    })
    live.add(stream)
    return stream.response
  }

  /** [H1] A socket must not outlive its key, so it is registered with the tenant's object, which reports a revocation. */
  async #socket(place: Parameters<EventSockets["accept"]>[0], key: string, last: number): Promise<Response> {
    const { tenant } = this.#self
    const identity = this.#self.identity()
    if (key !== "" && tenant !== undefined && identity)
      if (!(await portOf(this.#resources.env, tenant, "keys").watch(key, identity.run))) return new Response(null, { status: 401 })
    // The run may have been deleted meanwhile, and nobody would close a socket of it.
    if (this.#self.isLeaving || !this.#self.identity()) return new Response(null, { status: 404 })
    return this.#sockets.accept({ ...place, ...(key === "" ? {} : { key }) }, last)
  }

  /** Events committed before an eviction may not have been sent. */
  wake(): void {
    this.#sockets.wake()
  }

  /** Closes the readers of a revoked key. */
  drop(key: string): void {
    this.#sockets.drop(key)
  }

  async acknowledge(socket: WebSocket): Promise<void> {
    await this.#self.awake()
    this.#sockets.acknowledge(socket)
  }

  closed(socket: WebSocket, code: number): void {
    // Codes 1005 and 1006 must not be sent.
    if (socket.readyState !== WebSocket.CLOSED) socket.close(code === 1005 || code === 1006 ? 1000 : code)
  }

  #projectionAt(format: EventFormat, after: number): Projection | undefined {
    const { conductor } = this.#self
    return conductor && this.#resources.projections.at(conductor.run.plan, format, after)
  }
}
