// GET /openapi.json and GET /docs [H11]: made at the first request, then the same bytes until the Worker is replaced. app.ts imports this
// file only for these requests.

import { sha256 } from "../../engine/sha256.ts"
import type { Call } from "../middleware/call.ts"
import { policyFor } from "../middleware/page-policy.ts"
import { matches } from "../runs/files.ts"
import { openApi } from "./document.ts"
import { docsPage } from "./page.ts"
import { STYLE } from "./page-style.ts"

interface Made {
  readonly json: string
  readonly etag: string
  readonly html: string
  readonly policy: string
}

let made: Promise<Made> | undefined

async function make(c: Call): Promise<Made> {
  const document = openApi(c.get("house").version)
  const json = JSON.stringify(document)
  return {
    json,
    etag: `"${await sha256(new TextEncoder().encode(json))}"`,
    html: docsPage(document),
    policy: await policyFor(STYLE),
  }
}

export async function serveDocument(c: Call): Promise<Response> {
  const { json, etag } = await (made ??= make(c))
  const headers = { etag, "cache-control": "public, max-age=60" }
  if (matches(c.req.header("if-none-match"), etag)) return new Response(null, { status: 304, headers })
  return new Response(json, { headers: { ...headers, "content-type": "application/json" } })
}

export async function servePage(c: Call): Promise<Response> {
  const { html, policy } = await (made ??= make(c))
  return new Response(html, {
    headers: { "content-type": "text/html; charset=utf-8", "content-security-policy": policy, "cache-control": "public, max-age=60" },
  })
}
