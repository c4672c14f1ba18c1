// The tenant's stream [H15]: what its lists show, as it happens.

import { words, type Routes } from "./route.ts"

export const feed = {
  readStream: {
    method: "GET",
    path: "/v1/stream",
    scope: "runs:read",
    tag: "Runs",
    summary: "Follow what happens in the tenant",
    description:
      "Server-sent events: runs begin, change their status, end and are deleted; questions are asked and answered; revisions and drafts of the catalog are written (for keys with `catalog:read`). The first event is `stream.began`. `Last-Event-ID` goes on after an event for as long as the instance remembers it; otherwise the first event is `stream.gap`, and the lists must be read anew. Events say what has changed, the lists say how it is. The stream ends with its key or its session, and now and then by itself: connect again with the last id.",
    query: { after: words("The id of the last event that you have. `Last-Event-ID` takes precedence.", 64) },
    headers: { "last-event-id": words("Where the stream goes on.", 64) },
    answers: { 200: { description: "The stream.", body: { "text/event-stream": "FeedStream" } } },
    problems: ["quota"],
  },
} as const satisfies Routes
