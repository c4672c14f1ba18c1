// Unknown query parameters [H3]: every route refuses them, with the nearest name.

import { describe, expect, test } from "vitest"
import { ZERO_OR_ONE } from "../../../src/api/route/route.ts"
import { statusIn } from "../../../src/api/route/error-forms.ts"
import { ROUTES } from "../../../src/http/app.ts"
import { runId, setUp } from "../../support/http/ask.ts"

type Faults = { pointer: string; message: string; suggestion?: string }[]
const ID = runId("r")

describe("unknown query parameters", () => {
  test("[P26] the doors for other clients take what these add to their addresses", async () => {
    const { ask } = setUp()
    for (const query of ["api-version=2024-10-21", "client_version=0.63.0", "api-version=1&api-version=2"])
      expect((await ask("GET", `/v1/models?${query}`)).status, query).toBe(200)
  })

  test.each([
    ["/v1/runs?stauts=failed", "?stauts", 'did you mean "status"?'],
    ["/v1/runs?Limit=1", "?Limit", 'did you mean "limit"?'],
    ["/v1/flows?limt=1", "?limt", 'did you mean "limit"?'],
    [`/v1/runs/${ID}?snapshto=1`, "?snapshto", "known: at, token"],
    [`/v1/runs/${ID}/events?affter=1`, "?affter", 'did you mean "after"?'],
    [`/v1/runs/${ID}/files?page=2`, "?page", "known: limit, cursor, at, token"],
    ["/v1/settings/policy?x=1", "?x", "this route takes no query parameters"],
    ["/healthz?x=1", "?x", "this route takes no query parameters"],
  ])("[H3] %s is 422 and names the nearest known one", async (path, pointer, suggestion) => {
    const { ask, acme } = setUp()
    acme.run(ID).begin()
    const { status, body } = await ask("GET", path)
    expect([status, body["code"], body["errors"]]).toEqual([
      422,
      "invalid",
      [{ pointer, message: `unknown query parameter "${pointer.slice(1)}"`, suggestion }],
    ])
  })

  test("[H3] every declared route except those for outsiders refuses them before it does anything", async () => {
    const { app, services } = setUp()
    services.key("key-all", "acme", [
      "runs:write",
      "runs:read",
      "catalog:write",
      "catalog:read",
      "tools:call",
      "interactions:answer",
      "admin",
    ])
    for (const [method, path, scope, , declared] of ROUTES) {
      if (declared === undefined) continue
      const key = scope === "instance" ? "key-admin" : "key-all"
      const at = `${path.replace(/:run\b/, ID).replace(/:\w+(?:\{\.\+\})?/g, "a")}?zzz_unknown=1`
      const answer = await app.request(at, { method, headers: { authorization: `Bearer ${key}` } })
      const text = await answer.text()
      if (declared.anyQuery === true) expect(text, `${method} ${path}`).not.toContain("zzz_unknown")
      else
        expect([method, path, answer.status, text.includes("?zzz_unknown")]).toEqual([
          method,
          path,
          statusIn(declared.errors, "invalid"),
          true,
        ])
    }
  })

  test("[H3] a flag is 0 or 1 on every route: any other value is refused, and never counts as the other choice", async () => {
    const { app, services } = setUp()
    services.key("key-all", "acme", [
      "runs:write",
      "runs:read",
      "catalog:write",
      "catalog:read",
      "tools:call",
      "interactions:answer",
      "admin",
    ])
    const seen: string[] = []
    for (const [method, path, scope, , declared] of ROUTES)
      for (const [name, { schema }] of Object.entries(declared?.query ?? {})) {
        if (schema !== ZERO_OR_ONE) continue
        seen.push(name)
        for (const value of ["true", "2", "", "0,1"]) {
          const key = scope === "instance" ? "key-admin" : "key-all"
          const at = `${path.replace(/:run\b/, ID).replace(/:\w+(?:\{\.\+\})?/g, "a")}?${name}=${value}`
          const answer = await app.request(at, { method, headers: { authorization: `Bearer ${key}` } })
          expect([method, at, answer.status, (await answer.text()).includes(`"pointer":"?${name}"`)]).toEqual([method, at, 422, true])
        }
      }
    expect(seen).toEqual(expect.arrayContaining(["dry", "force", "explain", "snapshot", "ack", "write", "children"]))
  })

  test("[H3] a parameter that comes twice is 422", async () => {
    const { ask } = setUp()
    for (const query of ["limit=1&limit=2", "status=failed&status=running"]) {
      const { status, body } = await ask("GET", `/v1/runs?${query}`)
      expect([status, (body["errors"] as Faults)[0]?.message]).toEqual([422, "must be given once"])
    }
  })

  test("[H3] every parameter a route declares is known, also `ack` and a run's token", async () => {
    const { ask, acme, services } = setUp()
    acme.run(ID).begin()
    services.runTokens.set("good", { run: ID, caller: { tenant: "acme", name: "a", scopes: ["runs:read"], keyId: "key_1" } })
    for (const path of [`/v1/runs/${ID}?token=good`, `/v1/runs/${ID}/events?token=good&after=0`])
      expect((await ask("GET", path, { key: null })).status).toBe(200)
    expect((await ask("GET", `/v1/runs/${ID}/events?ack=1&snapshot=0`)).status).toBe(200)
  })

  test("[H3] many unknown names are answered with a short list, and a long name is shortened", async () => {
    const { ask } = setUp()
    const many = Array.from({ length: 2_000 }, (_, i) => `n${i}=1`).join("&")
    const { status, body } = await ask("GET", `/v1/runs?${many}`)
    expect([status, (body["errors"] as Faults).length]).toEqual([422, 50])
    expect((await ask("GET", `/v1/runs?${"x".repeat(5_000)}=1`)).text.length).toBeLessThan(2_000)
  })

  test("[H3] an inbound hook and the links for people take any query", async () => {
    const { ask } = setUp()
    for (const [method, path] of [
      ["GET", "/?utm_source=mail"],
      ["GET", "/i/nothing?fbclid=1"],
      ["GET", "/d/nothing?fbclid=1"],
      ["POST", "/v1/hooks/hook_nothing?env=test"],
    ] as const)
      expect((await ask(method, path, { key: null })).status).not.toBe(422)
  })
})
