// Requests that this Worker makes to its own API: what an MCP client asks for goes through the same routes and checks as everybody's.
//
// Which they are is known by the request itself and by nothing that a caller could write.

import type { StartKind } from "../../ports/catalog.ts"
import type { Call } from "./call.ts"

const inside = new WeakSet<Request>()

/** The key is that of the call it comes from; so are origin and trace. */
export function askInside(
  c: Call,
  method: "GET" | "POST",
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const given = ["authorization", "traceparent"].flatMap((name): [string, string][] => {
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

/** Who starts a run by this request. */
export const startKind = (c: Call): StartKind & ("api" | "mcp") => (inside.has(c.req.raw) ? "mcp" : "api")
