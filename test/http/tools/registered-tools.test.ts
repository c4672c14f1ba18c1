// Registering HTTP tools and importing them over HTTP, and calling them from outside a run.

import { describe, expect, test } from "vitest"
import type { JsonObject } from "../../../src/core/json.ts"
import type { NetRequest } from "../../../src/ports/net.ts"
import { Outside } from "../../../src/ports/outside.ts"
import { setUp } from "../../support/http/ask.ts"

const getter = (more: JsonObject = {}): JsonObject => ({
  description: "gets a thing",
  parameters: { type: "object", properties: { id: { type: "string" } }, additionalProperties: false },
  request: { method: "GET", url: "https://api.example.com/things?id=${{args.id}}" },
  ...more,
})

function withNet(status = 200, body = '{"a":1}') {
  const made = setUp()
  const asked: NetRequest[] = []
  made.acme.powers_ = {
    net: {
      fetch: async (request) => {
        asked.push(request)
        return {
          status,
          url: request.url,
          headers: { "content-type": "application/json" },
          body: new Outside(new TextEncoder().encode(body)),
        }
      },
    },
  }
  return { ...made, asked }
}

describe("registration", () => {
  test("[T2] one tool is read by its name; only a key that may register tools sees a registered tool's request", async () => {
    const { ask, services } = setUp()
    services.key("key-tools", "acme", ["tools:call"])
    expect((await ask("PUT", "/v1/tools/thing", { body: getter({ auth: { scope: "api" } }) })).status).toBe(201)
    const whole = (await ask("GET", "/v1/tools/thing")).body
    expect(whole).toMatchObject({
      ...getter(),
      name: "thing",
      kind: "http",
      auth: { scope: "api" },
      available: false,
      reason: expect.stringContaining("api"),
    })
    const partial = (await ask("GET", "/v1/tools/thing", { key: "key-tools" })).body
    expect(partial).toMatchObject({ name: "thing", description: "gets a thing", available: false })
    expect(partial).not.toHaveProperty("request")
    const { data } = (await ask("GET", "/v1/tools")).body as { data: JsonObject[] }
    const sources = data.flatMap(({ name, source }) => (name === "thing" || source !== undefined ? [[name, source]] : []))
    expect(sources).toEqual([["thing", { kind: "http", name: "api.example.com" }]])
    const { data: others } = (await ask("GET", "/v1/tools", { key: "key-tools" })).body as { data: JsonObject[] }
    expect(others.find(({ name }) => name === "thing")).not.toHaveProperty("source")
    expect((await ask("GET", "/v1/tools/ask_user")).body).toMatchObject({ name: "ask_user", available: true })
    expect((await ask("GET", "/v1/tools/nothing")).status).toBe(404)
  })

  test("[T7] a registered tool says how its calls and results look, and its definition shows it", async () => {
    const { ask } = setUp()
    const render = {
      call: { label: "Thing", main: "id", hide: ["secret"] },
      result: { summary: "{a} things", items: "list", item: "{name}" },
    }
    expect((await ask("PUT", "/v1/tools/thing", { body: getter({ render }) })).status).toBe(201)
    expect((await ask("GET", "/v1/tools/thing")).body["render"]).toEqual(render)
    const wrong = await ask("PUT", "/v1/tools/thing", { body: getter({ render: { call: { mian: "id" } } }) })
    expect([wrong.status, JSON.stringify(wrong.body["errors"])]).toEqual([422, expect.stringContaining("mian")])
  })

  test("[T30] what the policy judges a tool by is listed for an admin, and for no other key", async () => {
    const { ask, services } = setUp()
    await ask("PUT", "/v1/tools/thing", { body: getter({ approval: "always" }) })
    const judged = async (key?: string): Promise<unknown> => {
      const { data } = (await ask("GET", "/v1/tools", key === undefined ? {} : { key })).body as { data: JsonObject[] }
      return data.find(({ name }) => name === "thing")?.["judged"]
    }
    const found = await judged()
    expect(found).toMatchObject({ approval: "always", reach: { to: { host: expect.any(String) }, method: { fixed: "GET" } } })
    expect(Object.keys(found as object).toSorted()).toEqual(["approval", "reach"])
    services.key("caller", "acme", ["tools:call"])
    expect(await judged("caller")).toBeUndefined()
  })

  test("[T26] a tool is created, replaced, listed and removed", async () => {
    const { ask, acme } = setUp()
    expect((await ask("PUT", "/v1/tools/thing", { body: getter() })).status).toBe(201)
    const again = await ask("PUT", "/v1/tools/thing", { body: getter({ effect: "write", untrusted: false }) })
    expect(again.status).toBe(200)
    expect(again.body).toMatchObject({ name: "thing", effect: "write", untrusted: false, contexts: ["main", "agent"] })
    const { data } = (await ask("GET", "/v1/tools")).body as { data: JsonObject[] }
    expect(data.find((t) => t["name"] === "thing")).toMatchObject({ effect: "write", available: true })
    expect(acme.registered.rows.get("thing")?.def).toMatchObject({ kind: "http", name: "thing" })
    expect((await ask("DELETE", "/v1/tools/thing")).status).toBe(204)
    expect((await ask("DELETE", "/v1/tools/thing")).status).toBe(404)
  })

  test("[T26] a built-in tool's name is 409, whatever else is wrong; other faults are 422 at their place", async () => {
    const { ask } = setUp()
    for (const name of ["read", "READ", "echo", "file.read", "finish", "mcp:a:b"])
      expect((await ask("PUT", `/v1/tools/${encodeURIComponent(name)}`, { body: getter() })).status, name).toBe(409)
    const bad = await ask("PUT", "/v1/tools/thing", { body: getter({ execute: "x" }) })
    expect(bad.status).toBe(422)
    expect(bad.body["errors"]).toContainEqual(expect.objectContaining({ pointer: "/execute" }))
    expect((await ask("PUT", "/v1/tools/a%20b", { body: getter() })).status).toBe(422)
  })

  test("[T21] a private address is refused at once, except where local development allows it", async () => {
    const { ask, services } = setUp()
    const body = getter({ request: { method: "GET", url: "http://127.0.0.1:9/${{args.id}}" } })
    const refused = await ask("PUT", "/v1/tools/thing", { body })
    expect(refused.status).toBe(422)
    expect(refused.text).toContain("address refused")
    services.privateHosts = ["127.0.0.1"]
    expect((await ask("PUT", "/v1/tools/thing", { body })).status).toBe(201)
  })

  test("[T26] registration needs the scope admin", async () => {
    const { ask, acme } = setUp()
    expect((await ask("PUT", "/v1/tools/thing", { key: "key-read", body: getter() })).status).not.toBe(201)
    expect(acme.registered.rows.size).toBe(0)
  })
})

describe("calling from outside a run", () => {
  test("[T26] it sends the request that its arguments describe", async () => {
    const { ask, asked } = withNet()
    await ask("PUT", "/v1/tools/thing", { body: getter() })
    const done = await ask("POST", "/v1/tools/thing", { body: { id: "a b" } })
    expect(done.status).toBe(200)
    expect(done.body["content"]).toEqual([{ type: "text", text: '{\n  "a": 1\n}' }])
    expect(asked).toMatchObject([{ method: "GET", url: "https://api.example.com/things?id=a%20b" }])
    expect((await ask("POST", "/v1/tools/thing", { body: { other: 1 } })).status).toBe(422)
  })

  test("[A4] a server's error is a 200 with isError, its status and its text", async () => {
    const { ask } = withNet(500, "kaputt")
    await ask("PUT", "/v1/tools/thing", { body: getter() })
    const done = await ask("POST", "/v1/tools/thing", { body: {} })
    expect(done.status).toBe(200)
    expect(done.body["isError"]).toBe(true)
    expect(done.text).toMatch(/500.*kaputt/s)
  })

  test("[T3] a call that the policy denies is 403 policy, one that needs approval is 403 approval_required, and nothing is sent", async () => {
    const { ask, acme, asked } = withNet()
    await ask("PUT", "/v1/tools/thing", { body: getter({ approval: "always" }) })
    await ask("PUT", "/v1/tools/keyed", { body: getter({ auth: { scope: "shop" } }) })
    expect((await ask("POST", "/v1/tools/thing", { body: {} })).body).toMatchObject({ status: 403, code: "approval_required" })
    expect((await ask("POST", "/v1/tools/keyed", { body: {} })).body).toMatchObject({ status: 403, code: "policy" })
    acme.settings.policy_ = { ...acme.settings.policy_, tools: { ...acme.settings.policy_.tools, deny: ["thing"] } }
    expect((await ask("POST", "/v1/tools/thing", { body: { off: "schema" } })).body).toMatchObject({ status: 403, code: "policy" })
    const { data } = (await ask("GET", "/v1/tools")).body as { data: JsonObject[] }
    expect(data.find((t) => t["name"] === "thing")).toMatchObject({ available: false })
    expect(data.find((t) => t["name"] === "keyed")).toMatchObject({ available: false, reason: expect.stringContaining("shop") })
    expect(asked).toEqual([])
  })
})

const PETS = {
  openapi: "3.0.3",
  info: { title: "pets", version: "1" },
  servers: [{ url: "https://{env}.example.com/v1", variables: { env: { default: "api" } } }],
  paths: {
    "/pets/{petId}": {
      parameters: [{ $ref: "#/components/parameters/Id" }],
      get: {
        operationId: "getPet",
        summary: "One pet",
        parameters: [
          { name: "fields[]", in: "query", schema: { type: "array", items: { type: "string" } } },
          { name: "X-Trace", in: "header", schema: { type: "string" } },
          { name: "Authorization", in: "header", required: true, schema: { type: "string" } },
        ],
      },
      put: {
        operationId: "put pet",
        requestBody: { required: true, content: { "application/json": { schema: { $ref: "#/components/schemas/Pet" } } } },
      },
    },
    "/pets/photo": { post: { operationId: "photo", requestBody: { required: true, content: { "multipart/form-data": {} } } } },
    "/login": { get: { operationId: "login", parameters: [{ name: "sid", in: "cookie", required: true }] } },
  },
  components: {
    parameters: { Id: { name: "petId", in: "path", required: true, schema: { type: "integer" } } },
    schemas: {
      Pet: {
        type: "object",
        required: ["name"],
        properties: {
          name: { type: "string", nullable: true, example: "x" },
          weight: { type: "number", minimum: 0, exclusiveMinimum: true },
          friend: { $ref: "#/components/schemas/Pet" },
        },
      },
    },
  },
}

describe("importing", () => {
  test("[T26] an OpenAPI document becomes a set of tools, and skipped operations are listed with the reason", async () => {
    const { ask, acme, asked } = withNet()
    const done = await ask("POST", "/v1/tools/import", { body: { openapi: PETS, prefix: "pets." } })
    expect(done.status).toBe(201)
    expect([...acme.registered.rows.keys()]).toEqual(["pets.getPet", "pets.put_pet", "pets.login"])
    expect(done.body["skipped"]).toEqual([{ operation: "POST /pets/photo", reason: expect.stringContaining("multipart") }])
    expect(acme.registered.rows.get("pets.login")?.def).toMatchObject({ request: { headers: { cookie: "sid=${{args.sid}}" } } })
    const put = acme.registered.rows.get("pets.put_pet")?.def
    expect(put).toMatchObject({
      untrusted: true,
      request: { method: "PUT", url: "https://api.example.com/v1/pets/${{args.petId}}", body: "${{args.body}}" },
    })
    expect(put?.parameters).toMatchObject({
      required: ["petId", "body"],
      properties: {
        body: { properties: { name: { type: ["string", "null"] }, weight: { exclusiveMinimum: 0 }, friend: { required: ["name"] } } },
      },
    })
    expect(JSON.stringify(put)).not.toContain("$ref")
    await ask("POST", "/v1/tools/pets.getPet", { body: { petId: 7, fields: ["a", "b"], "X-Trace": "t" } })
    expect(asked).toMatchObject([{ url: "https://api.example.com/v1/pets/7?fields%5B%5D=a&fields%5B%5D=b", headers: { "X-Trace": "t" } }])
  })

  test("[T26] YAML is accepted, `only` selects operations, and `auth` applies to every tool", async () => {
    const { ask, acme } = setUp()
    const openapi =
      "openapi: 3.1.0\nservers: [{ url: https://e.com }]\npaths:\n  /a: { get: { operationId: a } }\n  /b: { get: { operationId: b } }\n"
    expect((await ask("POST", "/v1/tools/import", { body: { openapi, only: ["b"], auth: { scope: "s" } } })).status).toBe(201)
    expect([...acme.registered.rows.values()].map(({ def }) => def)).toMatchObject([{ name: "b", auth: { scope: "s" } }])
    expect((await ask("POST", "/v1/tools/import", { body: { openapi, only: ["nope"] } })).status).toBe(422)
  })

  test("[T26] all or nothing: a taken name or a private address stops the import", async () => {
    const { ask, acme } = setUp()
    const doc = (id: string, url: string) => ({
      openapi: "3.1.0",
      servers: [{ url }],
      paths: { "/a": { get: { operationId: "fine" } }, "/b": { get: { operationId: id } } },
    })
    expect((await ask("POST", "/v1/tools/import", { body: { openapi: doc("read", "https://e.com") } })).status).toBe(409)
    expect((await ask("POST", "/v1/tools/import", { body: { openapi: doc("b", "http://10.0.0.1") } })).status).toBe(422)
    expect((await ask("POST", "/v1/tools/import", { body: { openapi: "a: &x [1]\nb: *x\n" } })).status).toBe(422)
    expect((await ask("POST", "/v1/tools/import", { body: { openapi: { swagger: "2.0", paths: {} } } })).status).toBe(422)
    expect(acme.registered.rows.size).toBe(0)
  })
})

describe("services", () => {
  test("[T22] the search provider and the cluster are settings with checked addresses", async () => {
    const { ask } = setUp()
    const good = { search: { provider: "searxng", baseUrl: "https://search.example.com" }, k8s: { url: "https://k8s.example.com" } }
    expect((await ask("PUT", "/v1/settings/services", { body: good })).body).toEqual(good)
    expect((await ask("GET", "/v1/settings/services")).body).toEqual(good)
    for (const bad of [
      { search: { provider: "bing" } },
      { search: { provider: "searxng" } },
      { k8s: { url: "https://10.0.0.1" } },
      { other: {} },
    ])
      expect((await ask("PUT", "/v1/settings/services", { body: bad })).status, JSON.stringify(bad)).toBe(422)
  })
})
