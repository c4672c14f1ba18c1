// Serves the tenant's stream [H15] as server-sent events, by long polling of the tenant's object.

import { feed } from "../../api/run/feed.ts"
import { isoTime } from "../../core/text/iso-time.ts"
import { SILENCE } from "../../engine/run/run-frames.ts"
import { pause } from "../../ports/timers.ts"
import type { FeedEvent, FeedPage } from "../../ports/tenant/feed.ts"
import { eventStream, type SseLine } from "../middleware/sse.ts"
import { routes, type Call } from "../middleware/call.ts"
import { refuse } from "../middleware/problem.ts"

const QUIET_MS = 15_000 // limit: milliseconds of silence of a tenant's stream → a comment shows that it is alive
/** Events of this time come together: a client redraws once. */
const TOGETHER_MS = 100 // limit: milliseconds whose events come together → the next ones come later
/** Looks of one stream: each is a call of the Worker, which may make a thousand. The client goes on from its last id. */
const MAX_LOOKS = 400 // limit: looks of one stream → it ends, and its reader goes on from its last id
const RETRY = { "retry-after": "30" }

type Look = Exclude<FeedPage, "full">

async function readStream(c: Call): Promise<Response> {
  const given = c.req.header("last-event-id") ?? ""
  const after = given === "" ? c.req.query("after") : given
  const { feed: port } = c.get("tenant")
  const reader = c.get("requestId")
  const first = await port.look({ reader, wait: 0, ...(after === undefined || after === "" ? {} : { after }) })
  if (first === "full")
    return refuse(c, { code: "quota", detail: "Too many streams of this tenant are open. Close one, or try again later.", headers: RETRY })
  if (c.req.method === "HEAD") {
    await port.leave(reader)
    return new Response(null, { headers: { "content-type": "text/event-stream; charset=utf-8" } })
  }
  return eventStream(c, (signal) => lines(c, first, signal))
}

async function* lines(c: Call, first: Look, signal: AbortSignal): AsyncGenerator<SseLine | typeof SILENCE, void> {
  const { feed: port } = c.get("tenant")
  const reader = c.get("requestId")
  const seesCatalog = c.get("caller").scopes.includes("catalog:read")
  const shows = ({ type }: FeedEvent): boolean => seesCatalog || !/^(?:revision|draft)\./.test(type)
  const opening = first.gap ? "stream.gap" : "stream.began"
  let { at } = first
  try {
    // A reader that goes on has the events in between next.
    if (first.events.length === 0) yield lineOf({ id: at, type: opening, at: isoTime(Date.now()), data: {} })
    for (const event of first.events.filter(shows)) yield lineOf(event)
    for (let looks = 0; looks < MAX_LOOKS && !signal.aborted; looks++) {
      const next = await port.look({ reader, after: at, wait: QUIET_MS })
      if (next === "full") return
      at = next.at
      if (next.gap) yield lineOf({ id: at, type: "stream.gap", at: isoTime(Date.now()), data: {} })
      for (const event of next.events.filter(shows)) yield lineOf(event)
      if (next.events.length === 0) yield SILENCE
      else await pause(TOGETHER_MS, signal)
    }
  } finally {
    await port.leave(reader).catch(() => undefined)
  }
}

const lineOf = ({ id, type, at, data }: Omit<FeedEvent, "type"> & { readonly type: string }): SseLine => ({
  id,
  event: type,
  data: { id, type, at, ...data },
})

export const FEED_ROUTES = routes(feed, { readStream })
