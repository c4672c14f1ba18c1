// Sign-in of people [H13]: what the cookie opens, for whose pages, and what it never does.

import { describe, expect, test } from "vitest"
import { ROUTES } from "../../../src/http/app.ts"
import { ADDRESS_HEADER } from "../../../src/core/instance-name.ts"
import { takesSession } from "../../../src/api/route/route.ts"
import { runId, setUp } from "../../support/http/ask.ts"

const SAME = { "sec-fetch-site": "same-origin" }
type World = ReturnType<typeof setUp>

async function signedIn(
  { ask }: World,
  more: { readonly body?: unknown; readonly headers?: Record<string, string> } = {},
): Promise<string> {
  const made = await ask("POST", "/v1/session", { body: {}, ...more })
  expect(made.status).toBe(201)
  return made.headers.get("set-cookie")?.split(";")[0] ?? ""
}
const withCookie = (cookie: string, headers: Record<string, string> = {}) => ({ key: null, headers: { cookie, ...headers } })

describe("the cookie", () => {
  test("[H13] is HttpOnly, Secure, SameSite=Strict, for the whole host, for 12 hours", async () => {
    const { ask, services } = setUp()
    const name = services.environment
    expect(name).not.toBe("")
    const made = await ask("POST", "https://sluice.example/v1/session", { body: { name: "Anna" } })
    const cookie = made.headers.get("set-cookie") ?? ""
    expect(cookie).toMatch(/^__Host-sluice=ss_acme_\w+; Path=\/; Max-Age=(43200|43199); HttpOnly; SameSite=Strict; Secure$/)
    expect(made.body).toMatchObject({ tenant: "acme", by: "Anna", via: "session", key: "name of key-a" })
    expect(made.text).not.toContain("ss_acme")
  })

  test("[H13] over plain HTTP in local development has a name of its port, and is not Secure", async () => {
    const { ask } = setUp()
    const made = await ask("POST", "http://127.0.0.1:8787/v1/session", { body: {} })
    expect(made.headers.get("set-cookie")).toMatch(/^sluice-8787=ss_acme_\w+; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict$/)
  })

  test("[H13] a body is not needed; the person is then the key's name", async () => {
    const { ask } = setUp()
    const made = await ask("POST", "/v1/session")
    expect([made.status, made.body["by"]]).toEqual([201, "name of key-a"])
  })

  test.each(["", "  ", "a\nb", "a\u202Eb", "a\u200Bb", "x".repeat(101), 7, null])("[H13] the name %j is refused", async (name) => {
    const { ask } = setUp()
    expect((await ask("POST", "/v1/session", { body: { name } })).status).toBe(422)
  })

  test("[H13] the key must be in its header: a session opens no session, a token does not either", async () => {
    const world = setUp()
    const cookie = await signedIn(world)
    expect((await world.ask("POST", "/v1/session", { ...withCookie(cookie, SAME), body: {} })).status).toBe(401)
    expect((await world.ask("POST", "/v1/session?token=key-a", { key: null, body: {} })).status).toBe(401)
    expect((await world.ask("POST", "/v1/session", { key: "key-admin", body: {} })).status).toBe(403)
  })

  test("[H13] reads and changes as its key may, and the journal names its person", async () => {
    const world = setUp()
    const run = world.acme.run(runId("x")).begin()
    run.interactions_ = [
      {
        id: "i1",
        run: run.id,
        kind: "ask_user",
        step: "a",
        status: "pending",
        payload: {},
        schema: {},
        created: "2026-01-01T00:00:00.000Z",
      } as never,
    ]
    const cookie = await signedIn(world, { body: { name: "Anna" } })
    expect((await world.ask("GET", "/v1/runs", withCookie(cookie))).status).toBe(200)
    await world.ask("POST", `/v1/runs/${run.id}/interactions/i1`, { ...withCookie(cookie, SAME), body: { answer: "yes" } })
    expect(run.answers.map(({ by }) => by)).toEqual(["Anna"])
    const who = await world.ask("GET", "/v1/session", withCookie(cookie))
    expect(who.body).toMatchObject({ by: "Anna", via: "session", until: expect.stringMatching(/Z$/) })
  })

  test("[H13] has no scope that its key lacks", async () => {
    const world = setUp()
    world.services.key("reader", "acme", ["runs:read"])
    const made = await world.ask("POST", "/v1/session", { key: "reader", body: {} })
    const cookie = made.headers.get("set-cookie")?.split(";")[0] ?? ""
    expect(made.body["scopes"]).toEqual(["runs:read"])
    expect((await world.ask("GET", "/v1/keys", withCookie(cookie))).status).toBe(403)
  })

  test("[H13] never beats an Authorization header, not even a wrong one", async () => {
    const world = setUp()
    world.services.key("reader", "acme", ["runs:read"])
    const cookie = await signedIn(world)
    const by = (authorization: string) => world.ask("GET", "/v1/session", withCookie(cookie, { authorization }))
    expect((await by("Bearer reader")).body).toMatchObject({ via: "key", by: "name of reader", until: null })
    for (const wrong of ["Bearer nothing", "Basic a2V5", "", "Bearer"]) expect((await by(wrong)).status, wrong).toBe(401)
    expect((await world.ask("GET", "/v1/keys", withCookie(cookie, { authorization: "Bearer reader" }))).status).toBe(403)
  })

  test("[H13] signing out ends it and takes the cookie away; a key has nothing to sign out of", async () => {
    const world = setUp()
    const cookie = await signedIn(world)
    expect((await world.ask("DELETE", "/v1/session")).status).toBe(404)
    const out = await world.ask("DELETE", "/v1/session", withCookie(cookie, SAME))
    expect([out.status, out.headers.get("set-cookie")]).toEqual([204, expect.stringContaining("Max-Age=0")])
    expect((await world.ask("GET", "/v1/runs", withCookie(cookie))).status).toBe(401)
    expect((await world.ask("DELETE", "/v1/session", withCookie(cookie, SAME))).status).toBe(401)
  })

  test("[H13] twice, empty, altered, or under another name it is none", async () => {
    const world = setUp()
    const cookie = await signedIn(world)
    const [name = "", value = ""] = cookie.split("=")
    for (const other of [
      `${cookie}; ${cookie}`,
      `${cookie}; ${name}=x`,
      `${name}=`,
      `${cookie}x`,
      `X${cookie}`,
      `session=${value}`,
      name,
      ";;=;",
    ])
      expect((await world.ask("GET", "/v1/runs", withCookie(other))).status, other).toBe(401)
    expect((await world.ask("GET", "/v1/runs", withCookie(`a=1;  ${cookie}  ; b=2`))).status).toBe(200)
    expect((await world.ask("GET", "/v1/runs", { key: value })).status).toBe(401)
  })
})

describe("other people's pages", () => {
  const FOREIGN: readonly Record<string, string>[] = [
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
    { "sec-fetch-site": "cross-site", origin: "http://localhost" },
    { "sec-fetch-site": "" },
    { "sec-fetch-site": "same-origin, cross-site" },
    { origin: "https://evil.example" },
    { origin: "null" },
    { origin: "http://localhost.evil.example" },
    { origin: "http://localhost:81" },
    { origin: "https://localhost" },
  ]

  test.each(FOREIGN)("[H13] %j: nothing is read and nothing changes", async (headers) => {
    const world = setUp()
    const run = world.acme.run(runId("x")).begin()
    const cookie = await signedIn(world)
    expect((await world.ask("POST", `/v1/runs/${run.id}/cancel`, withCookie(cookie, headers))).status).toBe(403)
    expect((await world.ask("DELETE", `/v1/runs/${run.id}`, withCookie(cookie, headers))).status).toBe(403)
    expect((await world.ask("GET", "/v1/runs", withCookie(cookie, headers))).status).toBe(403)
    expect((await run.view())?.status).toBe("running")
  })

  test("[H13] a request that changes something must prove where it comes from", async () => {
    const world = setUp()
    const run = world.acme.run(runId("x")).begin()
    const cookie = await signedIn(world)
    const cancel = (headers: Record<string, string>) => world.ask("POST", `/v1/runs/${run.id}/cancel`, withCookie(cookie, headers))
    for (const headers of [
      {},
      { "sec-fetch-site": "none" },
      { referer: "http://localhost/console/" },
      { "x-requested-with": "XMLHttpRequest" },
    ])
      expect((await cancel(headers as Record<string, string>)).status, JSON.stringify(headers)).toBe(403)
    expect((await cancel({ origin: "http://localhost" })).status).toBe(200)
    expect((await cancel(SAME)).status).toBe(200)
  })

  test("[H13] an address that a person opens is read", async () => {
    const world = setUp()
    expect((await world.ask("GET", "/v1/runs", withCookie(await signedIn(world), { "sec-fetch-site": "none" }))).status).toBe(200)
  })

  test("[H13] [H7] a listed origin gets no session either: CORS never allows credentials", async () => {
    const world = setUp()
    await world.ask("PUT", "/v1/settings/cors", { body: { origins: ["https://app.example"] } })
    const seen = await world.ask("GET", "/v1/runs", withCookie(await signedIn(world), { origin: "https://app.example" }))
    expect([seen.status, seen.headers.get("access-control-allow-credentials")]).toEqual([403, null])
  })
})

describe("what it opens", () => {
  test("[H13] neither /mcp nor doors of other clients, no admin route, no socket", async () => {
    const world = setUp()
    const cookie = await signedIn(world)
    const barred = ROUTES.filter(([, , scope, , declared]) => scope !== "open" && (declared === undefined || !takesSession(declared)))
    expect(barred.map(([method, path]) => `${method} ${path}`)).toEqual(
      expect.arrayContaining(["POST /mcp", "POST /v1/chat/completions", "POST /v1/responses", "POST /a2a/:flow", "GET /v1/tenants"]),
    )
    for (const [method, path] of barred) {
      const place = path.replaceAll(/:(\w+)(\{[^}]*\})?/g, (_, _name, own = "") => /[a-z]+:[a-z]+/.exec(own)?.[0] ?? "x")
      expect((await world.app.request(place, { method, headers: { cookie, ...SAME } })).status, `${method} ${place}`).toBe(401)
    }
    const run = world.acme.run(runId("x")).begin()
    const upgrade = await world.app.request(`/v1/runs/${run.id}/events`, { headers: { cookie, ...SAME, upgrade: "websocket" } })
    expect(upgrade.status).toBe(401)
  })

  test("[H13] what the console asks", async () => {
    const world = setUp()
    const cookie = await signedIn(world)
    expect((await world.ask("GET", "/v1/models", withCookie(cookie))).status).toBe(200)
    const card = await world.app.request("/a2a/nothing/.well-known/agent-card.json", { headers: { cookie } })
    expect(card.status).toBe(404)
    expect((await world.ask("GET", "/v1/nowhere", withCookie(cookie))).status).toBe(404)
    expect((await world.ask("HEAD", "/v1/runs", withCookie(cookie))).status).toBe(200)
  })
})

describe("several instances under one host", () => {
  test("[H13] [N2] each has its own cookie, and a session counts only where it was made", async () => {
    const world = setUp()
    const at = (prefix: string): Record<string, string> => ({ [ADDRESS_HEADER]: prefix })
    const made = await world.ask("POST", "https://example.com/v1/session", { body: {}, headers: at("/t/acme") })
    const cookie = made.headers.get("set-cookie")?.split(";")[0] ?? ""
    const [name, value] = cookie.split("=")
    expect(name).toBe("__Host-sluice-acme")
    const ask = (prefix: string, sent: string) => world.ask("GET", "https://example.com/v1/runs", withCookie(sent, at(prefix)))
    expect((await ask("/t/acme", cookie)).status).toBe(200)
    for (const prefix of ["/t/other", "/t/acme-2", "/"]) {
      expect((await ask(prefix, cookie)).status, prefix).toBe(401)
      const renamed = prefix === "/" ? `__Host-sluice=${value}` : `__Host-sluice-${prefix.slice(3)}=${value}`
      expect((await ask(prefix, renamed)).status, renamed).toBe(401)
    }
  })
})

describe("Cloudflare Access", () => {
  const JWT = { "cf-access-jwt-assertion": "jwt" }

  test("[H14] its person acts under the verified email, for pages of this origin, and beside no key", async () => {
    const world = setUp()
    const run = world.acme.run(runId("x")).begin()
    const caller = { tenant: "acme", name: "anna@example.com", scopes: ["runs:read", "runs:write"] as const }
    Object.assign(world.services, {
      access: async () => ({ ok: true, caller: { ...caller, access: { key: "people", until: Date.now() + 60_000 } } }),
    })
    const ask = (method: string, path: string, headers: Record<string, string> = {}) =>
      world.ask(method, path, { key: null, headers: { ...JWT, ...headers } })
    expect((await ask("GET", "/v1/session")).body).toMatchObject({ by: "anna@example.com", via: "access", key: "people" })
    expect((await ask("POST", `/v1/runs/${run.id}/cancel`)).status).toBe(403)
    expect((await ask("POST", `/v1/runs/${run.id}/cancel`, SAME)).status).toBe(200)
    expect((await ask("GET", "/v1/keys")).status).toBe(403)
    expect((await world.app.request("/mcp", { method: "POST", headers: JWT })).status).toBe(401)
    expect((await world.ask("GET", "/v1/session", { headers: JWT })).body).toMatchObject({ via: "key" })
    expect((await ask("GET", "/v1/session", { authorization: "Bearer wrong" })).status).toBe(401)
    const named = await world.ask("POST", "/v1/session", { body: { name: "boss@example.com" } })
    expect([named.status, named.text]).toEqual([422, expect.stringContaining("must not be an email")])
  })

  test("[H14] a refusal says what is wrong; without Access its header means nothing", async () => {
    const world = setUp()
    const ask = () => world.ask("GET", "/v1/runs", { key: null, headers: JWT })
    expect((await ask()).body["detail"]).toContain("Authorization")
    Object.assign(world.services, { access: async () => ({ ok: false, code: "unauthorized", detail: "ACCESS_AUDIENCE is missing" }) })
    const refused = await ask()
    expect([refused.status, refused.body["detail"]]).toEqual([401, "ACCESS_AUDIENCE is missing"])
    Object.assign(world.services, { access: async () => ({ ok: false, code: "forbidden", detail: "no key" }) })
    expect((await ask()).status).toBe(403)
  })
})

describe("the sessions of a tenant", () => {
  test("[H13] are listed for its admin with who, which key and until when, and one is ended", async () => {
    const world = setUp()
    const cookie = await signedIn(world, { body: { name: "Anna" } })
    const list = async () => (await world.ask("GET", "/v1/sign-ins", withCookie(cookie, SAME))).body["data"] as Record<string, unknown>[]
    await signedIn(world, { body: { name: "Ben" } })
    const rows = await list()
    expect(rows.map(({ by, key, current }) => [by, key, current])).toEqual([
      ["Anna", "name of key-a", true],
      ["Ben", "name of key-a", false],
    ])
    const ben = encodeURIComponent(String(rows[1]?.["id"]))
    expect((await world.ask("DELETE", `/v1/sign-ins/${ben}`, { key: "key-b" })).status).toBe(404)
    expect((await world.ask("DELETE", `/v1/sign-ins/${ben}`)).status).toBe(204)
    expect((await world.ask("DELETE", `/v1/sign-ins/${ben}`)).status).toBe(404)
    expect((await list()).map(({ by }) => by)).toEqual(["Anna"])
  })
})
