// Which web pages may read what is answered [H7]: none, until a tenant lists their exact origins. A preflight carries no key, so it is
// answered for an origin that any tenant lists; what follows is readable only where the tenant of its key lists it. No credentials, ever:
// a key is sent by the page itself, and nothing a browser adds by its own counts.

import type { MiddlewareHandler } from "hono"
import type { House } from "../../ports/house.ts"
import { json } from "./body.ts"
import { routes, type Call, type Env } from "./call.ts"
import { pointerStep } from "../../core/text/pointer.ts"
import { invalid, refuse } from "./problem.ts"
import { CorsBody, settings } from "../../api/settings.ts"

const METHODS = "GET, HEAD, POST, PUT, DELETE"
const REQUEST_HEADERS =
  "authorization, content-type, accept, idempotency-key, if-match, prefer, last-event-id, traceparent, " +
  "mcp-protocol-version, mcp-session-id, mcp-method, mcp-name"
const ANSWER_HEADERS =
  "etag, idempotent-replayed, location, preference-applied, ratelimit, ratelimit-policy, retry-after, traceparent, x-request-id, content-disposition, mcp-session-id"
/** Browsers ask again after so many seconds, so a taken away origin is not asked for longer. */
const PREFLIGHT_SECONDS = "600"

export const cors =
  (house: House): MiddlewareHandler<Env> =>
  async (c, next) => {
    const origin = c.req.header("origin")
    const isPreflight = c.req.method === "OPTIONS" && origin !== undefined && c.req.header("access-control-request-method") !== undefined
    if (isPreflight) {
      const known = isOrigin(origin) && (await house.knows(origin))
      return new Response(null, {
        status: 204,
        headers: {
          vary: "Origin",
          ...(known
            ? {
                "access-control-allow-origin": origin,
                "access-control-allow-methods": METHODS,
                "access-control-allow-headers": REQUEST_HEADERS,
                "access-control-max-age": PREFLIGHT_SECONDS,
              }
            : {}),
        },
      })
    }
    await next()
    c.header("vary", "Origin", { append: true })
    // Absent where nobody was identified: types cannot say so, for behind the door it is always there.
    const caller: Call["var"]["caller"] | undefined = c.get("caller")
    if (origin === undefined || caller === undefined || caller.tenant === "" || !isOrigin(origin)) return
    if (!(await house.allows(caller.tenant, origin))) return
    c.header("access-control-allow-origin", origin)
    c.header("access-control-expose-headers", ANSWER_HEADERS)
  }

export const getCors = async (c: Call): Promise<Response> => c.json({ origins: await c.get("tenant").account.origins() })

/** Replaces the whole list; `[]` closes it. */
export async function putCors(c: Call): Promise<Response> {
  const body = json(c, CorsBody)
  if (!body.ok) return refuse(c, body.error)
  const { origins } = body.value
  const faults = origins.flatMap((origin, i) => {
    const wrong = origin.includes("*") ? 'must be exact: "*" would let every page in' : isOrigin(origin) ? undefined : NO_ORIGIN
    return wrong === undefined ? [] : [{ pointer: `/origins${pointerStep(i)}`, message: wrong }]
  })
  if (faults.length > 0) return refuse(c, invalid(faults))
  await c.get("tenant").account.putOrigins([...new Set(origins)])
  return getCors(c)
}

const NO_ORIGIN =
  "must be an origin as a browser sends it, scheme and host and port, such as https://app.example: no path, no slash at its end"

/** As a browser spells it; "null", which is every page without an origin, is none. */
function isOrigin(text: string): boolean {
  if (text.length > 300 || !/^https?:\/\//.test(text)) return false
  try {
    return new URL(text).origin === text
  } catch {
    return false
  }
}

export const CORS_ROUTES = routes(settings, { getCors, putCors })
