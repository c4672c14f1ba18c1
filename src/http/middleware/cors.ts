// Decides which web pages may read answers [H7]: none, until a tenant lists their exact origins. A preflight has no key, so it is allowed
// for an origin that any tenant lists; the answer itself is readable only if the tenant of its key, token or link lists the origin.
// Credentials are never allowed: the page sends the key itself, and cookies do not count.

import type { MiddlewareHandler } from "hono"
import type { InstanceServices } from "../../ports/services.ts"
import { json } from "./body.ts"
import { routes, type Call, type CallEnv } from "./call.ts"
import { invalid, refuse } from "./problem.ts"
import { settings } from "../../api/settings.ts"
import { CorsBody } from "../../core/project/origins-body.ts"
import { isOrigin, originFaults } from "../../engine/net/origin.ts"

const METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE"
/** What routes read, and what the clients of other protocols send [P9]: a browser sends no request with a header that its preflight does not allow. */
const REQUEST_HEADERS = [
  "authorization, content-type, accept, idempotency-key, if-match, if-none-match, prefer, last-event-id, traceparent",
  "mcp-protocol-version, mcp-session-id, mcp-method, mcp-name",
  "a2a-version, a2a-extensions, sluice-thread, x-openwebui-chat-id, user-agent",
  // OpenAI's client adds them to every request.
  "x-stainless-arch, x-stainless-lang, x-stainless-os, x-stainless-package-version, x-stainless-runtime, x-stainless-runtime-version",
  "x-stainless-retry-count, x-stainless-timeout, x-stainless-helper-method, x-stainless-poll-helper, x-stainless-custom-poll-interval",
].join(", ")
const ANSWER_HEADERS = [
  "etag, idempotent-replayed, location, preference-applied, ratelimit, ratelimit-policy, retry-after, traceparent, x-request-id",
  "sluice-erased-within",
  "content-disposition, mcp-session-id, x-should-retry, x-vercel-ai-ui-message-stream",
].join(", ")
/** Browsers repeat the preflight after this time, so a removed origin is refused after it at the latest. */
const PREFLIGHT_SECONDS = "600"

export const cors =
  (services: InstanceServices): MiddlewareHandler<CallEnv> =>
  async (c, next) => {
    const origin = c.req.header("origin")
    const isPreflight = c.req.method === "OPTIONS" && origin !== undefined && c.req.header("access-control-request-method") !== undefined
    if (isPreflight) {
      const known = isOrigin(origin) && (await services.knows(origin))
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
    // Absent if no caller was identified. The type does not say so, because behind the door a caller is always there.
    const caller: Call["var"]["caller"] | undefined = c.get("caller")
    const tenant = caller?.tenant ?? c.get("linkedTenant") ?? ""
    if (origin === undefined || tenant === "" || !isOrigin(origin)) return
    if (!(await services.allows(tenant, origin))) return
    c.header("access-control-allow-origin", origin)
    c.header("access-control-expose-headers", ANSWER_HEADERS)
  }

export const getCors = async (c: Call): Promise<Response> => c.json({ origins: await c.get("tenant").account.origins() })

/** Replaces the whole list; `[]` closes access. */
export async function putCors(c: Call): Promise<Response> {
  const body = json(c, CorsBody)
  if (!body.ok) return refuse(c, body.error)
  const { origins } = body.value
  const faults = originFaults(origins)
  if (faults.length > 0) return refuse(c, invalid(faults))
  await c.get("tenant").account.putOrigins([...new Set(origins)])
  return getCors(c)
}

export const CORS_ROUTES = routes(settings, { getCors, putCors })
