// Checks every request in this order [H10]: size, key, path, method, scope, encoding. Handlers check the rest.
//
// The tenant comes from the key alone [H1], and its ports are opened only if the scope allows the route.

import type { Context, MiddlewareHandler, Next } from "hono"
import type { InstanceServices, Right } from "../../ports/services.ts"
import type { Access, Method, Scope } from "../../api/route/route.ts"
import { encodedBody } from "./body.ts"
import type { Call, CallEnv, Handler } from "./call.ts"
import { once } from "./idempotency.ts"
import { answerWhileKeyHolds } from "./key-watch.ts"
import { invalid, NOT_FOUND, refuse, UNAUTHORIZED, type Refusal } from "./problem.ts"
import { sessionCaller } from "./session-caller.ts"
import { tokenCaller } from "./token-caller.ts"
import { readLargeJson } from "./body.ts"

/** Answers are data for programs: a browser must not run, frame, sniff or cache them. */
const HEADERS: Readonly<Record<string, string>> = {
  "x-content-type-options": "nosniff",
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
}

const NO_ADDRESS = invalid([{ pointer: "", message: "the header Host must be a host name" }])

/** [H8] Every answer has a request id, including refusals and faults. */
export const sign =
  (services: InstanceServices, { again, inOwnForm }: Pick<CallEnv["Variables"], "again" | "inOwnForm">): MiddlewareHandler<CallEnv> =>
  async (c: Context<CallEnv>, next: Next) => {
    c.set("requestId", `req_${crypto.randomUUID().replaceAll("-", "")}`)
    c.set("services", services)
    c.set("again", again)
    c.set("inOwnForm", inOwnForm)
    // [H3] A malformed Host leaves no address, and so no route.
    if (URL.canParse(c.req.url)) await next()
    else c.res = refuse(c, NO_ADDRESS)
    // An upgraded connection takes no more headers.
    if (c.res.status === 101) return
    c.header("x-request-id", c.get("requestId"))
    if (c.get("isReplayed")) c.header("idempotent-replayed", "true")
    // A page sets its own policy.
    for (const [name, value] of Object.entries(HEADERS)) if (!c.res.headers.has(name)) c.header(name, value)
  }

/** [H1] Bearer key, token or session → caller. Open routes need none. */
export const identify =
  (
    services: InstanceServices,
    isOpen: (method: string, path: string) => boolean,
    takesCookie: (method: string, path: string) => boolean,
  ): MiddlewareHandler<CallEnv> =>
  async (c, next) => {
    if (isOpen(c.req.method, c.req.path)) return next()
    const bearer = /^Bearer +([\x21-\x7e]{1,2048}) *$/i.exec(c.req.header("authorization") ?? "")?.[1]
    const opened = await tokenCaller(services, c.req.method, new URL(c.req.url), bearer)
    const caller = opened === undefined && bearer !== undefined ? await services.identify(bearer) : opened?.caller
    if (caller === undefined) {
      const signedIn = takesCookie(c.req.method, c.req.path) ? await sessionCaller(c) : undefined
      if (signedIn === undefined) return refuse(c, UNAUTHORIZED)
      if ("refused" in signedIn) return refuse(c, signedIn.refused)
      c.set("caller", signedIn.caller)
      return next()
    }
    if (opened?.other === true) return refuse(c, NOT_FOUND)
    c.set("caller", caller)
    return next()
  }

/** The methods of one path: 405 with `Allow`, 403 by scope, then the handler; a POST under /v1 goes through [H4]. */
export function admit(
  methods: ReadonlyMap<
    Method,
    {
      readonly scope: Access
      readonly also?: readonly Scope[] | undefined
      readonly handler: Handler
      readonly ownRepeats?: true | undefined
      /** It reads a body, which must not be encoded [H3]. */
      readonly plainBody: boolean
    }
  >,
): Handler {
  const allow = [...methods.keys()].flatMap((m) => (m === "GET" ? ["GET", "HEAD"] : [m])).join(", ")
  return async (c) => {
    const asked = c.req.method === "HEAD" ? "GET" : c.req.method
    const route = [...methods].find(([method]) => method === asked)?.[1]
    if (route === undefined) {
      return refuse(c, {
        code: "method_not_allowed",
        detail: `${c.req.method} is not allowed on this path; use ${allow}.`,
        headers: { allow },
      })
    }
    const encoded = route.plainBody ? encodedBody(c) : undefined
    if (route.scope === "open") return encoded ? refuse(c, encoded) : route.handler(c)
    const refused = route.scope === "any" ? hasNoTenant(c) : lacks(c, route.scope)
    if (refused) return refused
    for (const scope of route.also ?? []) {
      const lacking = lacks(c, scope)
      if (lacking) return lacking
    }
    if (!cleanPath(c.req.path)) return refuse(c, NOT_FOUND)
    if (encoded) return refuse(c, encoded)
    // The admin key has no tenant whose ports could be opened.
    if (route.scope !== "instance") c.set("tenant", c.get("services").open(c.get("caller")))
    await readLargeJson(c)
    // A route with its own protocol, such as MCP, defines what a repeated request means [H4].
    const isOnce = asked === "POST" && route.scope !== "any" && route.ownRepeats !== true
    const answer = isOnce ? once(c, route.handler) : Promise.resolve(route.handler(c))
    return answerWhileKeyHolds(c, route.scope === "instance" ? answer : tidied(c, answer))
  }
}

/** [F71] A start that was refused after its files were stored leaves none of them. */
async function tidied(c: Call, answer: Promise<Response>): Promise<Response> {
  const { givenFiles } = c.get("tenant")
  try {
    const response = await answer
    if (response.status >= 400) givenFiles.leave()
    return response
  } catch (e) {
    givenFiles.leave()
    throw e
  }
}

/** 403 if the key lacks this scope. No scope implies another. */
export function lacks(c: Call, scope: Right): Response | undefined {
  const lacking = lackOf(c, scope)
  return lacking && refuse(c, lacking)
}

export function lackOf(c: Call, scope: Right): Refusal | undefined {
  if (c.get("caller").scopes.includes(scope)) return undefined
  if (scope === "instance") return { code: "forbidden", detail: "This needs the admin key of the instance, not a tenant's key." }
  return { code: "forbidden", detail: `This needs a key with the scope ${scope}.` }
}

/** 403 for the admin key, which belongs to no tenant. */
function hasNoTenant(c: Call): Response | undefined {
  if (c.get("caller").tenant !== "") return undefined
  return refuse(c, { code: "forbidden", detail: "This needs a tenant's key, not the admin key of the instance." })
}

/** [H2] Broken percent-encoding, or a control character in an id, names nothing that can exist. */
function cleanPath(path: string): boolean {
  try {
    return !/\p{Cc}/u.test(decodeURIComponent(path))
  } catch {
    return false
  }
}
