// POST /mcp [H12]: serves the MCP server over HTTP, with JSON-RPC errors instead of problem documents.
//
// Any key of a tenant may connect; each request needs the same scope as over HTTP. Pages of other origins are refused unless the tenant
// lists them [H7]: otherwise a page whose host name is rebound to this address could act for its user.

import { pathAt } from "../middleware/address.ts"
import { err } from "../../core/result.ts"
import { encodedBody, parseJson } from "../middleware/body.ts"
import type { Call } from "../middleware/call.ts"
import { askInside } from "../middleware/inside.ts"
import { whileKeyHolds } from "../middleware/key-watch.ts"

const CODES = { malformed_json: [400, -32700], unsupported_media_type: [415, -32000] } as const
const INVALID_REQUEST = [400, -32600] as const

export async function mcp(c: Call): Promise<Response> {
  const services = c.get("services")
  const caller = c.get("caller")
  const origin = c.req.header("origin")
  if (origin !== undefined && !isOwn(c, origin) && !(await services.allows(caller.tenant, origin)))
    return wrong(403, -32000, "Forbidden: the tenant does not list this Origin")
  const encoded = encodedBody(c)
  const parsed = encoded ? err(encoded) : parseJson(c)
  if (!parsed.ok) {
    const { code, detail } = parsed.error
    const [status, number] = code === "malformed_json" || code === "unsupported_media_type" ? CODES[code] : INVALID_REQUEST
    return wrong(status, number, detail)
  }
  const answer = await services.mcpServer({
    // The body is read already.
    request: new Request(c.req.url, { method: "POST", headers: c.req.raw.headers }),
    message: parsed.value,
    services,
    caller,
    tenant: c.get("tenant"),
    at: (path) => pathAt(c, path),
    ask: (method, path, body, headers) => askInside(c, method, path, body, headers),
  })
  return new Response(answer.body && whileKeyHolds(c, answer.body), { status: answer.status, headers: answer.headers })
}

/** A page of this host. Where no edge routes by host name, any name can resolve to this server, so only the names of loopback count. */
function isOwn(c: Call, origin: string): boolean {
  const { origin: own, hostname } = new URL(c.req.url)
  return origin === own && (c.get("services").environment !== "local" || LOOPBACK.test(hostname))
}

const LOOPBACK = /^(?:localhost|127\.0\.0\.1|\[::1\])$/

const wrong = (status: number, code: number, message: string): Response =>
  Response.json({ jsonrpc: "2.0", id: null, error: { code, message } }, { status })
