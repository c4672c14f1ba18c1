// The document of the API and its page [H11]. support/http/documented-answer.ts checks that it has every answer of the HTTP tests.

import { describe, expect, test, vi } from "vitest"
import type { z } from "zod"
import { EXAMPLES, OUTGOING, SHAPES } from "../../../src/api/doc/api.doc.ts"
import { API } from "../../../src/api/api.ts"
import { RunNotice } from "../../../src/api/doc/callbacks.doc.ts"
import { PlanExecution } from "../../../src/api/doc/references.doc.ts"
import { PolicyBody as Policy } from "../../../src/core/project/policy-body.ts"
import { Prices } from "../../../src/core/money/price-table.ts"
import { Price } from "../../../src/core/money/amount.ts"
import { isObject } from "../../../src/core/json.ts"
import { parsePolicy } from "../../../src/core/tool/policy/parse-policy.ts"
import { Registration } from "../../../src/core/tool/http-tool.ts"
import { ROUTES } from "../../../src/http/app.ts"
import type * as Body from "../../../src/http/middleware/body.ts"
import { bodyOf, mediaOf, OPERATIONS } from "../../../src/http/openapi/operations.ts"
import { exampleOf } from "../../../src/http/openapi/content.ts"
import { openApi } from "../../../src/http/openapi/document.ts"
import { schemaNamed, type Shape } from "../../../src/http/openapi/schemas.ts"
import { runId, setUp } from "../../support/http/ask.ts"

/** Every schema that a handler checked a body with, in order. */
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

const document = openApi("1.2.3")
const said: Said[] = Object.entries(document["paths"] ?? {}).flatMap(([path, item]) =>
  Object.entries(isObject(item) ? item : {}).map(([method, op]) => ({ method: method.toUpperCase(), path, op: isObject(op) ? op : {} })),
)
const list = (value: unknown): Record<string, unknown>[] => (Array.isArray(value) ? value.filter(isObject) : [])

describe("the document", () => {
  test("[H11] every declared route is handled once and documented; pages, their files and /mcp are not declared", () => {
    const declared = Object.values(API).map(({ method, path, scope }) => `${method} ${path} ${scope}`)
    const handled = ROUTES.map(([method, path, scope]) => `${method} ${path} ${scope}`)
    expect(handled.filter((line) => !declared.includes(line))).toEqual([
      "GET /docs open",
      "GET /sluice-chat.js open",
      "GET /console open",
      "GET /console/:rest{.*} open",
      "POST /mcp any",
    ])
    expect(handled.filter((line) => declared.includes(line)).sort()).toEqual(declared.sort())
    expect(said.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(
      OPERATIONS.map(({ method, template }) => `${method} ${template}`).sort(),
    )
  })

  test("[H11] operation ids are unique, and path parameters and scope match the route", () => {
    const ids = said.map(({ op }) => op["operationId"])
    expect(new Set(ids).size).toBe(ids.length)
    for (const { path, op } of said) {
      const names = list(op["parameters"]).flatMap((p) => (p["in"] === "path" ? [p["name"]] : []))
      expect(names, path).toEqual([...path.matchAll(/\{(\w+)\}/g)].map((m) => m[1]))
    }
    for (const { method, template: path, scope } of OPERATIONS) {
      const op = said.find((one) => one.method === method && one.path === path)?.op ?? {}
      expect(op["x-scope"], path).toBe(scope === "open" || scope === "instance" ? undefined : scope)
      expect(list(op["security"])[0], path).toEqual(scope === "open" ? undefined : scope === "instance" ? { admin: [] } : { key: [] })
    }
  })

  test("[H11] every reference has a component, and every component is referenced", () => {
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

  test("[H11] every property of every schema has a description", () => {
    const bare: string[] = []
    let properties = 0
    const look = (schema: unknown, at: string): void => {
      if (Array.isArray(schema)) for (const one of schema) look(one, at)
      if (!isObject(schema)) return
      for (const [name, child] of Object.entries(isObject(schema["properties"]) ? schema["properties"] : {})) {
        properties += 1
        const text = isObject(child) ? child["description"] : undefined
        if (typeof text !== "string" || text === "") bare.push(`${at}.${name}`)
        look(child, `${at}.${name}`)
      }
      // Values of these are data, not schemas.
      for (const [key, child] of Object.entries(schema))
        if (!["properties", "example", "examples", "default", "enum", "const"].includes(key)) look(child, at)
    }
    const components = isObject(document["components"]) ? document["components"] : {}
    for (const [name, schema] of Object.entries(isObject(components["schemas"]) ? components["schemas"] : {})) look(schema, name)
    look(components["responses"], "responses")
    look(document["paths"], "paths")
    look(document["webhooks"], "webhooks")
    expect(bare).toEqual([])
    expect(properties).toBeGreaterThan(1_000)
  })

  test("[H11] every operation has examples of its body and its answer, and every parameter has a description", () => {
    const without: string[] = []
    for (const { method, path, op } of said) {
      const contents = [op["requestBody"], ...Object.values(isObject(op["responses"]) ? op["responses"] : {})].flatMap((part) =>
        isObject(part) && isObject(part["content"]) ? Object.entries(part["content"]) : [],
      )
      for (const [type, media] of contents)
        if (isObject(media) && "schema" in media && !("example" in media)) without.push(`${method} ${path} ${type}`)
      // An operation that has no body is shown by its parameters; DELETE /v1/session has neither.
      const shown = [...contents.map(([, media]) => media), ...list(op["parameters"])].filter((one) => isObject(one) && "example" in one)
      if (shown.length === 0 && contents.length + list(op["parameters"]).length > 0) without.push(`${method} ${path}`)
      for (const parameter of list(op["parameters"]))
        if (!("$ref" in parameter) && (parameter["description"] ?? "") === "")
          without.push(`${method} ${path} ${String(parameter["name"])}`)
    }
    expect(without).toEqual([])
  })

  test("[H11] every example fits its shape", () => {
    const wrong: unknown[] = []
    const check = (at: string, schema: z.ZodType | undefined, example: unknown): void => {
      const parsed = schema?.safeParse(example)
      if (parsed?.success === false) wrong.push([at, parsed.error.issues])
    }
    for (const [name, example] of Object.entries(EXAMPLES)) check(name, SHAPES[name], example)
    for (const operation of OPERATIONS) {
      const contents: [string, Shape][] = [bodyOf(operation), ...Object.values(operation.answers).map(({ body }) => mediaOf(body))].flatMap(
        (media) => Object.entries(media),
      )
      for (const [type, shape] of contents)
        check(`${operation.id} ${type}`, typeof shape === "string" ? schemaNamed(shape) : shape, exampleOf(type, shape) ?? "")
    }
    expect(wrong).toEqual([])
  })

  test("[W6] [T41] the document has the messages that the instance sends, with their bodies", () => {
    const webhooks = isObject(document["webhooks"]) ? document["webhooks"] : {}
    expect(Object.keys(webhooks)).toEqual(["run.succeeded", "run.failed", "run.canceled", "run.waiting", "plan.execute"])
    for (const [name, { body }] of Object.entries(OUTGOING)) expect(SHAPES[body], name).toBeDefined()
    expect(RunNotice.shape.type.options).toEqual(Object.keys(webhooks).filter((name) => name.startsWith("run.")))
    expect(PlanExecution.shape.type.value).toBe("plan.execute")
  })

  test("[H4] every POST that needs a key takes an Idempotency-Key", () => {
    for (const { method, path, op } of said) {
      const takes = list(op["parameters"]).some((p) => p["$ref"] === "#/components/parameters/IdempotencyKey")
      // A door recognizes a repeated message by itself [P8], and what changes nothing may be repeated as it is.
      const own = OPERATIONS.some((o) => o.template === path && (o.ownRepeats === true || o.noKey === true))
      expect(takes, `${method} ${path}`).toBe(method === "POST" && list(op["security"]).length > 0 && !own)
    }
  })

  test("[H11] a handler checks a JSON body with the same schema that the document shows", async () => {
    const { ask, acme, services } = setUp()
    const session = runId("s")
    acme.architect.add(session)
    const hook = await acme.hooks.create({ flow: "f", kind: "token", secret: "s", mapping: {}, autonomous: true, enabled: true })
    await services.tenants.create({ id: "other", name: "other" })
    const values: Record<string, string> = { run: runId("a"), session, hook: hook === "too_many" ? "" : hook.id, tenant: "other" }
    const other: string[] = []
    const unread: string[] = []
    for (const operation of OPERATIONS) {
      const { method, template: path, scope } = operation
      const documented = Object.entries(bodyOf(operation)).flatMap(([type, shape]) => (/json/.test(type) ? [shape] : []))
      checked.length = 0
      const url = path.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? "x")
      if (/^\/(d|i|mcp)\//.test(url)) continue
      await ask(method, url, { key: scope === "instance" ? "key-admin" : "key-a", body: method === "GET" ? undefined : {} })
      const line = `${method} ${path}`
      if (checked.some((schema) => !documented.some((one) => one === schema))) other.push(line)
      // Bodies of doors are in the form of their protocol and have readers of their own.
      if (checked.length === 0 && documented.length > 0 && operation.tag !== "Doors") unread.push(line)
    }
    expect(other).toEqual([])
    // Signals and references take any JSON, a tool call takes the tool's arguments, and the other three have their own parsers.
    expect(unread).toEqual([
      "POST /v1/runs/{run}/signals/{signal}",
      "POST /v1/tools/{tool}",
      "PUT /v1/tools/{tool}",
      "POST /v1/references/{kind}",
      "PUT /v1/settings/policy",
      "PUT /v1/settings/prices",
    ])
  })

  test("[T26] registered tools and prices are parsed with the schemas of the document", () => {
    expect(SHAPES["Registration"]).toBe(Registration)
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
  ])("[T30] the document and the parser agree whether this is a policy: %j", (body) => {
    expect(Policy.safeParse(body).success).toBe(parsePolicy(body).ok)
  })
})

describe("serving the document", () => {
  test("[H11] GET /openapi.json needs no key and has an ETag", async () => {
    const { ask } = setUp()
    const whole = await ask("GET", "/openapi.json", { key: null })
    expect([whole.status, whole.body["openapi"]]).toEqual([200, "3.1.0"])
    const again = await ask("GET", "/openapi.json", { key: null, headers: { "if-none-match": whole.headers.get("etag") ?? "" } })
    expect([again.status, again.text]).toEqual([304, ""])
  })

  test("[H11] GET /docs needs no key, shows every operation, and has no scripts or external files", async () => {
    const { ask } = setUp()
    const page = await ask("GET", "/docs", { key: null })
    expect(page.status).toBe(200)
    expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8")
    expect(page.headers.get("content-security-policy")).toMatch(/^default-src 'none'; style-src 'sha256-[\w+/]+=*'; frame-ancestors 'none'/)
    for (const { op } of said) expect(page.text).toContain(`<section id="${String(op["operationId"])}">`)
    expect(page.text).not.toMatch(/<script|<link|<img|<iframe|@import|url\(|\son\w+=|https?:\/\//i)
  })
})
