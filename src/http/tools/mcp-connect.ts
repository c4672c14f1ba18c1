// Connects a person to an MCP server [T27]: the address to open, and the way back from it.
//
// The way back needs no key: the browser brings a state that this instance signed for one server of one tenant. It counts once and for ten
// minutes; the tenant's object remembers which one it was. The page shows the outcome, and nothing from the request.

import { zoneFault } from "../../core/tool/policy/closed-hosts.ts"
import { NoBody } from "../../api/route/route.ts"
import { defined } from "../../core/defined.ts"
import type { TenantServices } from "../../ports/services.ts"
import type { ConnectAsked, ConnectEnded } from "../../ports/tenant/mcp-connections.ts"
import { addressAt } from "../middleware/address.ts"
import { json } from "../middleware/body.ts"
import { param, type Call } from "../middleware/call.ts"
import { outward } from "../middleware/outward.ts"
import { policyFor } from "../middleware/page-policy.ts"
import { invalid, refuse } from "../middleware/problem.ts"
import { STYLE } from "../runs/answers/answer-page.ts"
import { shown } from "../runs/answers/page-text.ts"
import { refuseIf } from "../runs/runs.ts"
import { refuseServer, unsealed } from "./mcp-refusal.ts"

const CONNECT_MS = 600_000 // limit: milliseconds in which a person comes back from connecting an MCP server → a page that says so
const BACK = "/v1/mcp-callback"

export async function connectMcpServer(c: Call): Promise<Response> {
  const tenant = c.get("tenant")
  const server = param(c, "server")
  const body = json(c, NoBody)
  if (!body.ok) return refuseIf(c, tenant.mcp.get(server), body.error)
  const redirect = addressAt(c, BACK)
  if (!/^https?:/.test(redirect))
    return refuse(c, {
      code: "not_configured",
      detail: "Set PUBLIC_URL: an authorization server sends the person back to a complete address.",
    })
  const expires = Date.now() + CONNECT_MS
  const begun = await begin(tenant, server, { redirect, expires }).catch((e: unknown) => unsealed(c, e))
  if (begun instanceof Response) return begun
  if (!begun.ok) return refuseServer(c, begun)
  const own = zoneFault(new URL(begun.url).hostname, outward(c))
  if (own !== undefined) return refuse(c, invalid([{ pointer: "/url", message: `address refused: ${own}` }]))
  return c.json({ url: begun.url, expires: new Date(expires).toISOString() })
}

const begin = async ({ mcp, connectToken }: TenantServices, server: string, asked: Omit<ConnectAsked, "state">) =>
  mcp.connect(server, { ...asked, state: await connectToken(server, asked.expires) })

/** Returns a page to browsers, and a problem document to other clients. */
export async function finishMcpConnect(c: Call): Promise<Response> {
  const { state = "", code, iss, error } = c.req.query()
  const known = await c.get("services").connecting(state)
  if (!known) return pageOf(c, { ok: false, message: "this address was not created here, or is older than ten minutes" })
  const returned = { state, ...(code === undefined || code === "" ? {} : { code }), ...defined({ iss, error }) }
  return pageOf(c, await known.mcp.connected(known.server, returned))
}

async function pageOf(c: Call, ended: ConnectEnded): Promise<Response> {
  if (!ended.ok && !(c.req.header("accept") ?? "").includes("text/html"))
    return refuse(c, { code: "link_refused", detail: `The server is not connected: ${ended.message}.` })
  const [title, lines] = ended.ok
    ? [`${ended.server} is connected`, [toolsOf(ended), "You can close this page."]]
    : ["Not connected", [ended.message, "Ask for a new address with POST /v1/mcp-servers/NAME/connect."]]
  const body = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>Sluice</title>
<style>${STYLE}</style>
<h1>${shown(title)}</h1>${lines.map((line) => `<p>${shown(line)}</p>`).join("")}</html>`
  return c.body(body, ended.ok ? 200 : 403, {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": await policyFor(STYLE),
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
  })
}

function toolsOf({ waiting, approved, unlisted }: Extract<ConnectEnded, { ok: true }>): string {
  if (unlisted !== undefined) return `Its tools could not be listed: ${unlisted}`
  const ready = `${approved} of its tools can be used`
  return waiting > 0 ? `${ready}; a list of ${waiting} waits for approval.` : `${ready}.`
}
