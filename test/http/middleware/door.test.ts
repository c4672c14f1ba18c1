// Keys and scopes, the order of the checks, and the shape of refusals [H1] [H2] [H3] [H8] [H10].

import { afterEach, describe, expect, test, vi } from "vitest"
import { createApp, ROUTES } from "../../../src/http/app.ts"
import { runId, setUp } from "../../support/http/ask.ts"
import { codeIn } from "../../support/http/documented-answer.ts"
import { FakeServices, SCOPES } from "../../support/http/fake-services.ts"

const MIB = 1_048_576

afterEach(() => {
  vi.restoreAllMocks()
})

describe("addresses", () => {
  test("[H3] a malformed Host header is a problem document, not a server error", async () => {
    const log = vi.spyOn(console, "error")
    const request = new Request("http://local/healthz")
    // Like the runtime: the request's URL contains the Host header, even a malformed one.
    Object.defineProperty(request, "url", { value: "http://[::/healthz" })
    const answer = await createApp(new FakeServices()).fetch(request)
    expect([answer.status, answer.headers.get("content-type")]).toEqual([422, "application/problem+json"])
    expect(answer.headers.get("x-request-id")).toMatch(/^req_/)
    expect(await answer.json()).toMatchObject({ code: "invalid", detail: "the header Host must be a host name", instance: "/" })
    expect(log).not.toHaveBeenCalled()
  })
})

describe("keys and scopes", () => {
  test("[H1] /healthz needs no key and answers status and version", async () => {
    const { ask } = setUp()
    const r = await ask("GET", "/healthz", { key: null })
    expect([r.status, r.body]).toEqual([200, { status: "ok", version: "1.2.3" }])
  })

  test.each([null, "", "x", "key-a2", "key a"])("[H1] the key %j is 401 with WWW-Authenticate", async (key) => {
    const { ask } = setUp()
    const r = await ask("GET", "/v1/runs", { key })
    expect(r.status).toBe(401)
    expect(r.headers.get("www-authenticate")).toMatch(/^Bearer/)
    expect(r.headers.get("content-type")).toBe("application/problem+json")
  })

  test("[H1] a key in the query does not count", async () => {
    const { ask } = setUp()
    expect((await ask("GET", "/v1/runs?token=key-a", { key: null })).status).toBe(401)
  })

  test("[H1] the scheme is Bearer in any case", async () => {
    const { ask } = setUp()
    expect((await ask("GET", "/v1/runs", { key: null, headers: { authorization: "bearer key-a" } })).status).toBe(200)
    expect((await ask("GET", "/v1/runs", { key: null, headers: { authorization: "Basic key-a" } })).status).toBe(401)
  })

  test("[H1] every route refuses a key that has all scopes except the one it needs", async () => {
    for (const [method, path, scope, , declared] of ROUTES) {
      // `any`: the MCP server checks scopes itself.
      if (scope === "open" || scope === "any") continue
      for (const needed of [scope, ...(declared?.also ?? [])]) {
        const { services, ask } = setUp()
        services.key(
          "less",
          "acme",
          SCOPES.filter((s) => s !== needed),
        )
        const r = await ask(method, path.replace("{.+}", ""), { key: "less" })
        expect([r.status, codeIn(r.body, declared?.errors)], `${method} ${path}`).toEqual([403, "forbidden"])
        expect(r.text).toContain(needed)
      }
    }
  })

  test("[N5] a key without scopes opens no tenant", async () => {
    const { services, ask } = setUp()
    services.key("root", "", [])
    expect((await ask("GET", "/v1/runs", { key: "root" })).status).toBe(403)
    expect(services.opened).toEqual([])
  })

  test("[N1] the tenant comes from the key", async () => {
    const { services, ask } = setUp()
    services.of("acme").run(runId("x")).begin()
    expect((await ask("GET", `/v1/runs/${runId("x")}`)).status).toBe(200)
    expect((await ask("GET", `/v1/runs/${runId("x")}`, { key: "key-b" })).status).toBe(404)
  })
})

describe("one 404 for all", () => {
  test("[H2] foreign, malformed, unknown and badly encoded ids and unknown paths get the same 404, apart from instance", async () => {
    const { services, ask } = setUp()
    services.of("other").run(runId("theirs")).begin()
    const ids = [
      runId("theirs"),
      runId("nobody"),
      "run_short",
      "x".repeat(300),
      "..%2F..%2Fetc",
      "%2500",
      "%00",
      "%",
      "%E0%A4%A",
      "%ff",
      "a%0Ab",
    ]
    const paths = [
      ...ids.flatMap((id) => [`/v1/runs/${id}`, `/v1/runs/${id}/events`, `/v1/runs/${id}/files/a.txt`]),
      "/v1/nothing",
      "/nothing",
      "/v1/runs/",
    ]
    const seen = new Set<string>()
    for (const path of paths) {
      const r = await ask("GET", path)
      expect(r.status, path).toBe(404)
      expect(r.headers.get("content-type")).toBe("application/problem+json")
      expect(r.body["instance"]).toBe(path)
      r.headers.delete("x-request-id")
      seen.add(JSON.stringify([{ ...r.body, instance: "" }, [...r.headers]]))
    }
    expect(seen.size).toBe(1)
  })

  test("[H2] the same holds for flows, agents, tools and settings, whatever the method", async () => {
    const { ask } = setUp()
    const seen = new Set<string>()
    for (const [method, path] of [
      ["GET", "/v1/flows/nope"],
      ["POST", "/v1/flows/nope/runs"],
      ["DELETE", "/v1/agents/nope"],
      ["GET", "/v1/agents/%00"],
      ["PUT", "/v1/agents/%00"],
      ["POST", "/v1/tools/nope"],
      ["GET", "/v1/settings/providers/nope"],
      ["GET", "/v1/settings/providers/constructor"],
      ["POST", `/v1/runs/${runId("x")}/cancel`],
    ] as const) {
      const r = await ask(method, path)
      expect(r.status, `${method} ${path}`).toBe(404)
      seen.add(JSON.stringify({ ...r.body, instance: "" }))
    }
    expect(seen.size).toBe(1)
  })
})

describe("problems", () => {
  test("[H3] a problem has type, title, status, detail, instance and code", async () => {
    const { ask } = setUp()
    const r = await ask("GET", "/v1/nothing?secret=1")
    expect(Object.keys(r.body)).toEqual(["type", "title", "status", "detail", "instance", "code"])
    expect([r.body["status"], r.body["code"], r.body["instance"]]).toEqual([404, "not_found", "/v1/nothing"])
  })

  test("[H3] a server error is a 500 without internal details, and a structured line in the log", async () => {
    const { services, acme, ask } = setUp()
    const lines: string[] = []
    vi.spyOn(console, "error").mockImplementation((line: unknown) => void lines.push(String(line)))
    acme.runList.list = () => Promise.reject(new Error("SECRET-INSIDE"))
    services.key("key-a", "acme")
    const r = await ask("GET", "/v1/runs?flow=hidden", { headers: { traceparent: `00-${"a".repeat(32)}-${"b".repeat(16)}-01` } })
    expect([r.status, r.body["code"], r.headers.get("content-type")]).toEqual([500, "internal", "application/problem+json"])
    expect(r.text).not.toContain("SECRET-INSIDE")
    const entry: unknown = JSON.parse(lines[0] ?? "")
    expect(entry).toMatchObject({
      level: "error",
      request: r.headers.get("x-request-id"),
      trace: "a".repeat(32),
      method: "GET",
      route: "/v1/runs",
      message: "SECRET-INSIDE",
    })
    expect(lines[0]).not.toContain("hidden")
  })

  test("[H8] every answer has its own request id and headers that keep browsers from running it", async () => {
    const { ask } = setUp()
    const seen = new Set<string | null>()
    for (const [method, path, key] of [
      ["GET", "/healthz", null],
      ["GET", "/v1/runs", "key-a"],
      ["GET", "/v1/runs", null],
      ["GET", "/v1/x", "key-a"],
      ["DELETE", "/v1/runs", "key-a"],
    ] as const) {
      const r = await ask(method, path, { key })
      seen.add(r.headers.get("x-request-id"))
      expect([r.headers.get("x-content-type-options"), r.headers.get("cache-control")]).toEqual(["nosniff", "no-store"])
      expect(r.headers.get("content-security-policy")).toContain("default-src 'none'")
    }
    expect(seen.size).toBe(5)
    expect(seen.has(null)).toBe(false)
  })

  test("[H8] HEAD is GET without the body", async () => {
    const { ask } = setUp()
    const r = await ask("HEAD", "/v1/runs")
    expect([r.status, r.text, r.headers.get("content-type")]).toEqual([200, "", "application/json"])
  })
})

describe("the order of checks", () => {
  const big = new Uint8Array(MIB + 1)

  test("[H10] 413 comes before 401, and names the limit", async () => {
    const { ask } = setUp()
    const r = await ask("POST", "/v1/nothing", { key: null, body: big })
    expect([r.status, r.body["code"]]).toEqual([413, "too_large"])
    expect(String(r.body["detail"])).toMatch(/1 MiB/)
  })

  test("[H10] a body whose Content-Length is too large is 413, too", async () => {
    const { ask } = setUp()
    expect((await ask("POST", "/v1/flows/f/runs", { body: "{}", headers: { "content-length": String(MIB + 1) } })).status).toBe(413)
  })

  test("[H10] a body that states a wrong length, or is a stream, is counted", async () => {
    const { app } = setUp()
    const chunk = new Uint8Array(100_000)
    let sent = 0
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (sent++ < 40) controller.enqueue(chunk)
        else controller.close()
      },
    })
    const r = await app.request(new Request("http://x/v1/validate", { method: "POST", body, duplex: "half" } as RequestInit))
    expect(r.status).toBe(413)
  })

  test("[H3] a body of exactly 1 MiB passes", async () => {
    const { ask } = setUp()
    expect((await ask("PUT", "/v1/agents/a", { body: "x".repeat(MIB) })).status).toBe(200)
  })

  test("[H10] 401 comes before 404 of a path, and before 405", async () => {
    const { ask } = setUp()
    expect((await ask("GET", "/v1/nothing", { key: "wrong" })).status).toBe(401)
    expect((await ask("DELETE", "/v1/runs", { key: "wrong" })).status).toBe(401)
  })

  test("[H10] 405 names the methods, and comes before 403", async () => {
    const { services, ask } = setUp()
    services.key("none", "acme", [])
    const r = await ask("PATCH", "/v1/flows/f", { key: "none" })
    expect([r.status, r.headers.get("allow"), r.headers.get("content-type")]).toEqual([
      405,
      "GET, HEAD, PUT, DELETE",
      "application/problem+json",
    ])
    expect((await ask("OPTIONS", "/v1/validate")).headers.get("allow")).toBe("POST")
    expect((await ask("POST", "/healthz", { key: null })).status).toBe(405)
  })

  test("[H10] 403 comes before 404 of an id", async () => {
    const { services, ask } = setUp()
    services.key("none", "acme", [])
    expect((await ask("GET", "/v1/runs/nope", { key: "none" })).status).toBe(403)
  })

  test.each([
    ["POST", "/v1/flows/nope/runs"],
    ["POST", `/v1/runs/${runId("no")}/cancel`],
    ["POST", `/v1/runs/${runId("no")}/steps/a/steer`],
    ["POST", `/v1/runs/${runId("no")}/interactions/i`],
  ])("[H10] %s %s: 404 of an id comes before 400, 415 and 422", async (method, path) => {
    const { ask } = setUp()
    const bodies = [
      { body: "{not json", headers: { "content-type": "application/json" } },
      { body: "{}", headers: { "content-type": "text/plain" } },
      { body: { tasc: 1 } },
      { body: [] },
    ]
    for (const more of bodies) expect((await ask(method, path, more)).status).toBe(404)
  })

  test.each([
    ["GET", "/events?after=x"],
    ["GET", "/events?limit=0"],
    ["GET", "/events?format=yaml"],
    ["GET", "/interactions?status=lost"],
  ])("[H10] %s …%s: 404 of an id comes before 422 of a query", async (method, end) => {
    const { acme, ask } = setUp()
    expect((await ask(method, `/v1/runs/${runId("no")}${end}`)).status).toBe(404)
    acme.run(runId("yes")).begin()
    expect((await ask(method, `/v1/runs/${runId("yes")}${end}`)).status).toBe(422)
  })
})

describe("bodies", () => {
  const start = async (more: { body: unknown; headers?: Record<string, string> }) => {
    const { acme, ask } = setUp()
    acme.catalog.flow()
    await acme.catalog.put("flow", "flows/f.yaml", "x")
    return ask("POST", "/v1/flows/f/runs", more)
  }

  test("[H3] an unknown field is 422 and names the nearest known one", async () => {
    const r = await start({ body: { tasc: "go" } })
    expect(r.status).toBe(422)
    expect(r.body["errors"]).toEqual([{ pointer: "/tasc", message: 'unknown field "tasc"', suggestion: 'did you mean "task"?' }])
  })

  test("[H3] all faults of a body are listed at once, each with its pointer", async () => {
    const r = await start({ body: { task: 5, autonomous: "yes", tags: ["ok", 7] } })
    expect(r.body["errors"]).toEqual([
      { pointer: "/task", message: "must be a string" },
      { pointer: "/autonomous", message: "must be a boolean" },
      { pointer: "/tags/1", message: "must be a string" },
    ])
  })

  test("[H3] JSON that does not parse is 400 with its place", async () => {
    const r = await start({ body: '{"task":\n oops}', headers: { "content-type": "application/json" } })
    expect([r.status, r.body["code"]]).toEqual([400, "malformed_json"])
    expect(r.body["errors"]).toMatchObject([{ pointer: "" }])
    expect((await start({ body: new Uint8Array([0xff, 0x7b]), headers: { "content-type": "application/json" } })).status).toBe(400)
  })

  test("[H3] a content type other than JSON is 415 and names the type to send", async () => {
    const r = await start({ body: "task=go", headers: { "content-type": "application/x-www-form-urlencoded" } })
    expect([r.status, r.body["code"]]).toEqual([415, "unsupported_media_type"])
    expect(String(r.body["detail"])).toContain("application/json")
  })

  test("[H3] JSON is accepted with a charset, as +json and without a content type", async () => {
    for (const type of ["application/json; charset=utf-8", "application/vnd.x+json", ""]) {
      expect((await start({ body: '{"task":"go"}', headers: { "content-type": type } })).status, type).toBe(202)
    }
  })

  test.each([["[]"], ["null"], ['"x"'], ["7"]])("[H3] %s is not an object: 422", async (body) => {
    expect((await start({ body, headers: { "content-type": "application/json" } })).status).toBe(422)
  })

  test("[H3] nesting that would overflow a reader is 422, and so is __proto__", async () => {
    const deep = `{"inputs":{"a":${"[".repeat(200_000)}${"]".repeat(200_000)}}}`
    const r = await start({ body: deep, headers: { "content-type": "application/json" } })
    expect([r.status, String(r.body["detail"])]).toEqual([422, "is nested deeper than 64 levels"])
    expect((await start({ body: '{"inputs":{"__proto__":{"x":1}}}', headers: { "content-type": "application/json" } })).status).toBe(422)
  })

  test("[H3] a number that overflows is 422 at its place, because a journal would store null", async () => {
    const r = await start({ body: '{"inputs":{"a/b":[1,-1e400]}}', headers: { "content-type": "application/json" } })
    expect([r.status, r.body["errors"]]).toEqual([
      422,
      [expect.objectContaining({ pointer: "/inputs/a~1b/1", message: "is too large for a number" })],
    ])
  })

  test("[H3] a whole number that a number would change keeps its digits, and schemas keep their bounds", async () => {
    const { acme, ask } = setUp()
    acme.catalog.flow({ inputs: { id: { type: "string", required: true }, n: { type: "number", required: false } } })
    await acme.catalog.put("flow", "flows/f.yaml", "x")
    const headers = { "content-type": "application/json" }
    const started = (inputs: string) => ask("POST", "/v1/flows/f/runs", { body: `{"task":"go","inputs":${inputs}}`, headers })
    expect((await started('{"id":1790345128833417219}')).status).toBe(202)
    const refused = await started('{"id":"x","n":1790345128833417219}')
    expect([refused.status, refused.body["errors"]]).toMatchObject([
      422,
      [{ pointer: "/inputs/n", message: expect.stringContaining("too many digits") }],
    ])
    const tool = `{"description":"d","parameters":{"type":"object","properties":{"n":{"type":"integer","maximum":9223372036854775807}}},"request":{"method":"GET","url":"https://api.example.com/"}}`
    expect((await ask("PUT", "/v1/tools/thing", { body: tool, headers })).status).toBe(201)
  })
})
