// Logs one line for every request [N8], and reads the trace that it belongs to [H8].
//
// The line has the route's pattern, never the path, because ids and file names are the tenant's. It has no query, headers or bodies.

import { matchedRoutes } from "hono/route"
import type { MiddlewareHandler } from "hono"
import { defined } from "../../core/defined.ts"
import { readTraceparent, traceparent } from "../../core/trace.ts"
import type { InstanceServices } from "../../ports/services.ts"
import type { Call, CallEnv } from "./call.ts"
import { startKind } from "./inside.ts"

export const logged =
  (services: InstanceServices): MiddlewareHandler<CallEnv> =>
  async (c, next) => {
    const began = Date.now()
    const trace = readTraceparent(c.req.header("traceparent"))
    if (trace) c.set("trace", trace)
    await next()
    if (trace && c.res.status !== 101) c.header("traceparent", traceparent({ ...trace, parent: spanOf(c.get("requestId")) }))
    const caller: Call["var"]["caller"] | undefined = c.get("caller")
    services.log?.({
      level: "info",
      event: "http.request",
      request: c.get("requestId"),
      ...defined({ trace: trace?.id }),
      // The MCP server made this request to the API for its client.
      ...(startKind(c) === "mcp" ? { inside: true } : {}),
      method: METHODS.has(c.req.method) ? c.req.method : "other",
      route: routeOf(c),
      status: c.res.status,
      // Until the answer starts; a stream continues after that.
      ms: Date.now() - began,
      ...(caller === undefined || caller.tenant === "" ? {} : { tenant: caller.tenant }),
    })
  }

/** A client can send any word as the method, so unknown ones are logged as "other". */
const METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"])

/** null if no route has this path. Middleware is registered for every path, so it does not count. */
export function routeOf(c: Call): string | null {
  const path = matchedRoutes(c).at(-1)?.path
  return path === undefined || path.endsWith("/*") || path === "*" ? null : path.replaceAll(/\{[^}]*\}/g, "")
}

/** The span of this request: a random id. */
const spanOf = (requestId: string): string => requestId.slice(-16)
