// Serves a run's journal [E4]: a JSON page by default, a live stream if `Accept` asks for one, a WebSocket on upgrade; unchanged, or in
// another system's format [E3, C46].
//
// The cursor is `seq`: `Last-Event-ID` (a reconnecting EventSource repeats its old URL, so the header wins), else `?after=`.

import { accepts } from "hono/accepts"
import { isRunId, param, routes, type Call } from "../middleware/call.ts"
import { Breath } from "../../ports/breath.ts"
import type { EventFormat, RunPort } from "../../ports/run.ts"
import { whileKeyHolds } from "../middleware/key-watch.ts"
import { invalid, NOT_FOUND, refuse, UNAUTHORIZED, type Refusal } from "../middleware/problem.ts"
import { whole, words } from "../middleware/query.ts"
import { FORMATS, runs } from "../../api/run/runs.ts"
import { defined } from "../../core/defined.ts"
import { isPage } from "./public-run.ts"

/** [N4] A stream takes about a millisecond to open: three hundred at once open in turns. */
const STREAM_WORK = 100_000

export async function runEvents(c: Call): Promise<Response> {
  const id = param(c, "run")
  if (!isRunId(id)) return refuse(c, NOT_FOUND)
  const port = c.get("tenant").run(id)

  const format = words("format", c.req.query("format"), FORMATS)
  const upgrade = c.req.header("upgrade")?.toLowerCase()
  const cursor = c.req.query("after") ?? c.req.query("cursor")
  const after = whole("after", cursor, { min: 0, max: Number.MAX_SAFE_INTEGER, otherwise: 0 })
  const limit = whole("limit", c.req.query("limit"), { min: 1, max: 1000, otherwise: 500 })
  const last = c.req.header("last-event-id")
  const streams = upgrade === undefined && asksForStream(c)
  const from =
    streams && last !== undefined && last !== ""
      ? whole("Last-Event-ID", last, { min: 0, max: Number.MAX_SAFE_INTEGER, otherwise: 0 })
      : after
  const wrong = [format, after, limit, from].flatMap((r) => (r.ok ? [] : [r.error]))[0] ?? otherUpgrade(upgrade)
  if (wrong || !from.ok || !limit.ok || !format.ok) return refuse(c, (await port.view()) ? (wrong ?? invalid([])) : NOT_FOUND)
  const [named, ...others] = format.value ?? []
  if (others.length > 0)
    return refuse(c, (await port.view()) ? invalid([{ pointer: "?format", message: "must be one format" }]) : NOT_FOUND)
  if (isPage(c) && named !== undefined) return refuse(c, ONLY_PUBLIC)
  const wanted = isPage(c) ? ("public" as const) : named
  const projected = defined({ format: wanted })

  if (upgrade !== undefined) return socket(c, port, from.value, projected)
  if (streams) await new Breath().compute(STREAM_WORK, () => undefined)
  if (streams) return live(c, await port.stream(from.value, { snapshot: c.req.query("snapshot") === "1", ...projected }))
  if (wanted !== undefined) {
    const found = await port.frames(from.value, limit.value, wanted)
    // Public events have the form of events.
    const data = wanted === "public" ? found?.data.map((frame) => frame.data) : found?.data
    return found ? c.json({ data, next_cursor: found.next === null ? null : String(found.next) }) : refuse(c, NOT_FOUND)
  }
  const found = await port.events(from.value, limit.value)
  if (!found) return refuse(c, NOT_FOUND)
  const end = found.data.at(-1)
  return c.json({ data: found.data, next_cursor: end && (found.more || found.data.length >= limit.value) ? String(end.seq) : null })
}

const ONLY_PUBLIC = invalid([
  { pointer: "?format", message: "cannot be used with a public token, which reads only public events; leave it out" },
])

const otherUpgrade = (upgrade: string | undefined): Refusal | undefined =>
  upgrade === undefined || upgrade === "websocket" ? undefined : invalid([{ pointer: "", message: "the header Upgrade must be websocket" }])

/** From here on the run's object holds the connection, and may sleep while nothing happens. */
async function socket(c: Call, port: RunPort, after: number, options: { readonly format?: EventFormat }): Promise<Response> {
  const { keyId } = c.get("caller")
  const acks = c.req.query("ack") === "1" ? { acks: true } : {}
  const opened = await port.socket(after, { ...options, ...acks, ...defined({ key: keyId }) })
  // The key has just been revoked.
  if (opened?.status === 401) return refuse(c, UNAUTHORIZED)
  return opened ?? refuse(c, NOT_FOUND)
}

/** Tells whether the client asks for a stream. HEAD gets the page, because an unread stream would stay open. */
export const asksForStream = (c: Call): boolean =>
  c.req.method !== "HEAD" &&
  accepts(c, { header: "Accept", supports: ["application/json", "text/event-stream"], default: "application/json" }) === "text/event-stream"

/** The object's stream, unchanged. Headers of a response from a binding are immutable, so they are copied. */
export function live(c: Call, stream: Response | undefined, headers: Readonly<Record<string, string>> = {}): Response {
  if (!stream) return refuse(c, NOT_FOUND)
  const own = new Headers(stream.headers)
  for (const [name, value] of Object.entries(headers)) own.set(name, value)
  return new Response(stream.body && whileKeyHolds(c, stream.body), { status: stream.status, headers: own })
}

export const EVENT_ROUTES = routes(runs, { readEvents: runEvents })
