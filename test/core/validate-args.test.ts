// Arguments against a tool's schema [G6]: coerced without doubt, refused with words, never a throw.

import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { Json, JsonSchema } from "../../src/core/json.ts"
import { validateArgs } from "../../src/core/validate-args.ts"

const order: JsonSchema = {
  type: "object",
  properties: {
    qty: { type: "integer" },
    rush: { type: "boolean" },
    note: { type: "string", minLength: 2 },
    tags: { type: "array", items: { type: "string" } },
    lines: {
      type: "array",
      items: { type: "object", properties: { price: { type: "number" } }, required: ["price"], additionalProperties: false },
    },
    level: { enum: [1, 2, "high"] },
    size: { type: "string", default: "M" },
    either: { anyOf: [{ type: "integer" }, { type: "object", properties: { n: { type: "boolean" } }, required: ["n"] }] },
    code: { type: "string", pattern: "^[A-Z]{2,3}$" },
  },
  required: ["qty"],
  additionalProperties: false,
}

/** `files` as it is on finish [F51]. */
const finish: JsonSchema = {
  type: "object",
  properties: {
    status: { type: "string", enum: ["complete", "error", "blocked"] },
    summary: { type: "string", minLength: 1, description: "what was done" },
    files: { type: "array", items: { type: "object" }, default: [] },
    score: { type: "number" },
    verdict: { type: "string", pattern: "^(pass|fail)$" },
  },
  required: ["status", "summary", "score"],
  additionalProperties: false,
}

const accepted = (args: unknown, schema = order): Json | undefined => {
  const result = validateArgs(schema, args)
  return result.ok ? result.value : undefined
}
const errors = (args: unknown, schema = order): string[] => {
  const result = validateArgs(schema, args)
  return result.ok ? [] : result.error.map((e) => `${e.path}: ${e.message}`)
}

describe("coercion", () => {
  test.each([
    [
      { qty: "5", rush: "true", tags: ["a"] },
      { qty: 5, rush: true, tags: ["a"], size: "M" },
    ],
    [{ qty: "-3" }, { qty: -3, size: "M" }],
    [{ qty: "1e2" }, { qty: 100, size: "M" }],
    [{ qty: 5.0 }, { qty: 5, size: "M" }],
    [
      { qty: 1, rush: "False" },
      { qty: 1, rush: false, size: "M" },
    ],
    [
      { qty: 1, note: 12 },
      { qty: 1, note: "12", size: "M" },
    ],
    [
      { qty: 1, tags: [1, true] },
      { qty: 1, tags: ["1", "true"], size: "M" },
    ],
    [
      { qty: 1, lines: [{ price: "2.5" }] },
      { qty: 1, lines: [{ price: 2.5 }], size: "M" },
    ],
    [
      { qty: 1, level: "2" },
      { qty: 1, level: 2, size: "M" },
    ],
    [
      { qty: 1, either: "7" },
      { qty: 1, either: 7, size: "M" },
    ],
    [
      { qty: 1, either: { n: "true" } },
      { qty: 1, either: { n: true }, size: "M" },
    ],
    [
      { qty: 1, size: "L" },
      { qty: 1, size: "L" },
    ],
  ])("[G6] %j becomes %j", (args, wanted) => expect(accepted(args)).toEqual(wanted))

  test.each([
    { qty: "" },
    { qty: " " },
    { qty: "five" },
    { qty: "0x10" },
    { qty: "1.5" },
    { qty: 1.5 },
    { qty: "9007199254740993" },
    { qty: "1e999" },
    { qty: true },
    { qty: null },
    { qty: [1] },
    { qty: 1, rush: "yes" },
    { qty: 1, rush: 1 },
    { qty: 1, note: null },
  ])("[G6] %j is not guessed at", (args) => expect(accepted(args)).toBeUndefined())

  test("[G6] a type that already fits is left alone, also when another would too", () => {
    const schema: JsonSchema = { type: "object", properties: { v: { type: ["string", "integer"] }, w: { type: ["integer", "string"] } } }
    expect(accepted({ v: "5", w: "5" }, schema)).toEqual({ v: "5", w: "5" })
  })

  test("[G6] references are followed, and rings of them are survived", () => {
    const tree: JsonSchema = {
      type: "object",
      properties: { root: { $ref: "#/$defs/node" } },
      $defs: { node: { type: "object", properties: { n: { type: "integer" }, next: { $ref: "#/$defs/node" } }, required: ["n"] } },
    }
    expect(accepted({ root: { n: "1", next: { n: "2" } } }, tree)).toEqual({ root: { n: 1, next: { n: 2 } } })
    expect(errors({ root: { n: "1", next: {} } }, tree)).toEqual(['/root/next/n: "n" is missing: an integer'])
    const ring: JsonSchema = {
      type: "object",
      properties: { a: { $ref: "#/$defs/a" } },
      $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } },
    }
    expect(validateArgs(ring, { a: 1 }).ok).toBe(false)
  })
})

describe("errors", () => {
  test.each([
    [{ qty: "five" }, '/qty: must be an integer, not "five"'],
    [{}, '/qty: "qty" is missing: an integer'],
    [{ qty: 1, tags: ["a", { b: 1 }] }, "/tags/1: must be a string, not an object"],
    [{ qty: 1, quantity: 1 }, '/quantity: "quantity" is not known; known: qty, rush, note, tags, lines, level, size, either, code'],
    [{ qty: 1, tagz: [] }, '/tagz: "tagz" is not known; did you mean "tags"?'],
    [{ qty: 1, lines: [{ price: 1, prize: 2 }] }, '/lines/0/prize: "prize" is not known; did you mean "price"?'],
    [{ qty: 1, note: "x" }, "/note: is shorter than 2"],
    [{ qty: 1, level: 9 }, '/level: must be one of 1, 2, "high", not 9'],
    [{ qty: 1, code: "abc" }, "/code: must match ^[A-Z]{2,3}$"],
    [{ qty: 1, either: [] }, "/either: fits none of the allowed forms: must be an integer, not an array; must be an object, not an array"],
    [[1], ": the arguments must be one JSON object, not an array"],
    [null, ": the arguments must be one JSON object, not null"],
    ["{}", ": the arguments must be one JSON object, not a string"],
  ])("[G6] %j says %j", (args, message) => expect(errors(args)).toEqual([message]))

  test("[G2] a wrong finish names every field that is missing or wrong", () => {
    expect(errors({ status: "great" }, finish)).toEqual([
      '/summary: "summary" is missing: a string, what was done',
      '/score: "score" is missing: a number',
      '/status: must be one of "complete", "error", "blocked", not "great"',
    ])
    expect(errors({ status: "complete", summary: "x", score: "abc", verdict: "maybe" }, finish)).toEqual([
      '/score: must be a number, not "abc"',
      "/verdict: must match ^(pass|fail)$",
    ])
    expect(accepted({ status: "complete", summary: "ok", score: "92", verdict: "pass" }, finish)).toEqual({
      status: "complete",
      summary: "ok",
      score: 92,
      verdict: "pass",
      files: [],
    })
  })

  test("[G6] a list of errors is cut at 20", () => {
    const result = validateArgs(order, Object.fromEntries(Array.from({ length: 90 }, (_, i) => [`zzzzzz${i}`, 1])))
    expect(!result.ok && result.error).toHaveLength(21)
  })
})

describe("limits", () => {
  const free: JsonSchema = { type: "object" }
  const nest = (depth: number): Json => (depth === 0 ? 1 : { a: nest(depth - 1) })

  test("[G6] 256 KiB of JSON are allowed, one byte more is not", () => {
    const room = 256 * 1024 - '{"a":""}'.length
    expect(accepted({ a: "x".repeat(room) }, free)).toBeDefined()
    expect(errors({ a: "x".repeat(room + 1) }, free)[0]).toMatch(/larger than 256 KiB/)
    expect(errors({ a: "é".repeat(room / 2 + 1) }, free)[0]).toMatch(/larger than 256 KiB/)
    expect(errors({ a: Array.from({ length: 200_000 }, () => 1) }, free)[0]).toMatch(/larger than 256 KiB/)
  })

  test("[G6] the size counted is the length of the JSON text, within a hair", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (args) => {
        fc.pre(!/__proto__|constructor|prototype/.test(JSON.stringify(args)))
        // Filled up to 20 bytes below the limit it fits; 20 above it does not.
        const used = new TextEncoder().encode(JSON.stringify({ ...args, filler: "" })).length
        expect(validateArgs(free, { ...args, filler: "x".repeat(256 * 1024 - used - 20) }).ok).toBe(true)
        expect(validateArgs(free, { ...args, filler: "x".repeat(256 * 1024 - used + 20) }).ok).toBe(false)
      }),
      { numRuns: 50 },
    )
  })

  test("[G6] 64 levels are allowed, 65 are not, and a ring is deeper than any", () => {
    expect(accepted(nest(64), free)).toBeDefined()
    expect(errors(nest(65), free)).toEqual([": the arguments are nested deeper than 64 levels"])
    const ring: Record<string, unknown> = {}
    ring["a"] = ring
    expect(errors(ring, free)).toHaveLength(1)
  })

  test.each(['{"__proto__":{"x":1}}', '{"a":{"constructor":1}}', '{"a":[{"prototype":1}]}'])(
    "[G6] %s is refused, and pollutes nothing",
    (json) => {
      expect(errors(JSON.parse(json), free)[0]).toMatch(/is not allowed/)
      expect(Object.getOwnPropertyNames(Object.prototype)).not.toContain("x")
      expect(Object.getPrototypeOf({}).x).toBeUndefined()
    },
  )
})

describe("whatever comes", () => {
  test("[G10] it never throws, and what it accepts is accepted again unchanged", () => {
    const schemaPart = fc.oneof(
      fc.constant<Json>(order),
      fc.constant<Json>(finish),
      fc.constant<Json>({ type: "object", properties: { a: { $ref: "#/$defs/missing" } } }),
      fc.constant<Json>({ type: "object", properties: { a: { pattern: "(" } } }),
      fc.constant<Json>({ type: "object", patternProperties: { "[": true } }),
      fc.dictionary(
        fc.constantFrom("type", "properties", "items", "enum", "required", "anyOf", "allOf", "$ref", "pattern", "default", "const"),
        fc.jsonValue({ maxDepth: 2 }),
        { maxKeys: 4 },
      ),
    )
    fc.assert(
      fc.property(
        schemaPart,
        fc.oneof(fc.anything({ maxDepth: 3 }), fc.dictionary(fc.constantFrom("a", "qty", "tags", "status"), fc.anything({ maxDepth: 2 }))),
        (schema, args) => {
          const first = validateArgs(JSON.parse(JSON.stringify(schema)), args)
          if (first.ok) expect(validateArgs(JSON.parse(JSON.stringify(schema)), first.value)).toEqual(first)
          else expect(first.error.length).toBeGreaterThan(0)
        },
      ),
      { numRuns: 3_000 },
    )
  })

  test("[G10] a schema that cannot be used refuses the call", () => {
    expect(errors({ a: 1 }, { type: "object", properties: { a: { $ref: "#/$defs/none" } } })[0]).toMatch(/could not be checked/)
    expect(errors({ a: "x" }, { type: "object", properties: { a: { pattern: "(" } } })[0]).toMatch(/could not be checked/)
  })

  test("[G6] the caller's schema and arguments are not touched, frozen ones work", () => {
    const schema = Object.freeze({ type: "object", properties: Object.freeze({ a: Object.freeze({ type: "integer" }) }) })
    const args = Object.freeze({ a: "5" })
    expect(validateArgs(schema, args)).toEqual({ ok: true, value: { a: 5 } })
    expect(args.a).toBe("5")
  })

  test("[G6] a pattern made to explode answers at once", () => {
    const schema: JsonSchema = { type: "object", properties: { v: { type: "string", pattern: "^(a+)+$" } } }
    const started = performance.now()
    expect(errors({ v: `${"a".repeat(50_000)}!` }, schema)).toEqual(["/v: must match ^(a+)+$"])
    expect(performance.now() - started).toBeLessThan(1_000)
  })
})
