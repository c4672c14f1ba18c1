// Creates per-run tokens [H1] for browsers, which must not have a key. As `?token=` they give access to GET of a run and its events until
// they expire or their key is revoked. They are signed, not stored. A public token is for a page that anyone may see: it shows only the
// fields in core/run/views/public.ts. It also reads the run's questions and named files, answers questions if it was made for that, and
// works as a Bearer token, which keeps it out of addresses.

import { isoTime } from "../../core/text/iso-time.ts"
import { json } from "../middleware/body.ts"
import { routes, type Call } from "../middleware/call.ts"
import { lacks } from "../middleware/door.ts"
import { invalid, NOT_FOUND, refuse } from "../middleware/problem.ts"
import { refuseIf, runOf } from "./runs.ts"
import { runs, RunTokenBody } from "../../api/run/runs.ts"
import { defined } from "../../core/defined.ts"

const DEFAULT_SECONDS = 300

const NEEDS_VIEW = invalid([{ pointer: "/answer", message: 'needs "view": "public": only a public token can answer' }])

const NEEDS_PAGE = invalid([{ pointer: "/feedback", message: 'needs "view": "public": whoever has a key gives feedback with it' }])

const NEEDS_ANSWER = invalid([{ pointer: "/trusted", message: 'needs "answer": true: the holder of this token says nothing' }])

export async function makeRunToken(c: Call): Promise<Response> {
  const run = runOf(c)
  const body = json(c, RunTokenBody)
  if (!body.ok) return refuseIf(c, run?.view(), body.error)
  const { ttl = DEFAULT_SECONDS, view: shows, answer = false, feedback = false, trusted } = body.value
  // A token gives no right that its maker lacks.
  const refused = (answer ? lacks(c, "interactions:answer") : undefined) ?? (feedback ? lacks(c, "runs:write") : undefined)
  if (refused) return refused
  if (feedback && shows === undefined) return refuseIf(c, run?.view(), NEEDS_PAGE)
  if (answer && shows === undefined) return refuseIf(c, run?.view(), NEEDS_VIEW)
  if (trusted && !answer) return refuseIf(c, run?.view(), NEEDS_ANSWER)
  const view = await run?.view()
  if (!view) return refuse(c, NOT_FOUND)
  const expires = tokenEnd(c, ttl)
  c.set("shownOnce", ["token"])
  const page = shows === undefined ? undefined : { view: shows, answer }
  const says = feedback ? { feedback: true as const } : {}
  const token = await c.get("tenant").runToken(view.id, expires, page && { ...page, ...says, ...defined({ trusted }) })
  return c.json({ token, run: view.id, expires: isoTime(expires), ...page, ...says }, 201)
}

/** The expiry of a token, which is never later than that of the key that created it. */
export const tokenEnd = (c: Call, seconds: number): number =>
  Math.min(Date.now() + seconds * 1_000, c.get("caller").keyUntil ?? Number.POSITIVE_INFINITY)

export const RUN_TOKEN_ROUTES = routes(runs, { makeRunToken })
