// The operations of an OpenAPI document as tools [T26]: the content of requests, how parameters are sent, which operations are skipped.

import { describe, expect, test } from "vitest"
import type { Json, JsonObject } from "../../../src/core/json.ts"
import { validateArgs } from "../../../src/core/schema/validate-args.ts"
import { expand } from "../../../src/core/tool/http-tool-request.ts"
import { readHttpTool } from "../../../src/core/tool/http-tool.ts"
import { cpuClock } from "../../support/cpu-clock.ts"
import { importOpenApi, type Imported } from "../../../src/core/tool/openapi.ts"
import { whole } from "../../support/whole.ts"

const document = (paths: JsonObject, schemas: JsonObject = {}): JsonObject => ({
  openapi: "3.0.3",
  servers: [{ url: "https://api.example.com" }],
  components: { schemas },
  paths,
})

function imported(doc: JsonObject): Imported {
  const read = whole(importOpenApi(doc, {}))
  if (!read.ok) throw new Error(read.error)
  return read.value
}

/** The only tool of a document, and the request that a call of it sends. */
function only(doc: JsonObject) {
  const { tools, skipped } = imported(doc)
  const [tool] = tools
  if (!tool) throw new Error(JSON.stringify(skipped))
  const def = readHttpTool(tool.name, tool.registration)
  if (!def.ok) throw new Error(JSON.stringify(def.error))
  return { ...def.value, url: (args: JsonObject) => expand(def.value, args).url }
}

test("[N4] each operation of a document is a piece of work", () => {
  const paths = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`/p${i}`, { get: { operationId: `op${i}`, responses: {} } }]))
  let pieces = 0
  for (const reading = importOpenApi(document(paths), {}); reading.next().done !== true;) pieces++
  expect(pieces).toBe(500)
})

const body = (schema: Json, more: JsonObject = {}): JsonObject => ({
  operationId: "send",
  requestBody: { content: { "application/json": { schema } } },
  ...more,
})
const ref = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` })
const pet = (...parameters: Json[]): JsonObject => document({ "/pets/{ids}": { get: { operationId: "pets", parameters } } })
const ids = { name: "ids", in: "path", required: true, schema: { type: "string" } }

describe("the content of a request", () => {
  test("[T26] members that only responses have are neither required nor allowed", () => {
    const Pet = {
      type: "object",
      required: ["id", "name"],
      properties: { id: { type: "integer", readOnly: true }, name: { type: "string" }, owner: ref("Owner") },
    }
    const Owner = { type: "object", required: ["since"], properties: { since: { type: "string", readOnly: true } } }
    const { parameters } = only(document({ "/pets": { post: body(ref("Pet")) } }, { Pet, Owner }))
    expect(parameters).toMatchObject({
      properties: {
        body: {
          type: "object",
          required: ["name"],
          properties: { name: { type: "string" }, owner: { type: "object", properties: {} } },
        },
      },
    })
    expect(JSON.stringify(parameters)).not.toMatch(/"id"|since/)
  })

  test("[T26] a pattern that cannot be checked here is left to the server", () => {
    const { parameters } = only(document({ "/a": { post: body({ type: "string", minLength: 2, pattern: "^(?=.*[0-9]).+$" }) } }))
    expect(parameters).toMatchObject({ properties: { body: { type: "string", minLength: 2 } } })
    expect(JSON.stringify(parameters)).not.toContain("pattern")
  })

  test("[T26] a recursive schema is expanded two levels deep, and allows anything below", () => {
    const Node = { type: "object", properties: { value: { type: "string" }, next: ref("Node") } }
    expect(only(document({ "/a": { post: body(ref("Node")) } }, { Node })).parameters).toMatchObject({
      properties: { body: { properties: { next: { properties: { value: { type: "string" }, next: {} } } } } },
    })
  })
})

describe("how a parameter is sent", () => {
  const list = { type: "array", items: { type: "string" } }

  test.each<[string, JsonObject, string]>([
    ["a list repeats its name", {}, "/pets/x?tags=a&tags=b%26c"],
    ["a list without explode is one text", { explode: false }, "/pets/x?tags=a%2Cb%26c"],
    ["pipes", { style: "pipeDelimited", explode: false }, "/pets/x?tags=a%7Cb%26c"],
  ])("[T26] in the query: %s", (_what, more, url) => {
    const tool = only(pet(ids, { name: "tags", in: "query", schema: list, ...more }))
    const separator = { form: ",", pipeDelimited: "|" }[String(more["style"] ?? "form")]
    const tags = more["explode"] === false ? ["a", "b&c"].join(separator) : ["a", "b&c"]
    expect(tool.url({ ids: "x", tags })).toBe(`https://api.example.com${url}`)
  })

  test("[T26] a path that has a query keeps it", () => {
    const parameters = [{ name: "limit", in: "query", schema: { type: "integer" } }]
    const tool = only(document({ "/pets?beta=true": { get: { operationId: "pets", parameters } } }))
    expect(tool.url({ limit: 3 })).toBe("https://api.example.com/pets?beta=true&limit=3")
  })

  test("[T26] a list in the path or a header is one text, and its description says so", () => {
    const tool = only(
      pet({ ...ids, description: "Which pets.", schema: { ...list, nullable: true } }, { name: "x-tags", in: "header", schema: list }),
    )
    expect(tool.parameters).toMatchObject({
      properties: {
        ids: { type: "string", description: 'Which pets. Several values are separated by ",".' },
        "x-tags": { type: "string", description: 'Several values are separated by ",".' },
      },
    })
    expect(tool.url({ ids: "1,2" })).toBe("https://api.example.com/pets/1%2C2")
  })

  test("[T26] an object in the query is sent as its style says", () => {
    const schema = { type: "object" }
    const filter = { name: "filter", in: "query", style: "deepObject", schema }
    expect(only(pet(ids, filter)).url({ ids: "x", filter: { a: { b: 1 }, c: ["d", "e"] } })).toBe(
      "https://api.example.com/pets/x?filter[a][b]=1&filter[c][0]=d&filter[c][1]=e",
    )
    expect(only(pet(ids, { name: "filter", in: "query", schema })).url({ ids: "x", filter: { a: 1, b: "ä" } })).toBe(
      "https://api.example.com/pets/x?a=1&b=%C3%A4",
    )
    const matrix = { name: "at", in: "header", required: true, schema }
    expect(imported(pet(ids, matrix)).skipped).toEqual([
      { operation: "GET /pets/{ids}", reason: "its parameter at is an object, which no template can send" },
    ])
    // Declared as JSON content, it can be sent.
    const json = { name: "filter", in: "query", content: { "application/json": { schema: { type: "object" } } } }
    expect(only(pet(ids, json)).url({ ids: "x", filter: { a: 1 } })).toBe("https://api.example.com/pets/x?filter=%7B%22a%22%3A1%7D")
  })
})

describe("skipped operations", () => {
  const large = Object.fromEntries(
    Array.from({ length: 3_500 }, (_, n) => [`member_${n}`, { type: "string", description: "x".repeat(40) }]),
  )

  test("[T26] only the operation that is too large for a tool", () => {
    const { tools, skipped } = imported(
      document({ "/a": { post: body({ type: "object", properties: large }) }, "/b": { get: { operationId: "b" } } }),
    )
    expect(tools.map(({ name }) => name)).toEqual(["b"])
    expect(skipped).toEqual([
      { operation: "POST /a", reason: expect.stringMatching(/^\/parameters has \d+ characters of JSON; at most 65536 are allowed$/) },
    ])
  })

  test("[T26] a schema that is larger than any tool comes in as its outline", () => {
    const names = Array.from({ length: 40 }, (_, n) => `S${n}`)
    const schemas = Object.fromEntries(names.map((name) => [name, { allOf: names.map((other) => ref(other)) }]))
    const spent = cpuClock()
    const { tools, skipped } = imported(document({ "/a": { post: body(ref("S0")) }, "/b": { get: { operationId: "b" } } }, schemas))
    expect([tools.map(({ name }) => name), skipped]).toEqual([["send", "b"], []])
    const Deep = {
      type: "object",
      properties: Object.fromEntries(Array.from({ length: 400 }, (_, n) => [`p${n}`, { description: "x".repeat(99), ...ref("Deep") }])),
    }
    const [deep] = imported(document({ "/a": { post: body(ref("Deep")) } }, { Deep })).tools
    expect(JSON.stringify(deep?.registration["parameters"]).length).toBeLessThan(65_536)
    expect(JSON.stringify(deep?.registration["parameters"])).toContain('"p399"')
    expect(spent()).toBeLessThan(8_000)
  })

  test("[S17] members that allow anything, long lists of values and many large operations take bounded time", () => {
    const Wide = { type: "object", properties: Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`p${n}`, true])) }
    const Long = { enum: Array.from({ length: 20_000 }, (_, n) => `v${n}`) }
    const many = (name: string): JsonObject => ({ anyOf: Array.from({ length: 2_000 }, () => ref(name)) })
    const paths = { "/a": { post: body(many("Wide")) }, "/b": { post: body(many("Long")) } }
    const spent = cpuClock()
    const read = imported(document(paths, { Wide, Long }))
    expect(read.tools.length + read.skipped.length).toBe(2)
    const Big = { type: "object", properties: Object.fromEntries(Array.from({ length: 4_000 }, (_, n) => [`p${n}`, {}])) }
    const large = Object.fromEntries(
      Array.from({ length: 200 }, (_, n) => [`/p${n}`, { post: body(ref("Big"), { operationId: `o${n}` }) }]),
    )
    const all = imported(document(large, { Big }))
    expect(all.tools.length + all.skipped.length).toBe(200)
    expect(all.skipped.every(({ reason }) => reason.includes("too large"))).toBe(true)
    expect(spent()).toBeLessThan(16_000)
  })

  test("[T26] a part outside the document is a reason, and does not become anything at all", () => {
    const outside = { $ref: "common.yaml#/Pet" }
    const { tools, skipped } = imported(document({ "/a": { post: body(outside) }, "/b": outside, "/c": { get: { operationId: "c" } } }))
    expect(tools.map(({ name }) => name)).toEqual(["c"])
    expect(skipped.map(({ operation }) => operation).sort()).toEqual(["* /b", "POST /a"])
    expect(skipped.every(({ reason }) => reason.includes("common.yaml"))).toBe(true)
  })

  test("[T26] names that are too long or stand twice stay apart", () => {
    const long = `get-${"a-long-name-".repeat(6)}`
    const { tools } = imported(
      document({
        "/a": { get: { operationId: `${long}one` } },
        "/b": { get: { operationId: `${long}two` } },
        "/c": { get: { operationId: "x" } },
        "/d": { get: { operationId: "x" } },
      }),
    )
    expect(new Set(tools.map(({ name }) => name)).size).toBe(4)
    expect(tools.every(({ name }) => name.length <= 64)).toBe(true)
  })
})

describe("forms", () => {
  const form = (type: string, schema: JsonObject, more: JsonObject = {}): JsonObject =>
    document({ "/pay": { post: { operationId: "pay", requestBody: { required: true, content: { [type]: { schema, ...more } } } } } })
  const sent = (doc: JsonObject, args: JsonObject) => {
    const [tool] = imported(doc).tools
    const def = readHttpTool("pay", tool?.registration)
    if (!def.ok) throw new Error(JSON.stringify(def.error))
    return expand(def.value, args)
  }
  const card = {
    type: "object",
    properties: { amount: { type: "integer" }, tags: { type: "array", items: {} }, card: { type: "object" }, meta: { type: "object" } },
  }

  test("[T26] a form's fields come from the body's members: nested as a[b]=c where the document says so, else as JSON", () => {
    const encoding = { card: { style: "deepObject", explode: true } }
    const request = sent(form("application/x-www-form-urlencoded", card, { encoding }), {
      body: { amount: 5, tags: ["a", "b"], card: { exp: { year: 30 }, list: ["x"] }, meta: { k: 1 } },
    })
    expect(request.body).toBe("amount=5&tags=a&tags=b&card[exp][year]=30&card[list][0]=x&meta=%7B%22k%22%3A1%7D")
    expect(() => sent(form("application/x-www-form-urlencoded", card), { body: "x" })).toThrow("must be an object")
  })

  test("[T26] a multipart form is sent with text fields; a field that is a file is left out, or is the reason", () => {
    const schema = { ...card, properties: { ...card.properties, photo: { type: "string", format: "binary" } } }
    const request = sent(form("multipart/form-data", schema), { body: { amount: 5, meta: { k: 'sluice-form"' } } })
    expect(request.headers["content-type"]).toBe("multipart/form-data; boundary=sluice-form-1")
    expect(request.body).toBe(
      '--sluice-form-1\r\ncontent-disposition: form-data; name="amount"\r\n\r\n5\r\n--sluice-form-1\r\ncontent-disposition: form-data; name="meta"\r\n\r\n{"k":"sluice-form\\""}\r\n--sluice-form-1--\r\n',
    )
    expect(JSON.stringify(imported(form("multipart/form-data", schema)).tools)).not.toContain("photo")
    expect(imported(form("multipart/form-data", { ...schema, required: ["photo"] })).skipped[0]?.reason).toContain("the file photo")
  })
})

describe("Swagger 2.0", () => {
  const swagger = (paths: JsonObject, more: JsonObject = {}): JsonObject => ({
    swagger: "2.0",
    host: "api.example.com",
    basePath: "/v1",
    schemes: ["http", "https"],
    paths,
    ...more,
  })

  test("[T26] host, base path, typed parameters, a body and definitions", () => {
    const doc = swagger(
      {
        "/pets/{id}": {
          parameters: [{ name: "id", in: "path", required: true, type: "integer" }],
          put: {
            operationId: "putPet",
            parameters: [
              { name: "tags", in: "query", type: "array", items: { type: "string" }, collectionFormat: "multi" },
              { name: "pet", in: "body", required: true, schema: { $ref: "#/definitions/Pet" } },
            ],
          },
        },
      },
      { definitions: { Pet: { type: "object", properties: { name: { type: "string" } } } } },
    )
    const tool = only(doc)
    expect(tool.url({ id: 7, tags: ["a", "b"] })).toBe("https://api.example.com/v1/pets/7?tags=a&tags=b")
    expect(JSON.stringify(imported(doc).tools[0]?.registration["parameters"])).toContain('"name":{"type":"string"}')
  })

  test("[T26] formData is a form", () => {
    const doc = swagger({
      "/a": {
        post: {
          operationId: "a",
          consumes: ["application/x-www-form-urlencoded"],
          parameters: [{ name: "x", in: "formData", type: "string", required: true }],
        },
      },
      "/b": {
        post: {
          operationId: "b",
          consumes: ["multipart/form-data"],
          parameters: [{ name: "f", in: "formData", type: "file", required: true }],
        },
      },
    })
    const { tools, skipped } = imported(doc)
    expect(tools[0]?.registration).toMatchObject({ request: { headers: { "content-type": "application/x-www-form-urlencoded" } } })
    expect(skipped).toEqual([{ operation: "POST /b", reason: expect.stringContaining("the file f") }])
  })
})

test("[T26] an operation whose words a reader does not see whole is skipped, with the reason", () => {
  const said = (operationId: string, summary: string): JsonObject => ({ get: { operationId, summary } })
  const { tools, skipped } = imported(document({ "/a": said("plain", "Reads it."), "/b": said("odd", "Reads\u{e0041}\u{e0042} it.") }))
  expect(tools.map(({ name }) => name)).toEqual(["plain"])
  expect(skipped).toEqual([{ operation: "GET /b", reason: expect.stringContaining("U+E0041") }])
})

test("[S17] very long names are cut before they are processed", () => {
  const spent = cpuClock()
  const long = `a${"_".repeat(400_000)}b`
  const get = (operationId: string, name: string): JsonObject =>
    document({ "/x": { get: { operationId, parameters: [{ name, in: "query", schema: {} }] } } })
  expect(only(get(long, "q")).name).toBe("a")
  const { tools, skipped } = imported(get("send", long))
  expect([tools.length, skipped.length]).toEqual([0, 1])
  expect(spent()).toBeLessThan(8_000)
})

describe("parts that are elsewhere", () => {
  test("[T26] an operation that is only a reference to another document is left out, and the others come in", () => {
    const own = { operationId: "own", responses: {} }
    const paths = {
      "/a": { get: { $ref: "./paths/a.yaml#/get" }, post: own },
      "/b": { put: { $ref: "#/components/x-operations/b" } },
      "/c": { $ref: "./paths/c.yaml" },
      "/d": { get: { operationId: "d", parameters: [{ $ref: "common.yaml#/Page" }] } },
      "/e": { parameters: [{ $ref: "common.yaml#/Page" }], get: { operationId: "e" } },
      "/f": { post: { operationId: "f", requestBody: { $ref: "bodies.yaml#/F" } } },
      "/g": { get: { $ref: "#/paths/~1nowhere/get" } },
    }
    const doc = document(paths)
    const { tools, skipped } = imported({ ...doc, components: { "x-operations": { b: { operationId: "b" } } } })
    expect(tools.map(({ id }) => id)).toEqual(["own", "b"])
    expect(skipped.map(({ operation }) => operation).sort()).toEqual(["* /c", "GET /a", "GET /d", "GET /e", "GET /g", "POST /f"])
    for (const { reason } of skipped) expect(reason).toMatch(/^it refers to ".+", which is not in the document: put all parts into one/)
    const one = whole(importOpenApi(doc, { only: ["own"] }))
    expect(one).toMatchObject({ ok: true, value: { tools: [{ id: "own" }] } })
  })

  test("[T26] a version that YAML reads as a number is told as that", () => {
    const read = (text: string) => whole(importOpenApi(text, {}))
    const rest = "\nservers: [{ url: https://a.example }]\npaths: { /a: { get: { operationId: a } } }\n"
    expect(read(`openapi: 3.1${rest}`)).toEqual({
      ok: false,
      error: 'its version, openapi: 3.1, is a number, and must be text: put it in quotes, as openapi: "3.1.0"',
    })
    expect(read(`openapi: 3${rest}`)).toMatchObject({ error: expect.stringContaining("openapi: 3, is a number") })
    for (const old of ["swagger: 1.2", "openapi: 2.0.0", "openapi: 2"])
      expect(read(`${old}${rest}`)).toMatchObject({ error: expect.stringContaining("must be Swagger 2.0") })
    expect(read(`openapi: "3.1"${rest}`)).toMatchObject({ ok: true })
  })
})

describe("forms that a discriminator tells apart", () => {
  const Cat = { type: "object", required: ["kind"], properties: { kind: { type: "string" }, name: { type: "string" } } }
  const Dog = { ...Cat, properties: { ...Cat.properties, size: { type: "integer" } } }
  const oneOf = [ref("Cat"), ref("Dog")]
  const discriminator = { propertyName: "kind", mapping: { cat: "#/components/schemas/Cat" } }

  test.for<[string, JsonObject]>([
    ["alone", { oneOf, discriminator }],
    ["beside anyOf", { oneOf, discriminator, anyOf: [{ required: ["kind"] }, { required: ["name"] }] }],
    ["beside allOf and anyOf", { oneOf, discriminator, anyOf: [{ required: ["kind"] }], allOf: [{ type: "object" }] }],
    ["inside a list", { type: "array", items: { oneOf, discriminator } }],
  ])("[T26] overlapping forms are valid: %s", ([, schema]) => {
    const { parameters } = only(document({ "/pets": { post: body(schema) } }, { Cat, Dog }))
    const given = schema["type"] === "array" ? (one: Json) => [one] : (one: Json) => one
    expect(validateArgs(parameters, { body: given({ kind: "cat", name: "Tom" }) }).ok).toBe(true)
    expect(validateArgs(parameters, { body: given({ kind: "dog", size: 3 }) }).ok).toBe(true)
    expect(validateArgs(parameters, { body: given({ name: 7 }) }).ok).toBe(false)
  })

  test("[T26] without a discriminator exactly one form must fit", () => {
    const { parameters } = only(document({ "/pets": { post: body({ oneOf }) } }, { Cat, Dog }))
    expect(validateArgs(parameters, { body: { kind: "cat" } }).ok).toBe(false)
  })
})

describe("cookies", () => {
  const cookie = { name: "session", in: "cookie", required: true, schema: { type: "string" } }
  const two = document({ "/a": { get: { operationId: "a", parameters: [cookie, { ...cookie, name: "lang" }] } } })

  test.for([
    ["a; admin=1", "session=a%3B%20admin=1; lang=en"],
    ["a,b", "session=a%2Cb; lang=en"],
    ['"a"\\', "session=%22a%22%5C; lang=en"],
    ["süß", "session=s%C3%BC%C3%9F; lang=en"],
    ["a\r\nx: y", "session=a%0D%0Ax:%20y; lang=en"],
    ["abc.DEF-1=%20", "session=abc.DEF-1=%20; lang=en"],
  ] as const)("[T26] a value begins no other cookie: %j", ([value, sent]) => {
    expect(expand(only(two), { session: value, lang: "en" }).headers["cookie"]).toBe(sent)
  })

  test("[T26] a template with one cookie is treated alike, and one that is the whole header is not", () => {
    const tool = (cookie: string) => {
      const read = readHttpTool("t", {
        description: "d",
        parameters: { type: "object", properties: { c: { type: "string" } } },
        request: { method: "GET", url: "https://a.example/", headers: { Cookie: cookie } },
      })
      if (!read.ok) throw new Error(JSON.stringify(read.error))
      return expand(read.value, { c: "a=1; b=2" }).headers["Cookie"]
    }
    expect([tool("s=${{args.c}}"), tool("${{args.c}}")]).toEqual(["s=a=1%3B%20b=2", "a=1; b=2"])
  })

  test("[T26] a name that begins another cookie is no parameter", () => {
    const { skipped } = imported(document({ "/a": { get: { operationId: "a", parameters: [{ ...cookie, name: "a=1; b" }] } } }))
    expect(skipped).toEqual([{ operation: "GET /a", reason: 'its parameter "a=1; b" is not the name of a cookie' }])
  })
})
