// [T27] A person connects an MCP server: OAuth 2.1 with PKCE and registration, against an authorization server on loopback.

import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import { mcpPeer } from "../../../src/engine/net/mcp-peer.ts"
import { netOf } from "../../../src/engine/net/net.ts"
import type { McpToolDef } from "../../../src/core/tool/tool-def.ts"
import type { Tool } from "../../../src/ports/tool.ts"
import { mcpTool } from "../../../src/tools/registered/mcp-tool.ts"
import { FakeMcpServer } from "../../support/engine/fake-mcp-server.ts"
import { FakeOAuthServer } from "../../support/engine/fake-oauth-server.ts"
import { memoryMcp } from "../../support/engine/memory-mcp.ts"

const REDIRECT = "https://sluice.example/t/acme/v1/mcp-callback"
const MINUTE = 60_000
const net = netOf({ allowedPrivateHosts: ["127.0.0.1"] })
let server: FakeMcpServer
let oauth: FakeOAuthServer
let stand: ReturnType<typeof memoryMcp>

beforeEach(async () => {
  server = await new FakeMcpServer().start()
  oauth = await new FakeOAuthServer().start()
  oauth.protect(server)
  stand = memoryMcp({ peer: mcpPeer, net })
  stand.clock.now = Date.now()
})
afterEach(() => Promise.all([server.stop(), oauth.stop()]))

const asked = (state = "state-one", expires = stand.clock.now + 10 * MINUTE) => ({ redirect: REDIRECT, state, expires })
const begun = async (state = "state-one"): Promise<string> => {
  const result = await stand.servers.connect("desk", asked(state))
  if (!result.ok) throw new Error(result.message)
  return result.url
}
async function connected(): Promise<void> {
  await stand.servers.put("desk", { url: server.url }, true)
  expect(await stand.servers.connected("desk", oauth.consent(await begun()) as never)).toMatchObject({ ok: true, approved: 1 })
}
/** A call of the server's tool as a run makes it. */
const call = async (): Promise<string> => {
  const def = stand.tools.rows.get("mcp:desk:x")?.def as McpToolDef
  const tool: Tool = mcpTool(def, mcpPeer)
  const connection = (name: string, url: string) => ({
    token: () => stand.links.token(name, url),
    renewed: (rejected: string) => stand.links.token(name, url, rejected),
  })
  const outcome = await tool.execute("c", {}, AbortSignal.timeout(20_000), undefined, { net, connection } as never)
  return JSON.stringify(outcome.content)
}

describe("connecting", () => {
  test("[T27] a look at a server that asks for OAuth says that a person is needed, and keeps nothing", async () => {
    const seen = await stand.servers.preview("desk", { url: server.url })
    expect(seen).toMatchObject({ ok: true, server: { auth: { grant: "authorization_code" }, tools: [], connection: { status: "needed" } } })
    expect(await stand.servers.get("desk")).toBeUndefined()
    await connected()
    const again = await stand.servers.preview("desk", { url: server.url, auth: { grant: "authorization_code" } })
    expect(again).toMatchObject({ ok: true, server: { tools: [{ name: "mcp:desk:x" }], connection: { status: "connected" } } })
  })

  test("[T27] a server that asks for OAuth is registered without auth, connected in a browser, and its list is shown", async () => {
    const put = await stand.servers.put("desk", { url: server.url }, false)
    expect(put).toMatchObject({ ok: true, server: { auth: { grant: "authorization_code" }, tools: [], connection: { status: "needed" } } })
    const url = new URL(await begun())
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      response_type: "code",
      code_challenge_method: "S256",
      redirect_uri: REDIRECT,
      state: "state-one",
      resource: server.url,
      scope: "tools offline_access",
    })
    expect(await stand.servers.connected("desk", oauth.consent(url.href) as never)).toEqual({
      ok: true,
      server: "desk",
      waiting: 1,
      approved: 0,
    })
    expect(oauth.asked[0]?.get("resource")).toBe(server.url)
    expect(oauth.registrations).toMatchObject([
      { application_type: "web", grant_types: ["authorization_code", "refresh_token"], token_endpoint_auth_method: "none" },
    ])
    const view = await stand.servers.get("desk")
    expect(view).toMatchObject({ connection: { status: "connected" }, pending: { added: ["x"] } })
    expect(JSON.stringify(view)).not.toMatch(/access-token|refresh-token|client-secret/)
    await stand.servers.approve("desk", view?.pending?.hash ?? "")
    server.call = () => ({ content: [{ type: "text", text: `you sent ${[...oauth.valid].join(" ")}` }] })
    const said = await call()
    expect(said).toContain("you sent [secret:mcp token]")
    expect(said).not.toContain("access-token")
  })

  test("[T27] `approve: true` of the PUT holds for the list that the server shows when it is connected", async () => {
    await connected()
    expect(await call()).toContain("called x")
  })

  test("[S9] a state counts once, for ten minutes, and only the last one that was asked for", async () => {
    await stand.servers.put("desk", { url: server.url }, false)
    const first = oauth.consent(await begun("state-one"))
    const second = oauth.consent(await begun("state-two"))
    expect(await stand.servers.connected("desk", first as never)).toMatchObject({ ok: false })
    expect(await stand.servers.connected("desk", second as never)).toMatchObject({ ok: true })
    expect(await stand.servers.connected("desk", second as never)).toMatchObject({
      ok: false,
      message: expect.stringContaining("finished already"),
    })
    const late = oauth.consent(await begun("state-three"))
    stand.clock.now += 11 * MINUTE
    expect(await stand.servers.connected("desk", late as never)).toMatchObject({ ok: false })
    expect(oauth.asked).toHaveLength(1)
    // What was connected stays so.
    expect((await stand.servers.get("desk"))?.connection).toMatchObject({ status: "connected" })
  })

  test("[T27] another issuer in the answer, a refusal, and no code at all end it, and nothing is asked for", async () => {
    await stand.servers.put("desk", { url: server.url }, false)
    const faults: Record<string, string>[] = [{ iss: "https://evil.example" }, { error: "access_denied", code: "" }]
    for (const fault of faults) {
      const back = oauth.consent(await begun())
      const { code, ...rest } = { ...back, ...fault }
      const returned = code === "" ? rest : { code, ...rest }
      expect(await stand.servers.connected("desk", returned as never)).toMatchObject({ ok: false })
    }
    const { iss: _iss, ...bare } = oauth.consent(await begun())
    expect(await stand.servers.connected("desk", bare as never)).toMatchObject({ ok: false, message: expect.stringMatching(/iss/i) })
    expect(oauth.asked).toEqual([])
  })

  test("[T32] what the authorization server says about a fault does not show what was sent", async () => {
    await stand.servers.put("desk", { url: server.url }, false)
    const back = oauth.consent(await begun())
    oauth.instead = (body) => ({ status: 400, body: { error: "invalid_request", error_description: `you sent ${body.toString()}` } })
    const ended = await stand.servers.connected("desk", back as never)
    expect(ended).toMatchObject({ ok: false, message: expect.stringContaining("you sent") })
    expect(JSON.stringify(ended)).not.toContain(back["code"])
    expect(JSON.stringify(ended)).not.toContain(oauth.asked[0]?.get("code_verifier"))
  })

  test("[T27] an authorization server that writes null for what it leaves out is one to connect", async () => {
    const no = (...names: string[]) => Object.fromEntries(names.map((name) => [name, null]))
    const metadata = no(
      "scopes_supported",
      "jwks_uri",
      "service_documentation",
      "revocation_endpoint",
      "response_types_supported",
      "ui_locales_supported",
    )
    const client = no(
      "client_secret",
      "client_secret_expires_at",
      "client_id_issued_at",
      "client_uri",
      "logo_uri",
      "contacts",
      "redirect_uris",
      "scope",
    )
    oauth.said = (body, path) => {
      if (path.includes("oauth-protected-resource"))
        return { ...body, ...no("jwks_uri", "resource_name", "scopes_supported", "bearer_methods_supported") }
      if (path.includes("oauth-authorization-server")) return { ...body, ...metadata, code_challenge_methods_supported: ["S256", null] }
      if (path === "/register") return { ...body, ...client }
      return path === "/token" ? { ...body, ...no("expires_in", "scope", "id_token", "token_type") } : body
    }
    await connected()
    expect(await call()).toContain("called x")
    stand.clock.now += 100 * 60 * MINUTE
    expect(await call()).toContain("called x")
    expect(oauth.asked).toHaveLength(1)
  })

  const odd: [string, (body: Record<string, unknown>, path: string) => unknown, RegExp][] = [
    [
      "metadata",
      (body, path) => (path.includes("authorization-server") ? { ...body, token_endpoint: 7, grant_types_supported: "code" } : body),
      /: \/token_endpoint must be a string, and is number, \/grant_types_supported must be an array, and is string$/,
    ],
    ["registration", (body, path) => (path === "/register" ? { redirect_uris: "x" } : body), /\/redirect_uris must be an array/],
    ["a token", (body, path) => (path === "/token" ? { token_type: "Bearer" } : body), /: \/access_token is missing$/],
  ]
  test.each(odd)("[T27] a fault in %s is told in a sentence with the place, not as a dump of checks", async (_, said, why) => {
    await stand.servers.put("desk", { url: server.url }, false)
    oauth.said = said
    const page = await stand.servers.connect("desk", asked())
    const ended = page.ok ? await stand.servers.connected("desk", oauth.consent(page.url) as never) : page
    expect(ended).toMatchObject({ ok: false, message: expect.stringMatching(why) })
    expect(JSON.stringify(ended)).not.toMatch(/invalid_type|"path|\[\s*\{/)
  })

  const wrong: [string, () => void, RegExp][] = [
    ["an issuer that is not the one that was named", () => (oauth.metadata = { issuer: "https://evil.example" }), /issuer/i],
    ["no S256", () => (oauth.metadata = { code_challenge_methods_supported: ["plain"] }), /S256/],
    ["tokens for another resource", () => oauth.protect(server, { resource: "https://other.example/mcp" }), /another resource/],
    ["no registration", () => (oauth.metadata = { registration_endpoint: undefined }), /does not register clients/],
    ["a page inside the network", () => (oauth.metadata = { authorization_endpoint: "http://169.254.169.254/a" }), /address refused/],
    ["a page that is a script", () => (oauth.metadata = { authorization_endpoint: "javascript:alert(1)" }), /./],
    ["a token endpoint inside the network", () => (oauth.metadata = { token_endpoint: "http://10.0.0.1/token" }), /address refused/],
  ]
  test.each(wrong)("[T21] %s is refused before anything is sent", async (_, arrange, why) => {
    await stand.servers.put("desk", { url: server.url }, false)
    arrange()
    const result = await stand.servers.connect("desk", asked())
    expect(result).toMatchObject({ ok: false, message: expect.stringMatching(why) })
    expect(oauth.asked).toEqual([])
  })

  test("[T27] a client that the tenant registered by hand is used, at its own issuer only", async () => {
    oauth.clients.set("by-hand", { redirect: REDIRECT, secret: "hand-made-secret" })
    oauth.metadata = { registration_endpoint: undefined, token_endpoint_auth_methods_supported: ["client_secret_post"] }
    stand.secrets.set("desk_client", "hand-made-secret")
    const auth = { grant: "authorization_code", client_id: "by-hand", scope: "desk_client" } as const
    await stand.servers.put("desk", { url: server.url, auth: { ...auth, issuer: "https://issuer.example" } }, true)
    expect(await stand.servers.connect("desk", asked())).toMatchObject({ ok: false, message: expect.stringContaining("auth.issuer") })
    await stand.servers.put("desk", { url: server.url, auth: { ...auth, issuer: oauth.issuer } }, true)
    expect(await stand.servers.connected("desk", oauth.consent(await begun()) as never)).toMatchObject({ ok: true, approved: 1 })
    expect(oauth.asked[0]?.get("client_secret")).toBe("hand-made-secret")
  })

  test("[T27] an issuer that never answers is given up", async () => {
    stand = memoryMcp({ peer: mcpPeer, net, patience: 1_000 })
    await stand.servers.put("desk", { url: server.url }, false)
    oauth.silent = true
    expect(await stand.servers.connect("desk", asked())).toMatchObject({ ok: false, code: "unreachable" })
  })

  test("[T27] a server that names its issuer only where its metadata is, is one to connect", async () => {
    oauth.protect(server, { says: false, published: true })
    expect(await stand.servers.put("desk", { url: server.url }, true)).toMatchObject({
      ok: true,
      server: { connection: { status: "needed" } },
    })
    expect(await stand.servers.connected("desk", oauth.consent(await begun()) as never)).toMatchObject({ ok: true, approved: 1 })
  })

  test("[T27] a server that only wants a key, or none at all, is not one to connect", async () => {
    oauth.protect(server, { says: false })
    expect(await stand.servers.put("desk", { url: server.url }, false)).toMatchObject({ ok: false, code: "unreachable" })
    expect(await stand.servers.connect("desk", asked())).toMatchObject({ ok: false, code: "not_found" })
    server.instead = undefined
    await stand.servers.put("desk", { url: server.url }, true)
    expect(await stand.servers.connect("desk", asked())).toMatchObject({ ok: false, code: "unfit" })
    // An older server whose challenge says nothing can be told.
    oauth.protect(server, { says: false })
    oauth.told = true
    server.tools = []
    await stand.servers.put("old", { url: server.url, auth: { grant: "authorization_code" } }, true)
    const result = await stand.servers.connect("old", asked())
    expect(result).toMatchObject({ ok: true })
  })
})

describe("tokens", () => {
  test("[T27] a token that has run out is renewed once, however many calls want it; the refresh token is used once", async () => {
    await connected()
    stand.clock.now += 3_600_000
    oauth.valid.clear()
    const before = oauth.asked.length
    await Promise.all([call(), call(), call()])
    expect(oauth.asked.slice(before).map((body) => body.get("grant_type"))).toEqual(["refresh_token"])
    expect(oauth.asked.at(-1)?.get("resource")).toBe(server.url)
    stand.clock.now += 7_200_000
    oauth.valid.clear()
    expect(await call()).toContain("called x")
  })

  test("[T27] a 401 renews the token once, and the call goes on", async () => {
    await connected()
    oauth.valid.clear()
    expect(await call()).toContain("called x")
    expect(oauth.asked.at(-1)?.get("grant_type")).toBe("refresh_token")
  })

  test("[T27] a server that takes the renewed token neither, and an issuer that renews none: connect again, by which route", async () => {
    await connected()
    const way = /POST \/v1\/mcp-servers\/desk\/connect/
    server.instead = (_request, response) => {
      response.writeHead(401, { "www-authenticate": 'Bearer error="invalid_token"' }).end()
      return true
    }
    await expect(call()).rejects.toThrow(way)
    oauth.protect(server)
    oauth.valid.clear()
    oauth.instead = () => ({ status: 400, body: { error: "invalid_grant" } })
    await expect(call()).rejects.toThrow(way)
    expect((await stand.servers.get("desk"))?.connection).toMatchObject({ status: "expired" })
    const count = oauth.asked.length
    await expect(call()).rejects.toThrow(way)
    expect(oauth.asked).toHaveLength(count)
    oauth.instead = undefined
    expect(await stand.servers.connected("desk", oauth.consent(await begun("again")) as never)).toMatchObject({ ok: true })
    expect(await call()).toContain("called x")
  })

  test("[T27] an issuer that is down fails the call, and the connection stays", async () => {
    await connected()
    oauth.valid.clear()
    oauth.instead = () => ({ status: 503, body: "busy" })
    await expect(call()).rejects.toThrow()
    expect((await stand.servers.get("desk"))?.connection).toMatchObject({ status: "connected" })
    oauth.instead = undefined
    expect(await call()).toContain("called x")
  })

  test("[T21] a token goes to its own address only, and is gone with another address, another way to ask, or the server", async () => {
    await connected()
    expect(await stand.links.token("desk", "https://elsewhere.example/mcp")).toBeUndefined()
    expect(await stand.links.token("other", server.url)).toBeUndefined()
    const other = await new FakeMcpServer().start()
    try {
      await stand.servers.put("desk", { url: other.url }, false)
      expect(stand.connections.has("desk")).toBe(false)
    } finally {
      await other.stop()
    }
    await connected()
    await stand.servers.remove("desk")
    expect(stand.connections.has("desk")).toBe(false)
  })

  test("[T32] the library says nothing on the console", async () => {
    const said = [vi.spyOn(console, "warn"), vi.spyOn(console, "error"), vi.spyOn(console, "log")]
    await connected()
    oauth.valid.clear()
    oauth.instead = (body) => ({ status: 400, body: { error: "invalid_grant", error_description: body.toString() } })
    await expect(call()).rejects.toThrow("connect")
    for (const spy of said) expect(spy).not.toHaveBeenCalled()
  })
})
