// The operations of an OpenAPI document as tools [T26]: the content of requests, how parameters are sent, which operations are skipped.

import { describe, expect, test } from "vitest"
import type { Json, JsonObject } from "../../../src/core/json.ts"
import { expand, readHttpTool } from "../../../src/core/tool/http-tool.ts"
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

  test("[T26] an object in the query is left out, and its operation too when the object is required", () => {
    const filter = { name: "filter", in: "query", style: "deepObject", schema: { type: "object" } }
    expect(only(pet(ids, filter)).request.url).toBe("https://api.example.com/pets/${{args.ids}}")
    expect(imported(pet(ids, { ...filter, required: true }))).toMatchObject({
      tools: [],
      skipped: [{ operation: "GET /pets/{ids}", reason: "its parameter filter is an object, which no template can send" }],
    })
    // Declared as JSON content, it can be sent.
    const json = { name: "filter", in: "query", content: { "application/json": { schema: { type: "object" } } } }
    expect(only(pet(ids, json)).url({ ids: "x", filter: { a: 1 } })).toBe("https://api.example.com/pets/x?filter=%7B%22a%22%3A1%7D")
  })
})

describe("skipped operations", () => {
  const large = Object.fromEntries(
    Array.from({ length: 1_500 }, (_, n) => [`member_${n}`, { type: "string", description: "x".repeat(40) }]),
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

  test("[S17] a schema that would be larger than any tool with its references inlined", () => {
    const names = Array.from({ length: 40 }, (_, n) => `S${n}`)
    const schemas = Object.fromEntries(names.map((name) => [name, { allOf: names.map((other) => ref(other)) }]))
    const { tools, skipped } = imported(document({ "/a": { post: body(ref("S0")) }, "/b": { get: { operationId: "b" } } }, schemas))
    expect(tools.map(({ name }) => name)).toEqual(["b"])
    expect(skipped).toEqual([{ operation: "POST /a", reason: expect.stringContaining("too large") }])
  })

  test("[S17] members that allow anything, and long lists of values, count like the rest", () => {
    const Wide = { type: "object", properties: Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`p${n}`, true])) }
    const Long = { enum: Array.from({ length: 20_000 }, (_, n) => `v${n}`) }
    const many = (name: string): JsonObject => ({ anyOf: Array.from({ length: 2_000 }, () => ref(name)) })
    const paths = { "/a": { post: body(many("Wide")) }, "/b": { post: body(many("Long")) } }
    const { tools, skipped } = imported(document(paths, { Wide, Long }))
    expect([tools.length, skipped.map(({ reason }) => reason)]).toEqual([0, Array(2).fill(expect.stringContaining("references inlined"))])
  })

  test("[S17] a document whose operations together are too large is refused", () => {
    const Big = { type: "object", properties: Object.fromEntries(Array.from({ length: 4_000 }, (_, n) => [`p${n}`, {}])) }
    const paths = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`/p${n}`, { post: body(ref("Big"), { operationId: `o${n}` }) }]))
    expect(whole(importOpenApi(document(paths, { Big }), {}))).toEqual({ ok: false, error: expect.stringContaining('with "only"') })
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
  expect(spent()).toBeLessThan(2_000)
})
