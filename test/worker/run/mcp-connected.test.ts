// [T27] In workerd, over the API: a person connects a server by OAuth, a run calls its tool, the server asks a question, the object is evicted,
// and days later the answer arrives. No token is in any row, event or answer.

import { evictDurableObject, runInDurableObject, SELF } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { portOf } from "../../../src/cloudflare/platform/port-of.ts"
import { openVault } from "../../../src/cloudflare/clients/secrets.ts"
import { ended, runObject, tenant, tenantObject, type Tenant, until } from "../../support/worker/service-client.ts"

const URL_OF = { mcp: "https://mcp.desk.example/mcp", issuer: "https://login.desk.example" }
const FORM = { type: "object", properties: { name: { type: "string" } }, required: ["name"] }
/** What left the Worker. */
let calls: { url: string; authorization: string | null; body: string }[]
let tokens: string[]

beforeEach(() => {
  calls = []
  tokens = []
  vi.stubGlobal("fetch", async (input: string | URL | Request, init: RequestInit = {}) => {
    const url = new URL(input instanceof Request ? input.url : String(input))
    const body = typeof init.body === "string" ? init.body : ""
    const authorization = new Headers(init.headers).get("authorization")
    calls.push({ url: url.href, authorization, body })
    if (url.origin === URL_OF.issuer) return issuer(url, body)
    if (url.pathname.startsWith("/.well-known/oauth-protected-resource"))
      return Response.json({ resource: URL_OF.mcp, authorization_servers: [URL_OF.issuer] })
    if (url.href !== URL_OF.mcp) return new Response(null, { status: 404 })
    if (authorization !== `Bearer ${tokens.at(-1)}`) {
      const challenge = 'Bearer resource_metadata="https://mcp.desk.example/.well-known/oauth-protected-resource/mcp"'
      return new Response(null, { status: 401, headers: { "www-authenticate": challenge } })
    }
    return served(JSON.parse(body === "" ? "{}" : body))
  })
})
afterEach(() => vi.unstubAllGlobals())

function issuer({ pathname }: URL, body: string): Response {
  const at = URL_OF.issuer
  if (pathname === "/.well-known/oauth-authorization-server")
    return Response.json({
      issuer: at,
      authorization_endpoint: `${at}/authorize`,
      token_endpoint: `${at}/token`,
      registration_endpoint: `${at}/register`,
      response_types_supported: ["code"],
      code_challenge_methods_supported: ["S256"],
      token_endpoint_auth_methods_supported: ["none"],
    })
  if (pathname === "/register") return Response.json({ ...(JSON.parse(body) as object), client_id: "c1" }, { status: 201 })
  tokens.push(`access-canary-${tokens.length}-7f3a9b`)
  return Response.json({
    access_token: tokens.at(-1),
    refresh_token: `refresh-canary-${tokens.length}-7f3a9b`,
    token_type: "Bearer",
    expires_in: 3600,
  })
}

function served({ id, method, params }: { id?: number; method?: string; params?: Record<string, unknown> }): Response {
  const say = (result: object): Response => Response.json({ jsonrpc: "2.0", id, result: { resultType: "complete", ...result } })
  if (method === "server/discover")
    return say({
      supportedVersions: ["2026-07-28"],
      capabilities: { tools: {} },
      serverInfo: { name: "desk", version: "1" },
      ttlMs: 0,
      cacheScope: "private",
    })
  if (method === "tools/list")
    return say({ tools: [{ name: "book", description: "Books.", inputSchema: { type: "object" } }], ttlMs: 0, cacheScope: "private" })
  if (params?.["inputResponses"] === undefined)
    return say({
      resultType: "input_required",
      inputRequests: { who: { method: "elicitation/create", params: { mode: "form", message: "For whom?", requestedSchema: FORM } } },
      requestState: "note-canary",
    })
  const text = `booked ${JSON.stringify(params["inputResponses"])} ${String(params["requestState"] === "note-canary")} for ${tokens.at(-1)}`
  return say({ content: [{ type: "text", text }] })
}

const CATALOG = {
  agents: { "w.md": '---\nname: w\ndescription: w\nmodel: rehearsal/default\ntools: ["mcp:desk:book"]\n---\nGo. ${{task}}\n' },
  flows: {
    "desk.yaml": "name: desk\ndescription: d\nautonomous: false\nsteps:\n  - { id: a, type: agent, agent: w }\n",
    "desk.rehearsal.yaml":
      "steps:\n  a:\n    - calls: [{ tool: 'mcp:desk:book', args: {} }]\n    - finish: { status: complete, summary: done }\n",
  },
}

type Row = Record<string, unknown>
const bytesOf = (stub: DurableObjectStub): Promise<string> =>
  runInDurableObject(stub, (_, { storage: { sql } }) =>
    sql
      .exec<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_%' ESCAPE '\\'")
      .toArray()
      .flatMap(({ name }) => sql.exec(`SELECT * FROM "${name}"`).toArray())
      .map((row) =>
        Object.values(row)
          .map((v) => (v instanceof ArrayBuffer ? String.fromCharCode(...new Uint8Array(v)) : String(v)))
          .join("|"),
      )
      .join("\n"),
  )

async function connect(t: Tenant): Promise<void> {
  const put = await t.ask<Row>("PUT", "/v1/mcp-servers/desk", { url: URL_OF.mcp, approve: true })
  expect(put).toMatchObject({ connection: { status: "needed" }, tools: [] })
  const { url } = await t.ask<{ url: string }>("POST", "/v1/mcp-servers/desk/connect")
  const said = new URL(url).searchParams
  expect(said.get("redirect_uri")).toBe("http://sluice/v1/mcp-callback")
  const state = encodeURIComponent(said.get("state") ?? "")
  const page = await SELF.fetch(`http://sluice/v1/mcp-callback?state=${state}&code=code-canary-7f3a9b`, {
    headers: { accept: "text/html" },
  })
  expect(await page.text()).toContain("desk is connected")
}

test("[T27] connected, called, asked, evicted, answered; and nothing secret is left anywhere", async () => {
  const t = await tenant("mcp-connected")
  await connect(t)
  expect(await t.ask<Row>("GET", "/v1/mcp-servers/desk")).toMatchObject({
    connection: { status: "connected", issuer: URL_OF.issuer },
    tools: [{ name: "mcp:desk:book" }],
  })
  await t.ask("PUT", "/v1/catalog", CATALOG)
  const { id } = await t.ask<{ id: string }>("POST", "/v1/flows/desk/runs", { task: "go", rehearse: true })
  const asked = await until(
    async () => (await t.ask<{ data: Row[] }>("GET", `/v1/runs/${id}/interactions?status=pending`)).data[0],
    "the server's question",
  )
  expect(asked).toMatchObject({ kind: "elicitation", payload: { question: "For whom?", host: "mcp.desk.example" } })
  const stub = runObject(t.id, id)
  const before = calls.length
  await evictDurableObject(stub)
  expect((await t.raw("POST", `/v1/runs/${id}/interactions/${String(asked["id"])}`, { answer: { name: 7 } })).status).toBe(422)
  expect(calls).toHaveLength(before)
  await t.ask("POST", `/v1/runs/${id}/interactions/${String(asked["id"])}`, { answer: { name: "Ann" } })
  const run = await ended(t, id)
  expect(run.status).toBe("succeeded")
  const events = await t.raw("GET", `/v1/runs/${id}/events?limit=1000`).then((r) => r.text())
  expect(events).toContain('booked {\\"who\\":{\\"action\\":\\"accept\\",\\"content\\":{\\"name\\":\\"Ann\\"}}} true')
  expect(events).toContain("[secret:")
  const rows = await bytesOf(stub)
  const own = await bytesOf(tenantObject(t.id))
  for (const shown of [events, rows, own, JSON.stringify(run), await t.raw("GET", "/v1/secrets").then((r) => r.text())])
    expect(shown).not.toMatch(/(access|refresh|code|note)-canary/)
  // Tokens went to the server alone, and never to the issuer's other pages.
  for (const call of calls) if (call.authorization !== null) expect(call.url).toBe(URL_OF.mcp)
})

test("[T32] a connection's tokens are hidden like secrets of the vault, and its scope is one that no tenant writes", async () => {
  const t = await tenant("mcp-hidden")
  await connect(t)
  const { redactor, secrets } = await openVault(env, t.id, () => Date.now())(true)
  expect(redactor.text(`say ${tokens.at(-1)} and refresh-canary-1-7f3a9b`)).toBe("say [secret:mcp:desk] and [secret:mcp:desk]")
  expect([...secrets.keys()]).toEqual(["mcp:desk"])
  expect((await t.raw("PUT", "/v1/secrets/mcp:desk", { value: "long enough to be one" })).ok).toBe(false)
  expect(await t.ask<Row>("GET", "/v1/secrets")).toMatchObject({ data: [] })
  expect((await portOf(env, t.id, "settings").rules()).scopes).toEqual(["mcp:desk"])
  await t.raw("DELETE", "/v1/mcp-servers/desk")
  expect((await portOf(env, t.id, "settings").rules()).scopes).toEqual([])
  expect(await portOf(env, t.id, "connections").token("desk", URL_OF.mcp)).toBeUndefined()
})

test("[S10] a state of one tenant connects nothing of another, and an altered one nothing at all", async () => {
  const [a, b] = [await tenant("mcp-state-a"), await tenant("mcp-state-b")]
  for (const t of [a, b]) await t.ask("PUT", "/v1/mcp-servers/desk", { url: URL_OF.mcp })
  const { url } = await a.ask<{ url: string }>("POST", "/v1/mcp-servers/desk/connect")
  const state = new URL(url).searchParams.get("state") ?? ""
  const back = (value: string) => SELF.fetch(`http://sluice/v1/mcp-callback?code=x&state=${encodeURIComponent(value)}`)
  const [head = "", tail = ""] = state.split(".")
  const forged = btoa(atob(head.replaceAll("-", "+").replaceAll("_", "/")).replace("mcp-state-a", "mcp-state-b")).replace(/=+$/, "")
  for (const value of ["", "x.y", `${forged}.${tail}`, `${state}x`]) expect((await back(value)).status).toBe(403)
  expect(await b.ask<Row>("GET", "/v1/mcp-servers/desk")).toMatchObject({ connection: { status: "needed" } })
  expect((await back(state)).status).toBe(200)
  expect(await b.ask<Row>("GET", "/v1/mcp-servers/desk")).toMatchObject({ connection: { status: "needed" } })
  expect(await a.ask<Row>("GET", "/v1/mcp-servers/desk")).toMatchObject({ connection: { status: "connected" } })
})
