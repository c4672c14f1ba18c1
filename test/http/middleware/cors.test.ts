// Which web pages may read answers.

import { describe, expect, test } from "vitest"
import { setUp } from "../../support/http/ask.ts"

const origin = "https://app.example"
const preflight = { origin, "access-control-request-method": "POST", "access-control-request-headers": "authorization" }

describe("CORS", () => {
  test("[H7] is closed, except for the exact origins that the key's tenant lists", async () => {
    const { ask } = setUp()
    const of = async (key: string, from = origin): Promise<string | null> =>
      (await ask("GET", "/v1/runs", { key, headers: { origin: from } })).headers.get("access-control-allow-origin")
    expect(await of("key-a")).toBeNull()
    expect((await ask("PUT", "/v1/settings/cors", { body: { origins: [origin, origin] } })).body).toEqual({ origins: [origin] })
    expect(await of("key-a")).toBe(origin)
    expect(await of("key-b")).toBeNull()
    expect(await of("nobody's")).toBeNull()
    for (const other of [`${origin}.evil.example`, "https://app.example:8443", "http://app.example", "null", "https://APP.example"])
      expect(await of("key-a", other), other).toBeNull()
    await ask("PUT", "/v1/settings/cors", { body: { origins: [] } })
    expect(await of("key-a")).toBeNull()
  })

  test("[H7] a preflight without a key is answered for an origin that any tenant lists", async () => {
    const { ask } = setUp()
    const before = await ask("OPTIONS", "/v1/runs", { key: null, headers: preflight })
    expect([before.status, before.headers.get("access-control-allow-origin"), before.headers.get("vary")]).toEqual([204, null, "Origin"])
    await ask("PUT", "/v1/settings/cors", { key: "key-b", body: { origins: [origin] } })
    const after = await ask("OPTIONS", "/v1/runs", { key: null, headers: preflight })
    expect([after.status, after.headers.get("access-control-allow-origin")]).toEqual([204, origin])
    const headers = after.headers.get("access-control-allow-headers") ?? ""
    for (const name of ["authorization", "content-type", "idempotency-key", "prefer", "last-event-id", "traceparent"])
      expect(headers).toContain(name)
    for (const method of ["GET", "POST", "PUT", "DELETE"]) expect(after.headers.get("access-control-allow-methods")).toContain(method)
  })

  test("[P9] a preflight allows the headers that the clients of every door send", async () => {
    const { ask } = setUp()
    await ask("PUT", "/v1/settings/cors", { body: { origins: [origin] } })
    const answer = await ask("OPTIONS", "/a2a/review/message:send", { key: null, headers: preflight })
    const allowed = (answer.headers.get("access-control-allow-headers") ?? "").split(", ")
    for (const name of [
      "a2a-version",
      "a2a-extensions",
      "sluice-thread",
      "x-openwebui-chat-id",
      "x-stainless-lang",
      "mcp-protocol-version",
    ])
      expect(allowed).toContain(name)
    expect(new Set(allowed).size).toBe(allowed.length)
    const read = await ask("GET", "/v1/runs", { headers: { origin } })
    expect((read.headers.get("access-control-expose-headers") ?? "").split(", ")).toContain("x-should-retry")
  })

  test("[H7] every answer varies by origin and none allows credentials", async () => {
    const { ask } = setUp()
    await ask("PUT", "/v1/settings/cors", { body: { origins: [origin] } })
    for (const answer of [
      await ask("GET", "/v1/runs", { headers: { origin } }),
      await ask("GET", "/v1/runs"),
      await ask("GET", "/healthz", { key: null }),
      await ask("GET", "/nothing"),
      await ask("OPTIONS", "/v1/runs", { key: null, headers: preflight }),
    ]) {
      expect(answer.headers.get("vary")).toContain("Origin")
      expect(answer.headers.get("access-control-allow-credentials")).toBeNull()
    }
  })

  test("[H7] only exact origins can be listed, never a wildcard", async () => {
    const { ask } = setUp()
    for (const wrong of [
      "*",
      "https://*.example",
      "null",
      "app.example",
      "https://app.example/",
      "https://app.example/x",
      "https://App.example",
      "ftp://a.example",
      "",
    ]) {
      const answer = await ask("PUT", "/v1/settings/cors", { body: { origins: [origin, wrong] } })
      expect([answer.status, answer.body["errors"]], wrong).toEqual([422, [expect.objectContaining({ pointer: "/origins/1" })]])
    }
    expect((await ask("PUT", "/v1/settings/cors", { body: {} })).status).toBe(422)
    expect((await ask("GET", "/v1/settings/cors")).body).toEqual({ origins: [] })
  })

  test("[H10] an OPTIONS request that is not a preflight needs a key", async () => {
    const { ask } = setUp()
    expect((await ask("OPTIONS", "/v1/runs", { key: null, headers: { origin } })).status).toBe(401)
    expect((await ask("OPTIONS", "/v1/runs")).status).toBe(405)
  })
})
