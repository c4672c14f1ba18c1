// [T27] Connecting an MCP server over HTTP: the address to open, and the page where the browser comes back, against a real issuer on loopback.

import { afterEach, beforeEach, expect, test } from "vitest"
import { createApp } from "../../../src/http/app.ts"
import { mcpPeer } from "../../../src/engine/net/mcp-peer.ts"
import { netOf } from "../../../src/engine/net/net.ts"
import { FakeMcpServer } from "../../support/engine/fake-mcp-server.ts"
import { FakeOAuthServer } from "../../support/engine/fake-oauth-server.ts"
import { memoryMcp } from "../../support/engine/memory-mcp.ts"
import { setUp } from "../../support/http/ask.ts"

const PATH = "/v1/mcp-servers/desk"
let server: FakeMcpServer
let oauth: FakeOAuthServer
let it: ReturnType<typeof setUp>
let stand: ReturnType<typeof memoryMcp>

beforeEach(async () => {
  server = await new FakeMcpServer().start()
  oauth = await new FakeOAuthServer().start()
  oauth.protect(server)
  it = setUp()
  it.services.privateHosts = ["127.0.0.1"]
  stand = memoryMcp({ peer: mcpPeer, net: netOf({ allowedPrivateHosts: ["127.0.0.1"] }) })
  stand.clock.now = Date.now()
  it.acme.mcp = stand.servers
  it.services.states.set("state-of-desk", { server: "desk", mcp: stand.servers })
  await it.ask("PUT", PATH, { body: { url: server.url } })
})
afterEach(() => Promise.all([server.stop(), oauth.stop()]))

const back = (query: Record<string, string>) => it.ask("GET", `/v1/mcp-callback?${new URLSearchParams(query).toString()}`, { key: null })

test("[T27] the address works for ten minutes, and the page says what happened; nothing is shown that was sent", async () => {
  expect((await it.ask("GET", PATH)).body).toMatchObject({ connection: { status: "needed" }, auth: { grant: "authorization_code" } })
  const begun = await it.ask("POST", `${PATH}/connect`, { body: {} })
  expect(begun.status).toBe(200)
  const url = String(begun.body["url"])
  expect(new URL(url).searchParams.get("redirect_uri")).toMatch(/\/v1\/mcp-callback$/)
  expect(Date.parse(String(begun.body["expires"])) - Date.now()).toBeLessThanOrEqual(600_000)
  const said = oauth.consent(url)
  const page = await back({ ...said, session_state: "an issuer's own" })
  expect(page.status).toBe(200)
  expect(page.text).toContain("desk is connected")
  expect(page.text).toContain("a list of 1 waits for approval")
  expect(page.text).not.toMatch(/code-number|access-token|<script/)
  expect(page.headers.get("content-security-policy")).toContain("default-src 'none'")
  expect(page.headers.get("referrer-policy")).toBe("no-referrer")
  const again = await back(said)
  expect(again).toMatchObject({ status: 403, body: { code: "link_refused" } })
  expect(again.text).toContain("finished already")
})

test("[T27] a state that is not ours, none at all, and a refusal end in a page, with the words escaped", async () => {
  expect((await back({ state: "forged", code: "x" })).status).toBe(403)
  expect((await it.ask("GET", "/v1/mcp-callback", { key: null })).status).toBe(403)
  await it.ask("POST", `${PATH}/connect`)
  const query = new URLSearchParams({ state: "state-of-desk", error: "<b>no</b>" }).toString()
  const refused = await createApp(it.services).request(`/v1/mcp-callback?${query}`, { headers: { accept: "text/html" } })
  expect(refused.status).toBe(403)
  expect(await refused.text()).toContain("&lt;b&gt;no&lt;/b&gt;")
  expect(oauth.asked).toEqual([])
})

test("[T27] a server that nobody has to connect, an unknown one, and an instance without an address", async () => {
  expect(await it.ask("POST", "/v1/mcp-servers/none/connect")).toMatchObject({ status: 404 })
  server.instead = undefined
  await it.ask("PUT", "/v1/mcp-servers/open", { body: { url: server.url } })
  expect(await it.ask("POST", "/v1/mcp-servers/open/connect")).toMatchObject({ status: 422 })
  oauth.protect(server)
  it.services.environment = "production"
  expect(await it.ask("POST", `${PATH}/connect`)).toMatchObject({ status: 503, body: { code: "not_configured" } })
  it.services.publicUrl = "https://sluice.example/t/acme"
  const begun = await it.ask("POST", `${PATH}/connect`)
  expect(begun).toMatchObject({ status: 200 })
  expect(new URL(String(begun.body["url"])).searchParams.get("redirect_uri")).toBe("https://sluice.example/t/acme/v1/mcp-callback")
})

test("[T27] what auth may say: a scope, or a person, and then no header", async () => {
  const put = (auth: object) => it.ask("PUT", "/v1/mcp-servers/x", { body: { url: server.url, auth } })
  expect(await put({})).toMatchObject({ status: 422, body: { errors: [{ pointer: "/auth/scope" }] } })
  expect(await put({ grant: "authorization_code", scope: "a" })).toMatchObject({
    status: 422,
    body: { errors: [{ pointer: "/auth/scope" }] },
  })
  expect(await put({ grant: "authorization_code", header: "x-key" })).toMatchObject({ status: 422 })
  expect(await put({ grant: "authorization_code", client_id: "c" })).toMatchObject({ status: 422 })
  expect(await put({ grant: "password" })).toMatchObject({ status: 422 })
  expect(await put({ grant: "authorization_code" })).toMatchObject({ status: 200, body: { connection: { status: "needed" } } })
})
