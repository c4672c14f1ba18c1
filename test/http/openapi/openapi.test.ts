// The document of the API and its page [H11]. That every answer of the HTTP tests is in it is looked at where they ask (told.ts).

import { describe, expect, test, vi } from "vitest"
import type { z } from "zod"
import { parsePolicy } from "../../../src/core/policy/parse-policy.ts"
import { Registration } from "../../../src/core/tool/http-tool.ts"
import { isObject } from "../../../src/core/json.ts"
import { ROUTES } from "../../../src/http/app.ts"
import { mediaOf, openApi, operationsOf, undescribed } from "../../../src/http/openapi/document.ts"
import { PolicyBody, Prices } from "../../../src/http/openapi/settings-shapes.ts"
import { TABLE } from "../../../src/http/openapi/table.ts"
import type * as Body from "../../../src/http/middleware/body.ts"
import { Price } from "../../../src/http/settings/settings.ts"
import { runId, setUp } from "../../support/http/ask.ts"

/** Every schema that a handler checked a body by, in order. */
const checked = vi.hoisted((): unknown[] => [])
vi.mock("../../../src/http/middleware/body.ts", async (original) => {
  const body = await original<typeof Body>()
  return {
    ...body,
    json: (c: Parameters<typeof body.json>[0], schema: z.ZodObject) => {
      checked.push(schema)
      return body.json(c, schema)
    },
  }
})

interface Said {
  readonly method: string
  readonly path: string
  readonly op: Record<string, unknown>
}

const document = openApi(ROUTES, "1.2.3")
const said: Said[] = Object.entries(document["paths"] ?? {}).flatMap(([path, item]) =>
  Object.entries(isObject(item) ? item : {}).map(([method, op]) => ({ method: method.toUpperCase(), path, op: isObject(op) ? op : {} })),
)
const list = (value: unknown): Record<string, unknown>[] => (Array.isArray(value) ? value.filter(isObject) : [])

describe("the document", () => {
  test("[H11] every route but /docs and /mcp is in it, and nothing else", () => {
    expect(undescribed(ROUTES)).toEqual([])
    const operations = operationsOf(ROUTES)
    const lines = operations.map(({ method, path }) => `${method} ${path}`)
    expect(Object.keys(TABLE).filter((line) => !lines.includes(line))).toEqual([])
    expect(said.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(lines.sort())
    expect(lines.filter((line) => /\/(docs|mcp)$/.test(line))).toEqual([])
  })

  test("[H11] operation ids are unique, path parameters are those of the path, the scope is that of the route", () => {
    const ids = said.map(({ op }) => op["operationId"])
    expect(new Set(ids).size).toBe(ids.length)
    for (const { path, op } of said) {
      const names = list(op["parameters"]).flatMap((p) => (p["in"] === "path" ? [p["name"]] : []))
      expect(names, path).toEqual([...path.matchAll(/\{(\w+)\}/g)].map((m) => m[1]))
    }
    for (const { method, path, scope } of operationsOf(ROUTES)) {
      const op = said.find((one) => one.method === method && one.path === path)?.op ?? {}
      expect(op["x-scope"], path).toBe(scope === "open" || scope === "instance" ? undefined : scope)
      expect(list(op["security"])[0], path).toEqual(scope === "open" ? undefined : scope === "instance" ? { admin: [] } : { key: [] })
    }
  })

  test("[H11] every reference leads to a component, and every component is led to", () => {
    const text = JSON.stringify(document)
    const led = new Set([...text.matchAll(/"\$ref":"#\/components\/([^"]+)"/g)].map((m) => m[1] ?? ""))
    const components = isObject(document["components"]) ? document["components"] : {}
    const there = Object.entries(components).flatMap(([kind, all]) =>
      kind === "securitySchemes" ? [] : Object.keys(isObject(all) ? all : {}).map((name) => `${kind}/${name}`),
    )
    expect([...led].filter((name) => !there.includes(name))).toEqual([])
    expect(there.filter((name) => !led.has(name))).toEqual([])
    expect(text).not.toContain("__shared")
    expect(text).not.toContain("#/$defs/")
  })

  test("[H4] an Idempotency-Key goes with every POST that has a key", () => {
    for (const { method, path, op } of said) {
      const takes = list(op["parameters"]).some((p) => p["$ref"] === "#/components/parameters/IdempotencyKey")
      expect(takes, `${method} ${path}`).toBe(method === "POST" && list(op["security"]).length > 0)
    }
  })

  test("[H11] what a handler checks a JSON body by is the very schema of the document", async () => {
    const { ask, acme, house } = setUp()
    const session = runId("s")
    acme.architect.add(session)
    const hook = await acme.hooks.create({ flow: "f", kind: "token", secret: "s", mapping: {}, autonomous: true, enabled: true })
    await house.tenants.create({ id: "other", name: "other" })
    const values: Record<string, string> = { run: runId("a"), session, hook: hook === "too_many" ? "" : hook.id, tenant: "other" }
    const other: string[] = []
    const unread: string[] = []
    for (const { method, path, scope, told } of operationsOf(ROUTES)) {
      const documented =
        told.body === undefined ? [] : Object.entries(mediaOf(told.body)).flatMap(([type, s]) => (/json/.test(type) ? [s] : []))
      checked.length = 0
      const url = path.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? "x")
      if (/^\/(d|i|mcp)\//.test(url)) continue
      await ask(method, url, { key: scope === "instance" ? "key-admin" : "key-a", body: method === "GET" ? undefined : {} })
      const line = `${method} ${path}`
      if (checked.some((schema) => !documented.some((one) => one === schema))) other.push(line)
      if (checked.length === 0 && documented.length > 0) unread.push(line)
    }
    expect(other).toEqual([])
    // Any JSON at all; a tool's own arguments; and three with a parser of their own: the tests below are about those.
    expect(unread).toEqual([
      "POST /v1/runs/{run}/signals/{signal}",
      "POST /v1/tools/{tool}",
      "PUT /v1/tools/{tool}",
      "POST /v1/references/{kind}",
      "PUT /v1/settings/policy",
      "PUT /v1/settings/prices",
    ])
  })

  test("[T26] what a registered tool and a price are is read by the schemas of the document", () => {
    expect(TABLE["PUT /v1/tools/{tool}"]?.body).toBe(Registration)
    expect(Prices.valueType).toBe(Price)
  })

  test.each([
    [{}],
    [{ tools: { profile: "coding", allow: ["a*"], deny: ["b"], agents: { x: { deny: ["c"] } }, providers: { y: { allow: ["d"] } } } }],
    [{ approvals: { tools: "always", plans: { kind: "dynamic", value: "args.amount > 10" }, allow_relax: true, expires: "2h" } }],
    [{ hooks: { confirm: ["a"], log: ["b"], silent: ["c"] }, autonomy: "autonomous", max_timeout: 5000 }],
    [{ denylist: [{ tool: "bash", args: "rm", reason: "no" }], network: { allow: ["*.example"] } }],
    [{ tool: {} }],
    [{ tools: { profile: "none" } }],
    [{ approvals: { tools: "sometimes" } }],
    [{ hooks: { confirm: "a" } }],
    [{ denylist: [{ tool: "bash" }] }],
    [{ network: [] }],
  ])("[T30] a policy is one by the document when it is one: %j", (body) => {
    expect(PolicyBody.safeParse(body).success).toBe(parsePolicy(body).ok)
  })
})

describe("what is served", () => {
  test("[H11] GET /openapi.json needs no key and has a tag", async () => {
    const { ask } = setUp()
    const whole = await ask("GET", "/openapi.json", { key: null })
    expect([whole.status, whole.body["openapi"]]).toEqual([200, "3.1.0"])
    const again = await ask("GET", "/openapi.json", { key: null, headers: { "if-none-match": whole.headers.get("etag") ?? "" } })
    expect([again.status, again.text]).toEqual([304, ""])
  })

  test("[H11] GET /docs needs no key, tells every operation, and runs and loads nothing", async () => {
    const { ask } = setUp()
    const page = await ask("GET", "/docs", { key: null })
    expect(page.status).toBe(200)
    expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8")
    expect(page.headers.get("content-security-policy")).toMatch(/^default-src 'none'; style-src 'sha256-[\w+/]+=*'; frame-ancestors 'none'/)
    for (const { op } of said) expect(page.text).toContain(`<section id="${String(op["operationId"])}">`)
    expect(page.text).not.toMatch(/<script|<link|<img|<iframe|@import|url\(|\son\w+=|https?:\/\//i)
  })
})
