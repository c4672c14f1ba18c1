// Per-run tokens [H1] for a browser's stream, which cannot send headers. As `?token=` they open GET of one run and of its events until they
// expire or their key is revoked. They are signed, not stored.

import { isoTime } from "../../core/text/iso-time.ts"
import type { Caller, House } from "../../ports/house.ts"
import { json } from "../middleware/body.ts"
import { routes, type Call } from "../middleware/call.ts"
import { NOT_FOUND, refuse } from "../middleware/problem.ts"
import { refuseIf, runOf } from "./runs.ts"
import { runs, RunTokenBody } from "../../api/runs.ts"

const DEFAULT_SECONDS = 300

export async function makeRunToken(c: Call): Promise<Response> {
  const run = runOf(c)
  const body = json(c, RunTokenBody)
  if (!body.ok) return refuseIf(c, run?.view(), body.error)
  const view = await run?.view()
  if (!view) return refuse(c, NOT_FOUND)
  const expires = Date.now() + (body.value.ttl ?? DEFAULT_SECONDS) * 1000
  c.set("shownOnce", ["token"])
  const token = await c.get("tenant").runToken(view.id, expires)
  return c.json({ token, run: view.id, expires: isoTime(expires) }, 201)
}

const TOKEN_PATH = /^\/v1\/runs\/([^/]+)(?:\/events)?$/

/** The caller of a token. undefined: the token opens nothing here (401). `other`: it belongs to another run (404). */
export async function tokenCaller(
  house: House,
  method: string,
  url: URL,
): Promise<{ readonly caller: Caller; readonly other: boolean } | undefined> {
  const token = url.searchParams.get("token")
  const id = TOKEN_PATH.exec(url.pathname)?.[1]
  if (token === null || id === undefined || (method !== "GET" && method !== "HEAD")) return undefined
  const said = await house.runTokenOf(token)
  if (!said || !(await house.holds(said.caller))) return undefined
  return { caller: said.caller, other: said.run !== id }
}

export const RUN_TOKEN_ROUTES = routes(runs, { makeRunToken })
