// The HTTP side of the MCP server [H12]: keys, origins and messages. test/worker/http/mcp-server.test.ts runs it in a Worker.

import { describe, expect, test } from "vitest"
import { amount } from "../../support/amount.ts"
import { fc, test as property } from "../../support/http/property.ts"
import { signedWords } from "../../../src/cloudflare/platform/tokens/signed-words.ts"
import { setUp, type Ask } from "../../support/http/ask.ts"
import { TOOLS } from "../../support/http/fake-services.ts"

const BOTH = { accept: "application/json, text/event-stream" }
const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
}

function ready() {
  const all = setUp()
  const post = (body: unknown, more: Ask = {}) => all.ask("POST", "/mcp", { body, ...more, headers: { ...BOTH, ...more.headers } })
  /** Revision 2025-11-25. */
  const rpc = async (method: string, params: object = {}, more: Ask = {}) => {
    const r = await post(
      { jsonrpc: "2.0", id: 1, method, params },
      { ...more, headers: { "mcp-protocol-version": "2025-11-25", ...more.headers } },
    )
    const data = r.text.split("\n").find((line) => line.startsWith("data:"))
    return { ...r, message: data === undefined ? r.body : (JSON.parse(data.slice(5)) as Record<string, unknown>) }
  }
  /** Revision 2026-07-28. */
  const modern = (method: string, params: object = {}, headers: Record<string, string> = {}) =>
    post(
      { jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: META } },
      { headers: { "mcp-protocol-version": "2026-07-28", "mcp-method": method, ...headers } },
    )
  const initialize = (capabilities: object = {}) =>
    rpc("initialize", { protocolVersion: "2025-11-25", capabilities, clientInfo: { name: "test", version: "1" } })
  return { ...all, post, rpc, modern, initialize }
}

describe("who may connect", () => {
  test("[H1] no key is 401 with WWW-Authenticate, and the admin key, which has no tenant, is refused", async () => {
    const { rpc, services } = ready()
    const none = await rpc("tools/list", {}, { key: null })
    expect([none.status, none.headers.get("www-authenticate")]).toEqual([401, 'Bearer realm="sluice"'])
    services.callers.set("root", { tenant: "", name: "admin", scopes: ["instance"] })
    expect((await rpc("tools/list", {}, { key: "root" })).status).toBe(403)
  })

  test("[H10] a body over the limit is 413 before anything else; GET and DELETE are 405", async () => {
    const { post, ask } = ready()
    expect((await post("x".repeat(1_048_577), { key: null })).status).toBe(413)
    for (const method of ["GET", "DELETE"]) {
      const r = await ask(method, "/mcp", { headers: BOTH })
      expect([r.status, r.headers.get("allow")]).toEqual([405, "POST"])
    }
  })

  test("[H12] a page of another origin is 403, unless the tenant lists it", async () => {
    const { rpc, acme } = ready()
    const from = (origin: string, host = "http://localhost") => rpc("ping", {}, { headers: { origin, host: new URL(host).host } })
    expect((await from("https://evil.example")).status).toBe(403)
    expect((await from("null")).status).toBe(403)
    expect((await from("http://localhost")).status).toBe(200)
    await acme.account.putOrigins(["https://app.example"])
    const listed = await from("https://app.example")
    expect([listed.status, listed.headers.get("access-control-allow-origin")]).toEqual([200, "https://app.example"])
  })

  test("[H12] a local server refuses a page whose host name was rebound to loopback, even if page and host match", async () => {
    const { app, services } = ready()
    const ask = () =>
      app.request("http://evil.example/mcp", {
        method: "POST",
        headers: { ...BOTH, authorization: "Bearer key-a", origin: "http://evil.example", "content-type": "application/json" },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }),
      })
    expect((await ask()).status).toBe(403)
    services.environment = "production"
    expect((await ask()).status).toBe(200)
  })

  test("[H4] an Idempotency-Key has no effect", async () => {
    const { rpc, acme } = ready()
    for (const _ of [1, 2]) {
      const r = await rpc("ping", {}, { headers: { "idempotency-key": "k" } })
      expect([r.status, r.headers.get("idempotent-replayed")]).toEqual([200, null])
    }
    expect(acme.keys.size).toBe(0)
  })
})

describe("messages", () => {
  test("[H12] a body that is not a JSON-RPC message is a protocol error, never a server error", async () => {
    const { post } = ready()
    const cases: [unknown, Ask, number, number][] = [
      ["{", { headers: { "content-type": "application/json" } }, 400, -32700],
      ["<a/>", { headers: { "content-type": "text/xml" } }, 415, -32000],
      [{}, {}, 400, -32600],
      [[{ jsonrpc: "2.0", id: 1, method: "ping" }], {}, 400, -32600],
      [[], {}, 400, -32600],
      [{ jsonrpc: "1.0", id: 1, method: "ping" }, {}, 400, -32600],
      [
        '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"__proto__":{"x":1}}}',
        { headers: { "content-type": "application/json" } },
        400,
        -32600,
      ],
      [{ jsonrpc: "2.0", id: 1, method: "ping" }, { headers: { accept: "application/json" } }, 406, -32000],
    ]
    for (const [body, more, status, code] of cases) {
      const r = await post(body, more)
      expect([r.status, (r.body["error"] as { code?: number })?.code], JSON.stringify(body)).toEqual([status, code])
    }
  })

  test("[H12] what a client sends for what it leaves out is left out", async () => {
    const { post, rpc, modern } = ready()
    const listed = (await rpc("tools/list")).message["result"]
    for (const params of [{ cursor: null }, { cursor: "" }, { _meta: null, cursor: null }, null])
      expect((await rpc("tools/list", params as unknown as object)).message["result"], JSON.stringify(params)).toEqual(listed)
    for (const method of ["resources/list", "prompts/list", "resources/templates/list"])
      expect((await rpc(method, { cursor: "" })).message["result"], method).toBeDefined()
    expect((await rpc("ping", null as unknown as object)).message["result"]).toEqual({})
    expect((await modern("tools/list", { cursor: null })).body["result"]).toMatchObject(listed as object)
    const tool = (listed as { tools: { name: string }[] }).tools[0]?.name
    const called = await rpc("tools/call", { name: tool, arguments: null })
    expect(called.message).toEqual((await rpc("tools/call", { name: tool })).message)
    for (const accept of ["*/*", "application/json;q=0.5, */*;q=0.1"]) {
      const answered = await post({ jsonrpc: "2.0", id: 1, method: "ping" }, { headers: { accept } })
      expect([answered.status, accept]).toEqual([200, accept])
    }
  })

  test("[H12] answers initialize and ping, and refuses an unknown method, cursor or tool", async () => {
    const { rpc, initialize } = ready()
    const began = await initialize()
    expect(began.message["result"]).toMatchObject({
      protocolVersion: "2025-11-25",
      capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} },
      serverInfo: { name: "sluice" },
    })
    expect((await rpc("ping")).message["result"]).toEqual({})
    expect((await rpc("nothing/such")).message["error"]).toMatchObject({ code: -32601 })
    expect((await rpc("tools/list", { cursor: "%%" })).message["error"]).toMatchObject({ code: -32602 })
    expect((await rpc("tools/call", { name: "nothing", arguments: {} })).message["error"]).toMatchObject({ code: -32602 })
    expect((await rpc("ping", {}, { headers: { "mcp-protocol-version": "1999-01-01" } })).status).toBe(400)
  })

  test("[H12] an old client is offered the newest revision that has initialize", async () => {
    const { rpc } = ready()
    const r = await rpc(
      "initialize",
      { protocolVersion: "2024-11-05", capabilities: {}, clientInfo: { name: "old", version: "1" } },
      { headers: { "mcp-protocol-version": "" } },
    )
    expect(r.message["result"]).toMatchObject({ protocolVersion: "2025-11-25" })
  })

  test("[H12] 2026-07-28: discovery and lists work, and headers that contradict the body are refused", async () => {
    const { modern } = ready()
    expect((await modern("server/discover")).body["result"]).toMatchObject({ supportedVersions: ["2026-07-28"], resultType: "complete" })
    expect((await modern("tools/list")).body["result"]).toMatchObject({ resultType: "complete", cacheScope: "private" })
    const say = { name: "echo", arguments: { say: "hi" } }
    const good = await modern("tools/call", say, { "mcp-name": "echo" })
    expect(good.text).toContain('"text":"hi"')
    for (const headers of [
      { "mcp-name": "fails" },
      { "mcp-method": "tools/list", "mcp-name": "echo" },
      { "mcp-protocol-version": "2025-11-25", "mcp-name": "echo" },
      {},
    ]) {
      const r = await modern("tools/call", say, headers)
      expect([r.status, (r.body["error"] as { code?: number })?.code], JSON.stringify(headers)).toEqual([400, -32020])
    }
    expect((await modern("nothing/such")).status).toBe(404)
  })
})

describe("arbitrary messages", () => {
  const value = fc.oneof(
    fc.constantFrom(
      "2.0",
      "initialize",
      "tools/list",
      "tools/call",
      "notifications/cancelled",
      "server/discover",
      "flow_f",
      "echo",
      "2025-11-25",
      "2026-07-28",
      META,
      1,
    ),
    fc.jsonValue({ maxDepth: 2 }),
  )
  const params = fc.dictionary(
    fc.constantFrom(
      "name",
      "arguments",
      "cursor",
      "_meta",
      "requestId",
      "requestState",
      "inputResponses",
      "protocolVersion",
      "capabilities",
      "clientInfo",
    ),
    value,
  )
  const message = fc.record(
    {
      jsonrpc: fc.oneof(fc.constant("2.0"), value),
      id: value,
      method: value,
      params: fc.oneof(params, value),
      result: value,
      error: value,
    },
    { requiredKeys: [] },
  )
  const headers = fc.record(
    {
      "mcp-protocol-version": fc.constantFrom("2025-11-25", "2026-07-28", "x"),
      "mcp-session-id": fc.constantFrom("x", "a.b"),
      "mcp-method": fc.constantFrom("tools/list", "tools/call", "x"),
      "mcp-name": fc.constantFrom("echo", "flow_f", "=?base64?eA==?="),
    },
    { requiredKeys: [] },
  )
  property(
    "[H3] are never a 5xx, and every refusal is a JSON-RPC error",
    { runs: amount(300, 100) },
    [fc.oneof(message, value), headers],
    async (body, given) => {
      const { post } = ready()
      const r = await post(JSON.stringify(body), { headers: { "content-type": "application/json", ...given } })
      expect(r.status).toBeLessThan(500)
      if (r.status >= 400) expect(r.body).toMatchObject({ jsonrpc: "2.0", error: { code: expect.any(Number) } })
    },
  )
})

describe("sessions", () => {
  test("[H12] a session is a signed id; an altered or invented one is 404, so the client starts a new session", async () => {
    const { initialize, rpc } = ready()
    const id = (await initialize()).headers.get("mcp-session-id") ?? ""
    expect(id).not.toBe("")
    const ping = (session: string) => rpc("ping", {}, { headers: { "mcp-session-id": session } })
    expect((await ping(id)).status).toBe(200)
    for (const bad of [`${id.slice(0, -2)}xx`, "made-up", `${id}.x`]) expect((await ping(bad)).status).toBe(404)
  })

  test("[N1] a signed token is valid only for its tenant, its purpose and its lifetime", async () => {
    const local = { ENVIRONMENT: "local" }
    const token = (await signedWords(local, "acme").sign("mcp session", { id: "1" }, 60_000)) ?? ""
    expect(await signedWords(local, "acme").read("mcp session", token)).toMatchObject({ id: "1" })
    expect(await signedWords(local, "other").read("mcp session", token)).toBeUndefined()
    expect(await signedWords(local, "acme@7").read("mcp session", token)).toBeUndefined()
    expect(await signedWords(local, "acme").read("mcp state", token)).toBeUndefined()
    const old = (await signedWords(local, "acme").sign("mcp session", { id: "1" }, -1)) ?? ""
    expect(await signedWords(local, "acme").read("mcp session", old)).toBeUndefined()
    expect(await signedWords({ ENVIRONMENT: "production" }, "acme").sign("mcp session", {}, 60_000)).toBeUndefined()
  })

  test("[H12] an answer to a question that the session did not ask is refused", async () => {
    const { initialize, post } = ready()
    const session = (await initialize({ elicitation: {} })).headers.get("mcp-session-id") ?? ""
    for (const id of ["made-up", 7, session]) {
      const r = await post(
        { jsonrpc: "2.0", id, result: { action: "accept", content: { answer: "x" } } },
        { headers: { "mcp-session-id": session } },
      )
      expect(r.status).toBe(400)
    }
  })
})

describe("lists", () => {
  test("[H12] many flows are listed in pages, ordered by name, each once", async () => {
    const { rpc, acme } = ready()
    const text = (name: string) => `name: ${name}\ndescription: d\nsteps:\n  - { id: a, type: agent, agent: a }\n`
    const ids = Array.from({ length: 120 }, (_, i) => `f${String(i).padStart(3, "0")}`)
    for (const id of ids) await acme.catalog.put("flow", `flows/${id}.yaml`, text(id))
    const names: string[] = []
    let cursor: string | undefined
    let pages = 0
    do {
      const { tools, nextCursor } = (await rpc("tools/list", cursor === undefined ? {} : { cursor })).message["result"] as {
        tools: { name: string }[]
        nextCursor?: string
      }
      names.push(...tools.map(({ name }) => name))
      cursor = nextCursor
      pages += 1
    } while (cursor !== undefined)
    const tools = names.filter((name) => !/^flow_f\d/.test(name))
    expect(names).toEqual([...tools.sort(), ...ids.map((id) => `flow_${id}`)])
    expect(pages).toBe(Math.ceil(names.length / 50))
  })

  test("[T4] a flow and a tool of the same name get different names, and the older spellings still work", async () => {
    const { rpc, acme, services } = ready()
    services.tools = [
      ...TOOLS,
      { ...(TOOLS[4] ?? TOOLS[0]), name: "mcp:a:b" } as (typeof TOOLS)[number],
      { ...TOOLS[4], name: "flow_echo" } as (typeof TOOLS)[number],
    ]
    await acme.catalog.put("flow", "flows/echo.yaml", "name: echo\ndescription: d\nsteps:\n  - { id: a, type: agent, agent: a }\n")
    const { tools } = (await rpc("tools/list")).message["result"] as { tools: { name: string }[] }
    const names = tools.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(["mcp__a__b", "flow_echo", expect.stringMatching(/^flow_echo-[0-9a-f]{10}$/)]))
    for (const name of ["mcp__a__b", "mcp.a.b", "mcp:a:b"]) {
      const same = (await rpc("tools/call", { name, arguments: { say: "tool" } })).message["result"]
      expect(same, name).toMatchObject({ content: [{ type: "text", text: "tool" }] })
    }
    acme.catalog.pinResult = { ok: false, code: "not_found" }
    await rpc("tools/call", { name: names.find((name) => name.startsWith("flow_echo-")), arguments: {} })
    expect(acme.catalog.pinned.at(-1)).toMatchObject({ target: { flow: "echo" } })
    const called = (await rpc("tools/call", { name: "flow_echo", arguments: { say: "tool" } })).message["result"]
    expect(called).toMatchObject({ content: [{ type: "text", text: "tool" }] })
    acme.catalog.pinResult = { ok: false, code: "not_found" }
    expect((await rpc("tools/call", { name: "flow_.echo", arguments: {} })).message["error"]).toMatchObject({ code: -32602 })
    expect(acme.catalog.pinned.at(-1)).toMatchObject({ target: { flow: "echo" }, options: { start: { kind: "mcp" } } })
  })

  test("[T1] a tool that throws is a result with isError", async () => {
    const { rpc } = ready()
    expect((await rpc("tools/call", { name: "fails", arguments: {} })).message["result"]).toEqual({
      content: [{ type: "text", text: "it broke" }],
      isError: true,
    })
  })
})
