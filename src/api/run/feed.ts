// Declares the tenant's stream of events [H15], for live lists.

import { words, type Routes } from "../route/route.ts"

export const feed = {
  readStream: {
    method: "GET",
    path: "/v1/stream",
    scope: "runs:read",
    tag: "Runs",
    summary: "Follow the tenant's events",
    description:
      "Server-sent events: runs begin, change their status, end and are deleted; questions are asked and answered; bulks go on; revisions and drafts of the catalog are written (for keys with `catalog:read`). The first event is `stream.began`. `Last-Event-ID` continues after an event as long as the instance has it in memory; otherwise the first event is `stream.gap`, and the client must reload its lists. Events only say what has changed; the lists have the state. The stream ends with its key or session, and sometimes without a reason: reconnect with the last id.",
    query: { after: words("The id of the last event that you have. `Last-Event-ID` takes precedence.", 64) },
    headers: { "last-event-id": words("The event after which the stream continues.", 64) },
    answers: { 200: { description: "The stream.", body: { "text/event-stream": "FeedStream" } } },
    problems: ["quota"],
  },
} as const satisfies Routes
