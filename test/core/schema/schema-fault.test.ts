// A fault in a schema is reported when the schema is written, at its position. Every schema of the standard's suite that we support is accepted.

import { readdirSync, readFileSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { readHttpTool } from "../../../src/core/tool/http-tool.ts"
import { isObject, type Json, type JsonSchema } from "../../../src/core/json.ts"
import { readList } from "../../../src/core/tool/mcp-tool.ts"
import { schemaFault } from "../../../src/core/schema/strict-value.ts"
import { schemaFaults } from "../../../src/core/schema/schema-fault.ts"
import { SPECS } from "../../../src/tools/toolbox.ts"

const faults = (schema: JsonSchema): readonly string[] => schemaFaults(schema).map(({ pointer, message }) => `${pointer} ${message}`)
const of = (a: Json, more: JsonSchema = {}): JsonSchema => ({ type: "object", properties: { a }, ...more })

describe("a word that is almost a keyword", () => {
  const own = (schema: JsonSchema): readonly string[] =>
    schemaFaults(schema, { isOwn: true }).map(({ pointer, message }) => `${pointer} ${message}`)

  test.each<[JsonSchema, string, string]>([
    [{ type: "object", propreties: {} }, "/propreties", "properties"],
    [of({}, { requierd: ["a"] }), "/requierd", "required"],
    [of({}, { additionalproperties: false }), "/additionalproperties", "additionalProperties"],
    [of({ type: "string", maxLenght: 5 }), "/properties/a/maxLenght", "maxLength"],
    [of({ anyOf: [{ enums: ["x"] }] }), "/properties/a/anyOf/0/enums", "enum"],
    [of({ ref: "#/$defs/x" }), "/properties/a/ref", "$ref"],
  ])("[T26] %j is refused with the keyword", (schema, pointer, meant) =>
    expect(own(schema)).toEqual([`${pointer} is not a keyword of JSON Schema: did you mean "${meant}"?`]),
  )

  test("[T26] names of properties, words like no keyword, and those of other drafts are left alone", () => {
    const free = {
      id: "a",
      example: 1,
      nullable: true,
      dependencies: {},
      "x-enums": [],
      hint: "h",
      toString: "s",
      constructor: "c",
      order: 1,
    }
    expect(own(of(free, { properties: { propreties: {}, requierd: {} }, $defs: { itmes: {} } }))).toEqual([])
  })

  test("[T40] [T41] [K20] so it is in the schema of a kind of references, of a plan and of an expectation", () => {
    expect(schemaFault({ type: "object", propreties: {} })).toContain('did you mean "properties"?')
    expect(schemaFault({ type: "object", properties: { propreties: {} } })).toBeUndefined()
  })

  test("[T27] in what a server of others lists, it is left alone", () => {
    expect(faults({ type: "object", propreties: {} })).toEqual([])
  })
})

describe("an unusable schema", () => {
  test.each<[string, JsonSchema, string]>([
    [
      "an unknown type",
      of({ type: "strnig" }),
      '/properties/a/type must be of string, number, integer, boolean, object, array, null, not "strnig"',
    ],
    ["an empty list of types", of({ type: [] }), "/properties/a/type must be of "],
    ["an unclosed pattern", of({ type: "string", pattern: "(" }), "/properties/a/pattern cannot be judged: "],
    ["a pattern with lookahead", of({ anyOf: [{ pattern: "^(?=a)" }] }), "/properties/a/anyOf/0/pattern cannot be judged: "],
    ["a pattern for names", { patternProperties: { "(": {} } }, "/patternProperties/( cannot be judged: "],
    ["required inside a property", of({ required: true }), "/properties/a/required must be a list of names"],
    ["required as a single name", of({}, { required: "a" }), "/required must be a list of names"],
    ["a quoted limit", of({ items: { minimum: "3" } }), "/properties/a/items/minimum must be a number"],
    ["a limit of draft 4", of({ minimum: 0, exclusiveMinimum: true }), "/properties/a/exclusiveMinimum must be a number"],
    ["a length below 0", of({ minLength: -1 }), "/properties/a/minLength must be a whole number, 0 or more"],
    ["choices that are not a list", of({ enum: "x" }), "/properties/a/enum must be a list of values"],
    ["alternatives that are not a list", of({ allOf: {} }), "/properties/a/allOf must be a list of schemas"],
    [
      "items by position, as in older drafts",
      of({ items: [{}] }),
      "/properties/a/items must be one schema: use prefixItems for schemas by position",
    ],
    ["properties that are not an object", of({ properties: 5 }), "/properties/a/properties must be an object: name → schema"],
    ["a property that is a word", of("string"), "/properties/a must be a schema: an object, or true or false"],
    ["a reference to nothing", of({ $ref: "#/$defs/x" }), '/properties/a/$ref leads to "#/$defs/x", which is not in this schema'],
    [
      "a reference outside the schema",
      of({ $ref: "https://e.com/s.json" }),
      '/properties/a/$ref leads to "https://e.com/s.json", which is not in this schema',
    ],
    ["a dynamic reference", of({ $dynamicRef: "#x" }), "/properties/a/$dynamicRef is not checked here: use $ref"],
    ["the target of a reference", of({ $ref: "#/x" }, { x: { type: "text" } }), "/properties/a/$ref/type must be of "],
  ])("[G6] %s", (_what, schema, said) => {
    const [first, ...more] = faults(schema)
    expect(first?.startsWith(said), first).toBe(true)
    expect(more).toEqual([])
  })

  test("[G6] depth and number of faults are bounded", () => {
    let deep: JsonSchema = {}
    for (let i = 0; i < 1_000; i++) deep = { not: deep }
    expect(faults(deep)).toEqual([expect.stringMatching(/is nested deeper than 64 levels$/)])
    expect(faults({ allOf: Array.from({ length: 100 }, () => ({ type: "x" })) })).toHaveLength(10)
  })
})

describe("a usable schema", () => {
  test.each<[string, JsonSchema]>([
    [
      "unknown keywords, and data that looks like a schema",
      of({ "x-a": { type: "?" }, const: { pattern: "(" }, enum: [{ type: "?" }], example: { type: "dog" } }),
    ],
    [
      "properties named like keywords",
      of({ type: "object", properties: { type: {}, pattern: { type: "string" }, required: {}, $ref: {} } }),
    ],
    ["circular references", of({ $ref: "#/$defs/n" }, { $defs: { n: of({ $ref: "#/$defs/n" }) } })],
    ["booleans", of(true, { additionalProperties: false })],
  ])("[G6] %s", (_what, schema) => expect(faults(schema)).toEqual([]))

  test("[G6] every tool's own schema, and the suite's except those with outside or dynamic references", () => {
    for (const { name, parameters } of SPECS.values()) expect([name, faults(parameters)]).toEqual([name, []])
    const folder = new URL("../../fixtures/json-schema-2020-12/", import.meta.url)
    const groups = readdirSync(folder)
      .filter((name) => name.endsWith(".json"))
      .flatMap((file): { schema: JsonSchema | boolean }[] => JSON.parse(readFileSync(new URL(file, folder), "utf8")))
    const refused = groups.flatMap(({ schema }) => (isObject(schema) ? faults(schema) : []))
    expect(groups.length).toBeGreaterThan(300)
    expect(refused.filter((said) => !/leads to "https?:|\$dynamicRef/.test(said))).toEqual([])
  })
})

describe("where a schema is written", () => {
  test("[T26] a tool's registration is refused at the position of the fault", () => {
    const request = { method: "GET", url: "https://api.example.com/" }
    const read = readHttpTool("t", { description: "d", parameters: of({ type: "strnig" }), request })
    expect(read).toMatchObject({ ok: false, error: [{ pointer: "/parameters/properties/a/type" }] })
  })

  test("[T27] a server's faulty tool is left out with the reason; the others stay", () => {
    const tool = (name: string, inputSchema: JsonSchema) => ({ name, description: "d", inputSchema })
    expect(readList([tool("good", of({})), tool("bad", of({ type: "string", pattern: "(" }))])).toMatchObject({
      ok: true,
      value: {
        tools: [{ name: "good" }],
        leftOut: [
          { tool: "bad", reason: expect.stringMatching(/^its input schema cannot be used: \/properties\/a\/pattern cannot be judged/) },
        ],
      },
    })
  })
})
