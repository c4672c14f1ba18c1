// GET /openapi.json and GET /docs [H11]: built at the first request, then cached until the Worker is replaced. app.ts imports this file
// only for these requests. Only `servers` of the document differs between the addresses of this instance [N2].

import { ADDRESS_HEADER } from "../../core/instance-name.ts"
import { Lru } from "../../engine/lru.ts"
import { sha256 } from "../../engine/sha256.ts"
import { pathAt } from "../middleware/address.ts"
import type { Call } from "../middleware/call.ts"
import { policyFor } from "../middleware/page-policy.ts"
import { matches } from "../middleware/download.ts"
import { openApi } from "./document.ts"
import { docsPage } from "./page.ts"
import { STYLE } from "./page-style.ts"

interface Made {
  /** In bytes: to encode 800 KB for each request takes milliseconds. */
  readonly json: Uint8Array
  readonly etag: string
  readonly html: string
  readonly policy: string
}

/** By the server that the document names. A client can name any path of a dispatcher, so they are few. No promises: a request may end before
 *  what it makes is made, and others would wait for it for good. */
const made = new Lru<Made>(8)

async function madeFor(c: Call): Promise<Made> {
  const server = c.get("services").publicUrl ?? (pathAt(c, "") || "/")
  const before = made.get(server)
  if (before) return before
  const making = await make(c.get("services").version, server)
  made.set(server, making)
  return making
}

async function make(version: string, server: string): Promise<Made> {
  const document = openApi(version, server)
  const json = new TextEncoder().encode(JSON.stringify(document))
  return {
    json,
    etag: `"${await sha256(json)}"`,
    html: docsPage(document),
    policy: await policyFor(STYLE),
  }
}

export async function serveDocument(c: Call): Promise<Response> {
  const { json, etag } = await madeFor(c)
  const headers = { etag, "cache-control": "public, max-age=60", vary: ADDRESS_HEADER }
  if (matches(c.req.header("if-none-match"), etag)) return new Response(null, { status: 304, headers })
  return new Response(json, { headers: { ...headers, "content-type": "application/json" } })
}

export async function servePage(c: Call): Promise<Response> {
  const { html, policy } = await madeFor(c)
  return new Response(html, {
    headers: { "content-type": "text/html; charset=utf-8", "content-security-policy": policy, "cache-control": "public, max-age=60" },
  })
}
