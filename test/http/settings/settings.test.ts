// Providers and roles of a tenant [N6] [N5] [F52].

import { describe, expect, test } from "vitest"
import { faultOfBaseUrl } from "../../../src/engine/net/provider-address.ts"
import { setUp } from "../../support/http/ask.ts"

const KEY = "sk-CANARY-123"
const put = (name: string, body: unknown, environment = "local") => {
  const all = setUp()
  all.services.environment = environment
  return all.ask("PUT", `/v1/settings/providers/${name}`, { body }).then((r) => ({ ...all, r }))
}

describe("providers", () => {
  test("[N6] a key goes in and never comes out", async () => {
    const { ask, acme, r } = await put("script", { kind: "openai-compatible", baseUrl: "http://127.0.0.1:4000/v1", apiKey: KEY })
    const shown = { name: "script", kind: "openai-compatible", baseUrl: "http://127.0.0.1:4000/v1", apiKey: true }
    expect([r.status, r.body]).toEqual([200, shown])
    expect((await ask("GET", "/v1/settings/providers/script")).body).toEqual(shown)
    const list = await ask("GET", "/v1/settings/providers")
    expect(list.body).toEqual({ data: [shown], next_cursor: null })
    expect(r.text + list.text).not.toContain(KEY)
    expect(acme.settings.byName.get("script")?.apiKey).toBe(KEY)
  })

  test("[N6] PUT replaces: a key does not outlive a change of base URL", async () => {
    const { ask, acme } = await put("p", { kind: "openai", apiKey: KEY })
    const r = await ask("PUT", "/v1/settings/providers/p", { body: { kind: "openai", baseUrl: "https://elsewhere.example/v1" } })
    expect(r.body["apiKey"]).toBe(false)
    expect(acme.settings.byName.get("p")).toEqual({ kind: "openai", baseUrl: "https://elsewhere.example/v1" })
  })

  test("[N6] headers, options and the api are stored and shown", async () => {
    const body = {
      kind: "openai",
      baseUrl: "https://x.example/v1",
      api: "responses",
      headers: { "x-team": "blue" },
      options: { service_tier: "flex" },
    }
    const { r, acme } = await put("p", { ...body, apiKey: KEY })
    expect([r.status, r.body]).toEqual([200, { name: "p", ...body, apiKey: true }])
    expect(acme.settings.byName.get("p")).toEqual({ ...body, apiKey: KEY })
  })

  test("[N6] a deleted provider is gone", async () => {
    const { ask } = await put("p", { kind: "openai", apiKey: KEY })
    expect((await ask("DELETE", "/v1/settings/providers/p")).status).toBe(204)
    expect((await ask("DELETE", "/v1/settings/providers/p")).status).toBe(404)
    expect((await ask("GET", "/v1/settings/providers/p")).status).toBe(404)
  })

  test("[M2] scripted turns are checked in the format of a rehearsal", async () => {
    const turns = { "*": [{ text: "hm" }, { finish: { status: "complete", summary: "ok" } }] }
    const { r, acme } = await put("s", { kind: "scripted", turns })
    expect([r.status, acme.settings.byName.get("s")]).toEqual([200, { kind: "scripted", turns }])
    const wrong = (await put("s", { kind: "scripted", turns: { "m/1": [{ text: 5 }] } })).r
    expect([wrong.status, wrong.body["errors"]]).toMatchObject([422, [{ pointer: "/turns/m~11" }]])
  })

  test.each([
    [{}, "/kind"],
    [{ kind: "opnai" }, "/kind"],
    [{ kind: "openai", apikey: "x" }, "/apikey"],
    [{ kind: "openai", apiKey: "a\nb" }, "/apiKey"],
    [{ kind: "openai", apiKey: "" }, "/apiKey"],
    [{ kind: "openai-compatible" }, "/baseUrl"],
    [{ kind: "openai", baseUrl: "nonsense" }, "/baseUrl"],
    [{ kind: "openai", apiKey: KEY, turns: {} }, "/turns"],
    [{ kind: "openai" }, "/apiKey"],
    [{ kind: "openai", apiKey: KEY, headers: { authorization: "Bearer x" } }, "/headers/authorization"],
    [{ kind: "openai", apiKey: KEY, headers: { "X-Api-Key": "x" } }, "/headers/X-Api-Key"],
    [{ kind: "openai", apiKey: KEY, headers: { "Content-Length": "1" } }, "/headers/Content-Length"],
    [{ kind: "openai", apiKey: KEY, headers: { "x-a": "a\nb" } }, "/headers/x-a"],
    [{ kind: "openai", apiKey: KEY, options: { messages: [] } }, "/options/messages"],
    [{ kind: "openai", apiKey: KEY, options: { stream: false } }, "/options/stream"],
    [{ kind: "openai", apiKey: KEY, options: { max_output_tokens: 9 } }, "/options/max_output_tokens"],
    [{ kind: "openai", apiKey: KEY, options: [] }, "/options"],
    [{ kind: "openai", apiKey: KEY, options: { a: "x".repeat(10_001) } }, "/options"],
    [{ kind: "anthropic", apiKey: KEY, api: "responses" }, "/api"],
    [{ kind: "openai", apiKey: KEY, api: "soap" }, "/api"],
    [{ kind: "workers-ai", options: {} }, "/options"],
    [{ kind: "anthropic", apiKey: KEY, silenceSeconds: 0 }, "/silenceSeconds"],
    [{ kind: "anthropic", apiKey: KEY, silenceSeconds: 3_601 }, "/silenceSeconds"],
    [{ kind: "anthropic", apiKey: KEY, silenceSeconds: 1.5 }, "/silenceSeconds"],
    [{ kind: "anthropic", apiKey: KEY, silenceSeconds: "60" }, "/silenceSeconds"],
    [{ kind: "scripted", turns: {}, silenceSeconds: 60 }, "/silenceSeconds"],
    [{ kind: "anthropic" }, "/apiKey"],
    [{ kind: "anthropic", apiKey: "k" }, "/apiKey"],
    [{ kind: "openai-compatible", baseUrl: "https://x.example/v1", apiKey: "abc" }, "/apiKey"],
    [{ kind: "scripted" }, "/turns"],
    [{ kind: "workers-ai", apiKey: "x" }, "/apiKey"],
    [{ kind: "scripted", turns: {}, baseUrl: "https://x.example" }, "/baseUrl"],
  ])("[H3] %j is 422 at %s", async (body, pointer) => {
    const { r, acme } = await put("p", body)
    expect([r.status, r.body["errors"]]).toMatchObject([422, [{ pointer }]])
    expect(acme.settings.byName.size).toBe(0)
  })

  test("[M1] how long a provider may be silent is stored and shown", async () => {
    const body = { kind: "anthropic", apiKey: KEY, silenceSeconds: 60 }
    const { r, acme } = await put("p", body)
    expect([r.status, r.body["silenceSeconds"]]).toEqual([200, 60])
    expect(acme.settings.byName.get("p")).toEqual(body)
  })

  test("[M3] the name rehearsal is reserved for the built-in model", async () => {
    const { r, acme } = await put("rehearsal", { kind: "openai" })
    expect([r.status, acme.settings.byName.size]).toEqual([422, 0])
  })

  test.each(["a%2Fb", "a%20b", ".hidden", "x".repeat(101), "__proto__"])("[N6] %s is not a name of a provider", async (name) => {
    expect((await put(name, { kind: "openai" })).r.status).toBe(422)
  })

  test("[N5] loopback is allowed on local instances only", async () => {
    const body = { kind: "openai-compatible", baseUrl: "http://127.0.0.1:4000/v1" }
    expect((await put("p", body, "local")).r.status).toBe(200)
    expect((await put("p", body, "production")).r.status).toBe(422)
  })
})

describe("base URLs", () => {
  test.each(["https://api.example.com/v1", "https://gateway.example.com:8443/a/b", "https://EXAMPLE.com."])(
    "[N6] %s is allowed anywhere",
    (url) => {
      expect([faultOfBaseUrl(url, true), faultOfBaseUrl(url, false)]).toEqual([undefined, undefined])
    },
  )

  test.each(["http://127.0.0.1:1/v1", "http://localhost:1", "http://[::1]:1", "https://127.8.8.8", "http://2130706433/", "http://0x7f.1/"])(
    "[N5] %s is loopback and allowed on local instances only",
    (url) => {
      expect(faultOfBaseUrl(url, true)).toBeUndefined()
      expect(faultOfBaseUrl(url, false)).toBeDefined()
    },
  )

  test.each([
    "",
    "x",
    "/v1",
    "http://example.com",
    "ftp://example.com",
    "javascript:alert(1)",
    "https://user:pw@example.com",
    "https://example.com/?k=v",
    "https://example.com/#f",
    "https://10.0.0.1",
    "https://169.254.169.254/latest",
    "https://0x0a.1",
    "https://[fd00::1]",
    "https://[::ffff:127.0.0.1]",
    "https://8.8.8.8",
    "https://intranet",
    "https://db.internal",
    "https://x.local",
    "https://x.localhost",
    "http://10.0.0.1",
    "http://localhost.evil.example",
  ])("[T21] %s is refused everywhere", (url) => {
    expect(faultOfBaseUrl(url, true)).toBeDefined()
    expect(faultOfBaseUrl(url, false)).toBeDefined()
  })
})

describe("roles", () => {
  test("[F52] they are replaced and read as a whole", async () => {
    const { ask, acme } = setUp()
    acme.settings.byName.set("p1", { kind: "workers-ai" })
    const roles = { fast: "p1/m:low", default: "m", planning: ["p1/a", "rehearsal/default", "b:high"] }
    const r = await ask("PUT", "/v1/settings/roles", { body: roles })
    expect([r.status, r.body, await acme.settings.get("roles")]).toEqual([200, roles, roles])
    expect((await ask("GET", "/v1/settings/roles")).body).toEqual(roles)
    expect((await ask("PUT", "/v1/settings/roles", { body: {} })).body).toEqual({})
  })

  test("[F52] a role whose model no provider sells is 422 at the model", async () => {
    const { ask, acme } = setUp()
    const faults = async (body: unknown): Promise<unknown> => {
      const r = await ask("PUT", "/v1/settings/roles", { body })
      return [r.status, (r.body["errors"] as { pointer: string }[]).map((e) => e.pointer)]
    }
    expect(await faults({ fast: "m" })).toEqual([422, ["/fast"]])
    acme.settings.byName.set("p1", { kind: "workers-ai" })
    expect(await faults({ fast: "p1/m", default: "gone/m", planning: ["p1/m", "gone/x", "p1/"] })).toEqual([
      422,
      ["/planning/1", "/planning/2", "/default"],
    ])
    acme.settings.byName.set("p2", { kind: "workers-ai" })
    expect(await faults({ fast: "m" })).toEqual([422, ["/fast"]])
    expect(await faults({ fast: [] })).toEqual([422, ["/fast"]])
    expect(await faults({ fast: Array(9).fill("p1/m") })).toEqual([422, ["/fast"]])
    expect(await acme.settings.get("roles")).toEqual({})
  })

  test("[F52] an unknown role is 422 with the nearest name", async () => {
    const { ask, acme } = setUp()
    const r = await ask("PUT", "/v1/settings/roles", { body: { planing: "p/m" } })
    expect([r.status, r.body["errors"]]).toMatchObject([422, [{ pointer: "/planing", suggestion: 'did you mean "planning"?' }]])
    expect(await acme.settings.get("roles")).toEqual({})
  })

  test.each(["", "@fast", "a b", 5, null])("[F52] %j is not a model", async (model) => {
    const { ask } = setUp()
    expect((await ask("PUT", "/v1/settings/roles", { body: { fast: model } })).status).toBe(422)
  })
})
