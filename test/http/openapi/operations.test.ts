// What an operator sees: /readyz [N7], one log line for each request [N8], the caller's trace [H8].

import { describe, expect, test } from "vitest"
import { runId, setUp } from "../../support/http/ask.ts"

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
const header = (id = TRACE, flags = "01") => ({ traceparent: `00-${id}-00f067aa0ba902b7-${flags}` })

describe("readiness", () => {
  test("[N7] /readyz needs no key and lists what answers", async () => {
    const { ask } = setUp()
    const r = await ask("GET", "/readyz", { key: null })
    expect([r.status, r.body]).toEqual([200, { status: "ok", checks: { kv: true, r2: true, tenant: true } }])
  })

  test("[N7] a store that does not answer is named in a 503 with Retry-After", async () => {
    const { services, ask } = setUp()
    services.readiness = { kv: true, r2: false, tenant: false }
    const r = await ask("GET", "/readyz", { key: null })
    expect([r.status, r.body["code"], r.headers.get("retry-after")]).toEqual([503, "not_ready", "2"])
    expect(r.body["detail"]).toContain("r2, tenant")
    expect(r.body["checks"]).toEqual(services.readiness)
    expect((await ask("GET", "/healthz", { key: null })).status).toBe(200)
  })
})

describe("request log", () => {
  test("[N8] each request has one line with method, route, status, time, ids and tenant", async () => {
    const { services, ask } = setUp()
    const r = await ask("GET", `/v1/runs/${runId("x")}/files/secret-name.txt?page=hidden`, { headers: header() })
    expect(services.logged).toEqual([
      {
        level: "info",
        event: "http.request",
        request: r.headers.get("x-request-id"),
        trace: TRACE,
        method: "GET",
        route: "/v1/runs/:run/files/:path",
        status: 422,
        ms: expect.any(Number),
        tenant: "acme",
      },
    ])
  })

  test("[N8] the line has no text of the caller: no path, query, header, body or key", async () => {
    const { services, ask } = setUp()
    await ask("POST", "/v1/flows/canary/runs?q=canary", {
      body: { task: "canary" },
      headers: { "x-canary": "canary", traceparent: "canary" },
    })
    await ask("GET", "/canary", { key: "canary" })
    await ask("CANARY", "/v1/canary")
    await ask("GET", "/v1/runs", { key: null })
    expect(services.logged).toHaveLength(4)
    expect(JSON.stringify(services.logged)).not.toMatch(/canary/i)
    expect(services.logged.map((l) => [l["method"], l["route"], l["status"], l["tenant"]])).toEqual([
      ["POST", "/v1/flows/:flow/runs", 422, "acme"],
      ["GET", null, 401, undefined],
      ["other", null, 404, "acme"],
      ["GET", "/v1/runs", 401, undefined],
    ])
  })

  test("[N8] a server error has its line, too, with the request id of the answer", async () => {
    const { services, acme, ask } = setUp()
    acme.runList.list = () => Promise.reject(new Error("inside"))
    const error = console.error
    console.error = () => {}
    const r = await ask("GET", "/v1/runs").finally(() => (console.error = error))
    expect(services.logged).toMatchObject([{ status: 500, route: "/v1/runs", request: r.headers.get("x-request-id") }])
    expect(JSON.stringify(services.logged)).not.toContain("inside")
  })
})

describe("traceparent", () => {
  test("[H8] is answered with the caller's trace and this request's span", async () => {
    const { ask } = setUp()
    const r = await ask("GET", "/v1/runs", { headers: header() })
    const answered = r.headers.get("traceparent") ?? ""
    expect(answered).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-01$`))
    expect(answered).not.toContain("00f067aa0ba902b7")
    expect((await ask("GET", "/v1/runs")).headers.get("traceparent")).toBeNull()
  })

  test("[H8] is passed to the run", async () => {
    const { acme, ask } = setUp()
    acme.catalog.flow({})
    await acme.catalog.put("flow", "flows/f.yaml", "x")
    const traced = await ask("POST", "/v1/flows/f/runs", { body: {}, headers: header() })
    expect(acme.run(String(traced.body["id"])).request?.trace).toEqual({ id: TRACE, parent: "00f067aa0ba902b7" })
    const unsampled = await ask("POST", "/v1/flows/f/runs", { body: {}, headers: header(TRACE, "00") })
    expect(acme.run(String(unsampled.body["id"])).request?.trace).toEqual({ id: TRACE, parent: "00f067aa0ba902b7", sampled: false })
    const plain = await ask("POST", "/v1/flows/f/runs", { body: {} })
    expect(acme.run(String(plain.body["id"])).request).not.toHaveProperty("trace")
  })
})
