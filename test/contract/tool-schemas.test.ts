// Schemas of tools as providers take them [T4], and arguments with their real keys.

import { describe, expect, test } from "vitest"
import type { JsonSchema } from "../../src/core/json.ts"
import { readList } from "../../src/core/tool/mcp-tool.ts"
import { providerModel } from "../../src/models/providers.ts"
import { shapedTool } from "../../src/models/tool-schemas.ts"
import type { ProviderSettings } from "../../src/ports/tenant/providers.ts"
import { heard, request } from "./model.ts"

const shape = (parameters: JsonSchema) => shapedTool({ description: "does it", parameters })
const text = { type: "string" }
const number = { type: "number" }

describe("[T4] a schema for a provider", () => {
  test("an ordinary schema stays as it is", () => {
    const parameters = { type: "object", properties: { path: text, many: { type: "array", items: number } }, required: ["path"] }
    const { schema, real, description } = shape(parameters)
    expect([schema, description, real('{"path": 1}')]).toEqual([parameters, "does it", '{"path": 1}'])
  })

  test.each(["anyOf", "oneOf"])("a union at the top (%s) becomes an object with what each alternative may have", (union) => {
    const { schema } = shape({
      type: "object",
      properties: { always: text },
      required: ["always"],
      [union]: [
        { type: "object", properties: { id: text, kind: { const: "one" } }, required: ["id", "kind"] },
        { properties: { name: text, kind: { const: "two" } }, required: ["name", "kind"] },
        { type: "string" },
        { required: ["kind"] },
      ],
    })
    expect(schema).toEqual({
      type: "object",
      properties: { always: text, id: text, name: text, kind: { anyOf: [{ const: "one" }, { const: "two" }] } },
      required: ["always", "kind"],
    })
  })

  test("[T27] an MCP tool whose schema is a union at the top, without a type, reaches a provider with its properties", () => {
    const inputSchema = {
      anyOf: [
        { type: "object", properties: { id: text }, required: ["id"] },
        { type: "object", properties: { name: text }, required: ["name"] },
      ],
    }
    const list = readList([{ name: "find", description: "finds", inputSchema }])
    const [tool] = list.ok ? list.value.tools : []
    expect(shape(tool?.parameters ?? {}).schema).toEqual({ type: "object", properties: { id: text, name: text } })
  })

  test("a reference or a sum at the top is written out, and one that goes around ends", () => {
    const $defs = { in: { type: "object", properties: { a: text }, required: ["a"] }, round: { $ref: "#/$defs/round" } }
    expect(shape({ $ref: "#/$defs/in", $defs }).schema).toMatchObject({ type: "object", properties: { a: text }, required: ["a"] })
    expect(shape({ allOf: [{ $ref: "#/$defs/in" }, { properties: { b: text }, required: ["b"] }], $defs }).schema).toMatchObject({
      properties: { a: text, b: text },
      required: ["a", "b"],
    })
    expect(shape({ $ref: "#/$defs/round", $defs }).schema).toMatchObject({ type: "object", properties: {} })
  })

  test.each([{}, { type: "object" }, { type: ["object", "null"] }, { not: { required: ["x"] } }, { type: "string" }])(
    "%j becomes an object with properties",
    (parameters) => {
      const { schema } = shape(parameters)
      expect(schema).toMatchObject({ type: "object", properties: {} })
      expect(Object.keys(schema)).not.toContain("not")
    },
  )

  test("an array has items, wherever it is", () => {
    const { schema } = shape({
      type: "object",
      properties: {
        bare: { type: "array" },
        places: { type: "array", items: [text, number] },
        new: { type: "array", prefixItems: [text, number], items: false },
        deep: { type: "object", properties: { list: { type: ["array", "null"] } } },
      },
    })
    expect(schema.properties).toEqual({
      bare: { type: "array", items: {} },
      places: { type: "array", items: { anyOf: [text, number] } },
      new: { type: "array", items: { anyOf: [text, number] } },
      deep: { type: "object", properties: { list: { type: ["array", "null"], items: {} } } },
    })
  })

  test("keys are plain, and the arguments come back with the real ones", () => {
    const parameters = {
      type: "object",
      properties: {
        größe: number,
        "First Name": text,
        $filter: { type: "object", properties: { "a/b": { type: "array", items: { type: "object", properties: { "@id": text } } } } },
        plain: text,
        properties: { type: "object", properties: { "x y": text } },
      },
      required: ["größe", "plain"],
    }
    const { schema, real } = shape(parameters)
    const keys = Object.keys(schema.properties ?? {})
    for (const key of keys) expect(key).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
    expect(keys).toHaveLength(5)
    expect(schema.required?.every((key: unknown) => keys.includes(String(key)))).toBe(true)
    const said: unknown = JSON.parse(JSON.stringify(schema), (_, value: unknown) => value)
    expect(JSON.stringify(said)).not.toMatch(/größe|First Name|a\/b|@id|x y/)
    const [size = "", name = "", filter = "", plain = "", nested = ""] = keys
    expect(JSON.parse(real(JSON.stringify({ [size]: 3, [name]: "A", [filter]: {}, [plain]: "größe", [nested]: { x_y: "z" } })))).toEqual({
      größe: 3,
      "First Name": "A",
      $filter: {},
      plain: "größe",
      properties: { "x y": "z" },
    })
    expect(real("{not json")).toBe("{not json")
  })

  test("a description of more than 1,024 characters goes on in the parameters", () => {
    const description = "long ".repeat(500).trim()
    const shaped = shapedTool({ description, parameters: { type: "object", description: "Its own." } })
    expect(shaped.description.length).toBeLessThanOrEqual(1_024)
    expect(`${shaped.description} ${String(shaped.schema.description)}`.match(/long/g)).toHaveLength(500)
    expect(shaped.schema.description).toMatch(/Its own\.$/)
  })
})

const event = (data: unknown): string => `data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`
const REPLIES: Record<string, (name: string, args: string) => string> = {
  "openai-compatible": (name, args) =>
    event({
      choices: [
        {
          delta: { tool_calls: [{ index: 0, id: "c", type: "function", function: { name, arguments: args } }] },
          finish_reason: "tool_calls",
        },
      ],
    }) + event("[DONE]"),
  google: (name, args) =>
    event({
      candidates: [
        { content: { role: "model", parts: [{ functionCall: { name, args: JSON.parse(args) as unknown } }] }, finishReason: "STOP" },
      ],
    }),
}

test.each(Object.keys(REPLIES))("[T4] %s gets plain keys, and its call has the real ones", async (kind) => {
  const parameters = { anyOf: [{ type: "object", properties: { größe: number }, required: ["größe"] }] }
  const bodies: string[] = []
  const made = providerModel({ kind, baseUrl: "http://127.0.0.1:9/v1", apiKey: "test-key-0123456789" } as ProviderSettings, "m", {
    environment: "local",
    fetch: (_, init) => {
      bodies.push(String(init?.body))
      const stream = REPLIES[kind]?.("put", JSON.stringify({ gr__e: 5 })) ?? ""
      return Promise.resolve(new Response(stream, { headers: { "content-type": "text/event-stream" } }))
    },
  })
  if (!made.ok) throw new Error(made.error.message)
  const { final } = await heard(made.value, request({ tools: [{ name: "put", description: "puts", parameters }] }))
  expect(bodies[0]).toContain('"gr__e"')
  expect(bodies[0]).not.toContain("größe")
  expect(final.toolCalls).toMatchObject([{ name: "put", args: '{"größe":5}' }])
})

test.each([
  [400, "Unrecognized request argument supplied: stream_options"],
  [422, "stream_options: Extra inputs are not permitted"],
])("[M2] a server that refuses to be asked for its usage (%d %s) is asked without, and from then on at once", async (status, words) => {
  for (const kind of ["openai", "openai-compatible"]) {
    const asked: boolean[] = []
    const made = providerModel(
      { kind, api: "chat", baseUrl: "http://127.0.0.1:9/v1", apiKey: "test-key-0123456789" } as ProviderSettings,
      "m",
      {
        environment: "local",
        fetch: (_, init) => {
          const hasOption = String(init?.body).includes("stream_options")
          asked.push(hasOption)
          if (hasOption) return Promise.resolve(new Response(JSON.stringify({ error: { message: words } }), { status }))
          const stream = event({ choices: [{ delta: { content: "fine" }, finish_reason: "stop" }] }) + event("[DONE]")
          return Promise.resolve(new Response(stream, { headers: { "content-type": "text/event-stream" } }))
        },
      },
    )
    if (!made.ok) throw new Error(made.error.message)
    for (let i = 0; i < 2; i++) {
      const { final } = await heard(made.value)
      expect(final).toMatchObject({ text: "fine", stopReason: "stop" })
      expect(final.usage).toBeUndefined()
    }
    expect(asked.filter(Boolean)).toHaveLength(1)
  }
})
