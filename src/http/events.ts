// A run's journal to its readers [E4]: a JSON page by default, a live stream when `Accept` asks for one.
//
// The cursor is `seq`: `Last-Event-ID` (a reconnecting EventSource repeats its old URL, so the header wins), else `?after=`.

import { accepts } from "hono/accepts"
import { isRunId, param, type Call } from "./call.ts"
import { short } from "../core/pointer.ts"
import { invalid, NOT_FOUND, refuse, unsupported, type Refusal } from "./problem.ts"
import { whole } from "./query.ts"

export async function runEvents(c: Call): Promise<Response> {
  const id = param(c, "run")
  if (!isRunId(id)) return refuse(c, NOT_FOUND)
  const port = c.get("tenant").run(id)

  const refusal = cannotYet(c)
  const cursor = c.req.query("after") ?? c.req.query("cursor")
  const after = whole("after", cursor, { min: 0, max: Number.MAX_SAFE_INTEGER, otherwise: 0 })
  const limit = whole("limit", c.req.query("limit"), { min: 1, max: 1000, otherwise: 500 })
  const last = c.req.header("last-event-id")
  const streams = asksForStream(c)
  const from =
    streams && last !== undefined && last !== ""
      ? whole("Last-Event-ID", last, { min: 0, max: Number.MAX_SAFE_INTEGER, otherwise: 0 })
      : after
  const wrong = refusal ?? [after, limit, from].flatMap((r) => (r.ok ? [] : [r.error]))[0]
  if (wrong || !from.ok || !limit.ok) return refuse(c, (await port.view()) ? (wrong ?? invalid([])) : NOT_FOUND)

  if (streams) return live(c, await port.stream(from.value, { snapshot: c.req.query("snapshot") === "1" }))
  const found = await port.events(from.value, limit.value)
  if (!found) return refuse(c, NOT_FOUND)
  const end = found.data.at(-1)
  return c.json({ data: found.data, next_cursor: end && (found.more || found.data.length >= limit.value) ? String(end.seq) : null })
}

function cannotYet(c: Call): Refusal | undefined {
  const format = c.req.query("format")
  if (format !== undefined) return unsupported(`the event format ${JSON.stringify(short(format))}`, "?format")
  if (c.req.header("upgrade") !== undefined) return unsupported("a WebSocket of events (read them as text/event-stream)")
  return undefined
}

/** HEAD asks about the page: a stream that nobody reads would stay open. */
export const asksForStream = (c: Call): boolean =>
  c.req.method !== "HEAD" &&
  accepts(c, { header: "Accept", supports: ["application/json", "text/event-stream"], default: "application/json" }) === "text/event-stream"

/** The object's stream as it comes; only the headers are made anew, for what comes from a binding cannot be changed. */
export function live(c: Call, stream: Response | undefined, headers: Readonly<Record<string, string>> = {}): Response {
  if (!stream) return refuse(c, NOT_FOUND)
  const own = new Headers(stream.headers)
  for (const [name, value] of Object.entries(headers)) own.set(name, value)
  return new Response(stream.body, { status: stream.status, headers: own })
}
