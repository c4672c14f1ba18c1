// Arguments against a tool's schema [G6]: coerced when unambiguous, refused with a message, never a throw.

import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { Json, JsonObject, JsonSchema } from "../../../src/core/json.ts"
import { validateArgs } from "../../../src/core/schema/validate-args.ts"
import { cpuClock } from "../../support/cpu-clock.ts"

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

/** `files` as in finish [F51]. */
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

describe("defaults", () => {
  const text = { type: "string" }
  test.for<[string, JsonSchema, unknown]>([
    ["null for a text", { ...text, default: null }, undefined],
    ["digits for an integer", { type: "integer", default: "10" }, 10],
    ["a word for an integer", { type: "integer", default: "ten" }, undefined],
    ["a word for a boolean", { type: "boolean", default: "false" }, false],
    ["a text outside its choices", { ...text, enum: ["a", "b"], default: "c" }, undefined],
    ["a text for a list", { type: "array", items: text, default: "[]" }, undefined],
    ["a list with a wrong item", { type: "array", items: { type: "integer" }, default: ["1", "2"] }, [1, 2]],
    ["too small a number", { type: "number", minimum: 1, default: 0 }, undefined],
    ["one behind a reference", { $ref: "#/$defs/A", default: 7 }, "7"],
    ["null where it may be", { type: ["string", "null"], default: null }, null],
    ["one that fits", { ...text, default: "M" }, "M"],
  ])("[G6] a default that does not fit its schema does not spoil the call: %s", ([, property, value]) => {
    const schema = { type: "object", properties: { q: text, p: property }, required: ["q"], $defs: { A: text } }
    const filled = value === undefined ? { q: "x" } : { q: "x", p: value }
    expect(validateArgs(schema, { q: "x" })).toEqual({ ok: true, value: filled })
  })

  test("[G6] an argument that is required is missing when its default does not fit, and one that was given is judged", () => {
    const schema = { type: "object", properties: { p: { type: "string", default: null } }, required: ["p"] }
    expect(validateArgs(schema, {})).toMatchObject({ ok: false, error: [{ path: "/p" }] })
    expect(validateArgs(schema, { p: null })).toMatchObject({ ok: false })
  })
})

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

  test("[G6] a type that already fits is left alone, even when another would fit too", () => {
    const schema: JsonSchema = { type: "object", properties: { v: { type: ["string", "integer"] }, w: { type: ["integer", "string"] } } }
    expect(accepted({ v: "5", w: "5" }, schema)).toEqual({ v: "5", w: "5" })
  })

  test("[G6] references are followed, and circular references are survived", () => {
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
    expect(errors({ a: 1 }, ring)).toEqual([
      ": the arguments could not be checked: the schema's references lead through more than 1000 parts",
    ])
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

  test("[G2] a wrong finish names every missing or wrong field", () => {
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

  test("[G6] the counted size is almost exactly the length of the JSON text", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (args) => {
        fc.pre(!/__proto__|constructor|prototype/.test(JSON.stringify(args)))
        // Filled to 20 bytes below the limit it fits; 20 above it does not.
        const used = new TextEncoder().encode(JSON.stringify({ ...args, filler: "" })).length
        expect(validateArgs(free, { ...args, filler: "x".repeat(256 * 1024 - used - 20) }).ok).toBe(true)
        expect(validateArgs(free, { ...args, filler: "x".repeat(256 * 1024 - used + 20) }).ok).toBe(false)
      }),
      { numRuns: 50 },
    )
  })

  test("[G6] 64 levels are allowed, 65 are not, and a circular value is deeper than any limit", () => {
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

describe("arbitrary input", () => {
  test("[G10] it never throws, and accepts its own output again unchanged", () => {
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

  test("[G10] an unusable schema refuses the call", () => {
    expect(errors({ a: 1 }, { type: "object", properties: { a: { $ref: "#/$defs/none" } } })[0]).toMatch(/could not be checked/)
    expect(errors({ a: "x" }, { type: "object", properties: { a: { pattern: "(" } } })[0]).toMatch(/could not be checked/)
  })

  test("[G6] the caller's schema and arguments stay unchanged; frozen ones work", () => {
    const schema = Object.freeze({ type: "object", properties: Object.freeze({ a: Object.freeze({ type: "integer" }) }) })
    const args = Object.freeze({ a: "5" })
    expect(validateArgs(schema, args)).toEqual({ ok: true, value: { a: 5 } })
    expect(args.a).toBe("5")
  })

  test("[G6] a pattern built to explode answers at once", () => {
    const schema: JsonSchema = { type: "object", properties: { v: { type: "string", pattern: "^(a+)+$" } } }
    const spent = cpuClock()
    expect(errors({ v: `${"a".repeat(50_000)}!` }, schema)).toEqual(["/v: must match ^(a+)+$"])
    expect(spent()).toBeLessThan(4_000)
  })

  const explosive = { pattern: "^(a+)+$" }
  const bait = `${"a".repeat(40)}!`
  const doubled = (n: number, end: JsonSchema): JsonSchema => ({
    type: "object",
    properties: { v: { $ref: "#/$defs/d0" } },
    $defs: Object.fromEntries(
      Array.from({ length: n }, (_, i): [string, JsonSchema] => {
        const next: JsonSchema = i === n - 1 ? end : { $ref: `#/$defs/d${i + 1}` }
        return [`d${i}`, { anyOf: [next, next] }]
      }),
    ),
  })
  const nested = (depth: number): JsonObject => (depth === 0 ? { end: true } : { v: nested(depth - 1) })
  test.each<[string, JsonSchema, JsonObject]>([
    ["in a choice", { type: "object", properties: { v: { anyOf: [explosive, { type: "number" }] } } }, { v: bait }],
    ["behind a reference", { type: "object", properties: { v: { $ref: "#/$defs/x" } }, $defs: { x: explosive } }, { v: bait }],
    ["under an unknown keyword", { type: "object", properties: { v: { $ref: "#/x" } }, x: explosive }, { v: bait }],
    ["in not", { type: "object", properties: { v: { not: { not: explosive } } } }, { v: bait }],
    ["in items by position", { type: "object", properties: { v: { prefixItems: [explosive] } } }, { v: [bait] }],
    ["of names", { type: "object", propertyNames: explosive }, { [bait]: 1 }],
    ["of properties", { type: "object", patternProperties: { "^(a+)+$": {} }, additionalProperties: false }, { [bait]: 1 }],
    ["with look-ahead", { type: "object", properties: { v: { pattern: "^(?=a)(a+)+$" } } }, { v: bait }],
    ["with a back-reference", { type: "object", properties: { v: { pattern: "^(a+)+\\1$" } } }, { v: bait }],
    ["of choices that double", doubled(30, { type: "number" }), { v: "a" }],
    [
      "of choices that double with each level",
      { type: "object", additionalProperties: { anyOf: [{ $ref: "#" }, { $ref: "#" }, { type: "null" }] } },
      nested(40),
    ],
    [
      "of a list compared with itself",
      { type: "object", properties: { v: { type: "array", uniqueItems: true } } },
      { v: Array.from({ length: 30_000 }, (_, i) => i) },
    ],
  ])("[G6] nothing in a schema costs without limit: %s", (_, schema, args) => {
    const spent = cpuClock()
    expect(validateArgs(schema, args).ok).toBe(false)
    expect(spent()).toBeLessThan(12_000)
  })

  test("[G6] patterns count wherever they occur", () => {
    const schema: JsonSchema = {
      type: "object",
      properties: {
        a: { anyOf: [{ type: "number" }, { type: "string", pattern: "^x" }] },
        b: { format: "date", pattern: "^2026" },
        pattern: { type: "string" },
        c: { enum: [{ pattern: "(" }] },
      },
      patternProperties: { "^n_": { type: "integer" }, _t$: { type: "string" } },
      propertyNames: { pattern: "^[a-z_]+$" },
      additionalProperties: false,
    }
    const good = { a: "xy", b: "2026-01-01", pattern: "(", c: { pattern: "(" }, n_a: 1, s_t: "t" }
    expect(validateArgs(schema, good)).toEqual({ ok: true, value: good })
    expect(errors({ a: "y" }, schema)[0]).toMatch(/^\/a: fits none .* must match \^x$/)
    expect(errors({ b: "2025-01-01" }, schema)).toEqual(["/b: must match ^2026"])
    expect(errors({ b: "2026-13-01" }, schema)).toEqual(["/b: must be a valid date"])
    expect(errors({ n_a: "x" }, schema)).toEqual(['/n_a: must be an integer, not "x"'])
    expect(errors({ n_t: 1.5 }, schema)).not.toEqual([])
    expect(errors({ zz: 1 }, schema)[0]).toMatch(/"zz" is not known/)
    expect(errors({ A: 1 }, schema)).toContain("/A: must match ^[a-z_]+$")
  })

  test("[G6] an unknown format is ignored, even one named like an object's built-in property", () => {
    for (const format of ["constructor", "hasOwnProperty", "__proto__", "url", "\u0000pattern ("])
      expect(validateArgs({ type: "object", properties: { v: { format } } }, { v: `http://${bait}` }).ok).toBe(true)
  })

  test("[G6] a list of a thousand items may be required to be unique", () => {
    const schema: JsonSchema = { type: "object", properties: { v: { type: "array", uniqueItems: true } } }
    const thousand = Array.from({ length: 1_000 }, (_, i) => ({ i }))
    expect(validateArgs(schema, { v: thousand }).ok).toBe(true)
    expect(validateArgs(schema, { v: [...thousand.slice(1), { i: 1 }] }).ok).toBe(false)
    expect(errors({ v: Array.from({ length: 1_001 }, (_, i) => i) }, schema)).toEqual([
      "/v: has 1001 items; a list whose items must differ may have 1000",
    ])
  })

  test("[G6] names times patterns, and all texts together, have one bound", () => {
    const names = (n: number): JsonObject => Object.fromEntries(Array.from({ length: n }, (_, i) => [`n${i}`, 1]))
    const patterns: JsonSchema = {
      type: "object",
      patternProperties: Object.fromEntries(Object.keys(names(400)).map((n) => [`^${n}_`, {}])),
    }
    expect(validateArgs(patterns, names(100)).ok).toBe(true)
    expect(errors(names(1_000), patterns)[0]).toMatch(/too costly/)
    // Every character leads to new states.
    const slow: JsonSchema = { type: "object", additionalProperties: { pattern: "^(?:a|b)*a(?:a|b){600}c$" } }
    let seed = 1
    const text = (): string =>
      Array.from({ length: 5_000 }, () => ((seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff) & 65_536 ? "a" : "b")).join("")
    expect(errors({ a: text() }, slow)).toEqual(["/a: must match ^(?:a|b)*a(?:a|b){600}c$"])
    expect(errors(Object.fromEntries(Array.from("abcdefgh").map((name) => [name, text()])), slow)[0]).toMatch(/too costly/)
  })

  test("[G6] a schema that a reference finds under an unknown keyword is judged like the rest", () => {
    const schema: JsonSchema = { type: "object", properties: { a: { $ref: "#/examples" } }, examples: { pattern: "^(a+)+$" } }
    expect(errors({ a: bait }, schema)).toEqual(["/a: must match ^(a+)+$"])
  })

  test("[G6] each list item is reported with its own faults only", () => {
    const items: JsonSchema = { anyOf: [{ type: "boolean" }, { type: "string", minLength: 3 }] }
    const schema: JsonSchema = {
      type: "object",
      properties: { l: { type: "array", items } },
      $defs: { n: { patternProperties: { a: {} } } },
    }
    const said = errors({ l: Array.from({ length: 12 }, () => "x") }, schema)
    expect(said).toEqual(said.map((_, i) => `/l/${i}: fits none of the allowed forms: must be a boolean, not "x"; is shorter than 3`))
    expect(said).toHaveLength(12)
  })

  test("[G6] a choice may refer to any part of the schema, not only to definitions", () => {
    const schema: JsonSchema = {
      type: "object",
      properties: { n: { type: "integer" }, v: { anyOf: [{ $ref: "#/properties/n" }, { type: "null" }] } },
    }
    expect(validateArgs(schema, { v: "5" })).toEqual({ ok: true, value: { v: 5 } })
  })
})
