// Sends requests of this Worker to its own API: calls of an MCP client pass the same routes and checks as any other request.
//
// Such a request is recognized by its object identity, which no caller can forge.

import { ADDRESS_HEADER } from "../../core/instance-name.ts"
import type { StartKind } from "../../ports/tenant/catalog.ts"
import type { Call } from "./call.ts"

const inside = new WeakSet<Request>()

/** Uses the key, address and trace of the original call. */
export function askInside(
  c: Call,
  method: "GET" | "POST",
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const given = ["authorization", "traceparent", ADDRESS_HEADER].flatMap((name): [string, string][] => {
    const value = c.req.header(name)
    return value === undefined ? [] : [[name, value]]
  })
  const request = new Request(new URL(path, c.req.url), {
    method,
    headers: { ...Object.fromEntries(given), ...headers, ...(body === undefined ? {} : { "content-type": "application/json" }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  inside.add(request)
  return c.get("again")(request)
}

/** Tells whether this request starts a run for an API client or an MCP client. */
export const startKind = (c: Call): StartKind & ("api" | "mcp") => (inside.has(c.req.raw) ? "mcp" : "api")
