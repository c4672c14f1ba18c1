// Handles Idempotency-Key on every POST [H4]: the same key and request → the first answer again; another request → 422; still in progress →
// 409.
//
// The record is in the object named after (tenant, key). Only successes are stored: after a refusal, whose cause may be fixed, a later
// attempt starts over. An attempt that crashed may have acted: its result has an id derived from the key and the request (`act`), so the
// next attempt finds it or creates it. The few calls that cannot work this way are refused (`outcome_unknown`).

import { joined } from "../../core/text/joined-bytes.ts"
import { isObject } from "../../core/json.ts"
import { sha256 } from "../../engine/sha256.ts"
import type { StoredAnswer } from "../../ports/tenant/idempotency.ts"
import type { Call, Handler } from "./call.ts"
import { invalid, refuse } from "./problem.ts"

const KEY = /^[\x20-\x7e]{1,255}$/
/** A record is one row of SQLite, at most 2 MB. A larger answer is stored as its stand-in, or not at all. */
const STORED_LIMIT = 1_000_000 // limit: characters of an answer stored under a key → its 202 is stored instead

export const keyOf = (c: Call): string | undefined => c.req.header("idempotency-key")

export async function once(c: Call, handler: Handler): Promise<Response> {
  const key = keyOf(c)
  if (key === undefined) return handler(c)
  if (!KEY.test(key)) {
    return refuse(c, invalid([{ pointer: "", message: "the header Idempotency-Key must be 1 to 255 printable ASCII characters" }]))
  }
  const isOfTenant = c.get("caller").tenant !== ""
  // A page must neither use up the tenant's keys nor read the answers to them.
  const name = c.get("caller").view === undefined ? key : `${c.req.path} ${key}`
  const port = await (isOfTenant ? c.get("tenant") : c.get("services").tenants).idempotency(name)
  const digest = await digestOf(c)
  const begun = await port.begin(digest)
  switch (begun.state) {
    case "replay":
      return new Response(begun.answer.body, {
        status: begun.answer.status,
        headers: { ...begun.answer.headers, "idempotent-replayed": "true" },
      })
    case "conflict":
      return refuse(c, {
        code: "idempotency_mismatch",
        detail: "This Idempotency-Key was used with another method, path or body; use a new key.",
      })
    case "busy":
      return refuse(c, {
        code: "idempotency_busy",
        detail: "The first request with this Idempotency-Key is still in progress; try again later.",
        headers: { "retry-after": "1" },
      })
    case "new": {
      c.set("act", (await sha256(new TextEncoder().encode(`${key}\n${digest}`))).slice(0, 26))
      if (begun.again) c.set("unsure", true)
      let stored: StoredAnswer | null = null
      try {
        const answer = await handler(c)
        stored = await storable(c, answer)
        return answer
      } finally {
        await port.end(digest, stored)
      }
    }
  }
}

async function storable(c: Call, answer: Response): Promise<StoredAnswer | null> {
  if (answer.status >= 400) return null
  const standIn = c.get("standIn") ?? null
  if (answer.headers.get("content-type")?.startsWith("text/event-stream")) return standIn
  const body = await answer.clone().text()
  if (body.length > STORED_LIMIT) return standIn
  const secret = c.get("shownOnce")
  if (secret !== undefined) return { status: answer.status, headers: Object.fromEntries(answer.headers), body: without(body, secret) }
  return { status: answer.status, headers: Object.fromEntries(answer.headers), body }
}

/** An answer that is not a JSON object is not stored: it might show a secret. */
function without(body: string, names: readonly string[]): string {
  const all: unknown = JSON.parse(body)
  if (!isObject(all)) throw new Error("a response that shows something only once must be a JSON object")
  return JSON.stringify(Object.fromEntries(Object.entries(all).filter(([name]) => !names.includes(name))))
}

/** Method, path with query, and the body's bytes: any difference is another request. */
async function digestOf(c: Call): Promise<string> {
  const head = new TextEncoder().encode(`${c.req.method}\n${c.req.path}${new URL(c.req.url).search}\n`)
  return sha256(joined([head, c.get("body")]))
}
