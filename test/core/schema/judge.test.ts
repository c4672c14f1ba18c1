// The walk over schema and value [G6]: it agrees with an independent validator, reports what each keyword finds wrong, and pays for its steps.

import { validate } from "@cfworker/json-schema"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { Json, JsonSchema } from "../../../src/core/json.ts"
import { formatOf } from "../../../src/core/schema/format.ts"
import { judgeOf } from "../../../src/core/schema/judge.ts"
import { measure } from "../../../src/core/schema/measure.ts"
import { argErrors } from "../../../src/core/schema/sentence.ts"
import { cpuClock } from "../../support/cpu-clock.ts"

const copy = (schema: Json): Json => JSON.parse(JSON.stringify(schema))
const said = (schema: Json, value: Json): string[] =>
  argErrors(judgeOf(copy(schema)).findings(value, measure())).map(({ path, message }) => `${path} ${message}`.trim())

const scalar = fc.oneof(fc.constantFrom<Json>(0, 1, 2, 1.5, "a", "ab", "", true, null), fc.constantFrom<Json>("2026-02-29", "x@y.z"))
const value = fc.letrec<{ any: Json }>((tie) => ({
  any: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    scalar,
    fc.array(tie("any"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom("a", "b", "c"), tie("any"), { maxKeys: 3 }),
  ),
})).any

const count = fc.integer({ min: 0, max: 3 })
const schema = fc.letrec<{ part: Json }>((tie) => {
  const named = fc.dictionary(fc.constantFrom("a", "b", "c"), tie("part"), { maxKeys: 2 })
  const list = fc.array(tie("part"), { minLength: 1, maxLength: 3 })
  const names = fc.uniqueArray(fc.constantFrom("a", "b", "c"), { maxLength: 2 })
  const words: Readonly<Record<string, fc.Arbitrary<Json>>> = {
    type: fc.constantFrom<Json>("string", "number", "integer", "object", "array", "null", ["boolean", "string"]),
    const: value,
    enum: fc.array(value, { minLength: 1, maxLength: 3 }),
    minimum: count,
    exclusiveMaximum: count,
    multipleOf: fc.constantFrom(1, 0.5, 2),
    minLength: count,
    maxLength: count,
    minItems: count,
    maxItems: count,
    uniqueItems: fc.boolean(),
    minProperties: count,
    maxProperties: count,
    required: names,
    dependentRequired: fc.dictionary(fc.constantFrom("a", "b"), names, { maxKeys: 1 }),
    dependentSchemas: named,
    properties: named,
    patternProperties: fc.dictionary(fc.constantFrom("^a", "[bc]"), tie("part"), { maxKeys: 2 }),
    additionalProperties: tie("part"),
    propertyNames: tie("part"),
    prefixItems: list,
    items: tie("part"),
    contains: tie("part"),
    allOf: list,
    anyOf: list,
    oneOf: list,
    not: tie("part"),
    if: tie("part"),
    else: tie("part"),
    $ref: fc.constantFrom("#/$defs/x", "#y"),
  }
  // A few keywords at a time: a schema with many keywords fits nothing.
  const word = fc.oneof(
    ...[...Object.entries(words), ["then", tie("part")] as const].map(([name, said]) => fc.tuple(fc.constant(name), said)),
  )
  const some = fc.array(word, { maxLength: 3 }).map((chosen): Json => Object.fromEntries(chosen))
  return { part: fc.oneof({ maxDepth: 3 }, fc.boolean(), some) }
}).part

describe("the walk", () => {
  test("[G6] it agrees with an independent validator on random schemas and values", () => {
    let fitting = 0
    fc.assert(
      fc.property(schema, schema, value, (part, other, given) => {
        const whole: JsonSchema = {
          ...(typeof part === "object" ? (part as JsonSchema) : { not: { not: part } }),
          $defs: {
            x: { type: "string", minLength: 1 },
            z: { $anchor: "y", anyOf: [{ required: ["a"] }, { not: { type: "object" } }] },
            other,
          },
        }
        const verdict = validate(given, copy(whole) as never, "2020-12", undefined, false).valid
        if (verdict) fitting++
        expect(said(whole, given).length === 0).toBe(verdict)
        const judge = judgeOf(whole)
        expect(judge.fits(whole, given, measure())).toBe(verdict)
      }),
      { numRuns: 3_000 },
    )
    expect(fitting).toBeGreaterThan(500)
  })

  test.each<[string, JsonSchema, Json, string]>([
    ["const", { const: { a: 1 } }, { a: 2 }, 'must be {"a":1}, not an object'],
    ["multipleOf", { multipleOf: 0.1 }, 0.25, "must be a multiple of 0.1"],
    ["exclusiveMinimum", { exclusiveMinimum: 1 }, 1, "must be more than 1"],
    [
      "uniqueItems",
      { uniqueItems: true },
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      'has a repeated item: {"a":1,"b":2}',
    ],
    ["contains", { contains: { type: "string" } }, [1], "must contain at least 1 items of a certain form, but has 0"],
    ["maxContains", { contains: true, maxContains: 1 }, [1, 2], "must contain at most 1 items of a certain form, but has 2"],
    ["dependentRequired", { dependentRequired: { a: ["b"] } }, { a: 1 }, '/b "b" is missing: "a" is there'],
    ["propertyNames", { propertyNames: { maxLength: 1 } }, { ab: 1 }, "/ab is longer than 1"],
    ["oneOf", { oneOf: [{ type: "number" }, { minimum: 1 }] }, 2, "fits more than one of the allowed forms; exactly one must fit"],
    ["a position too many", { prefixItems: [true], items: false }, [1, 2], "/1 is not allowed here"],
    [
      "unevaluatedProperties",
      { allOf: [{ properties: { a: true } }], unevaluatedProperties: false },
      { a: 1, c: 2 },
      '/c "c" is not known; no other property is allowed',
    ],
    [
      "a choice in a choice",
      { anyOf: [{ oneOf: [{ type: "null" }, { const: 1 }] }, { type: "string" }] },
      2,
      "fits none of the allowed forms: must be null, not 2; must be 1, not 2; must be a string, not 2",
    ],
  ])("[G6] %s reports what is wrong", (_word, wanted, given, message) => expect(said(wanted, given)).toEqual([message]))

  test.each<[string, Json, Json]>([
    ["a list as a limit", { maxLength: [3] }, "abcd"],
    ["names as one text", { required: "a" }, {}],
    ["a word in place of a schema", { properties: { a: "string" } }, { a: 1 }],
    ["one choice without a list", { anyOf: { type: "string" } }, 1],
    ["a single value as an enum", { enum: 5 }, 5],
    ["a divisor of zero", { multipleOf: 0 }, 1],
    ["a reference to data", { $ref: "#/enum", enum: [1] }, 1],
    ["two parts with one name", { $defs: { a: { $id: "x" }, b: { $id: "x" } }, $ref: "x" }, 1],
  ])("[G10] a schema with %s judges nothing", (_what, wanted, given) => expect(() => said(wanted, given)).toThrow())

  test.each<[string, Json, Json]>([
    [
      "a long list of choices, many times",
      { items: { enum: Array.from({ length: 20_000 }, (_, i) => `v${i}`) } },
      Array.from({ length: 50_000 }, () => "x"),
    ],
    [
      "many required names, many times",
      { items: { required: Array.from({ length: 8_000 }, (_, i) => `n${i}`) } },
      Array.from({ length: 50_000 }, () => ({})),
    ],
    [
      "a long text against many limits",
      { anyOf: Array.from({ length: 5_000 }, (_, i) => ({ minLength: 300_000 + i })) },
      "x".repeat(250_000),
    ],
    [
      "a long text against many formats",
      { anyOf: Array.from({ length: 5_000 }, () => ({ format: "uri-template" })) },
      `${"x".repeat(250_000)}"`,
    ],
    [
      "a wide object against many choices",
      { anyOf: Array.from({ length: 5_000 }, (_, i) => ({ minProperties: 50_000 + i })) },
      Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`n${i}`, 1])),
    ],
    [
      "a long list against many values",
      { anyOf: Array.from({ length: 5_000 }, () => ({ uniqueItems: true, maxItems: 3 })) },
      Array.from({ length: 1_000 }, (_, i) => `${i}${"x".repeat(200)}`),
    ],
  ])("[G6] a share of the product is charged: %s", (_what, wanted, given) => {
    const judge = judgeOf(wanted)
    const spent = cpuClock()
    expect(() => judge.findings(given, measure())).toThrow(/too costly/)
    expect(spent()).toBeLessThan(12_000)
  })
})

describe("formats", () => {
  test.each<[string, string[], string[]]>([
    ["date", ["2024-02-29", "0001-01-01"], ["2026-02-29", "2026-13-01", "2026-1-1", "2026-00-10", "20260101", "２026-01-01"]],
    [
      "time",
      ["12:00:00Z", "23:59:60Z", "15:59:60-08:00", "01:02:03.456+05:30"],
      ["12:00:00", "24:00:00Z", "12:00:60Z", "12:00Z", "12:00:00+24:00"],
    ],
    [
      "date-time",
      ["2026-11-22T10:00:00Z", "2026-11-22t10:00:00.5z", "2026-11-22 10:00:00+01:00"],
      ["2026-11-22", "2026-11-31T10:00:00Z", "2026-11-22T10:00:00"],
    ],
    ["duration", ["P1D", "P1Y2M3D", "PT1H2M", "P2W", "P1DT1S"], ["P", "PT", "1D", "P1Y2W", "P1Y1D", "P1S"]],
    [
      "email",
      ["a.b@example.com", '"a b"@example.com', "a@[127.0.0.1]", "a@[IPv6:::1]"],
      ["a", "@b", "a@", ".a@b.c", "a..b@c.d", "a@-b.c", "a b@c.d"],
    ],
    ["hostname", ["example.com", "a", "xn--4gbwdl.xn--wgbh1c"], ["", "-a", "a-", "a..b", "a_b", `${"a".repeat(64)}.b`]],
    ["ipv4", ["127.0.0.1", "255.255.255.255"], ["256.0.0.1", "1.2.3", "01.2.3.4", "1.2.3.4.5", "0x7f.1"]],
    [
      "ipv6",
      ["::", "::1", "1:2:3:4:5:6:7:8", "::ffff:1.2.3.4", "1::8"],
      ["1:2:3:4:5:6:7", "1::2::3", "g::", ":::", "1:2:3:4:5:6:7:8:9", "::1.2.3", "1.2.3.4"],
    ],
    [
      "uri",
      ["https://u@e.com:80/a?b#c", "urn:x:y", "mailto:a@b.c", "http://[::1]/"],
      ["/a", "a b:c", "http://[1]/", "http://e.com/%zz", "http://e.com/{x}", "1a:b", "", "a:b#c#d", "http://e.com:a/"],
    ],
    ["uri-reference", ["", "/a", "a/b?c#d", "//e.com/x", "#f"], ["a b", "\\a", "#a#b", "1:2", "%"]],
    ["uri-template", ["/a{/b,c*}{?d:3}", "x"], ["{", "{a b}", "}", "%2", "{a:0}"]],
    ["uuid", ["01234567-89ab-CDEF-0123-456789abcdef"], ["0123456789abcdef0123456789abcdef", "01234567-89ab-cdef-0123-456789abcdeg"]],
    ["json-pointer", ["", "/a/0", "/~0~1"], ["a", "/~", "/~2"]],
    ["json-pointer-uri-fragment", ["#", "#/a%20b"], ["/a", "#a", "#/~", "#/ "]],
    ["relative-json-pointer", ["0", "1/a", "2#"], ["/a", "01", "-1", "1a", "1##"]],
    ["regex", ["a+", "(?=a)"], ["(", "\\Z", "[b-a]"]],
  ])("[G6] %s", (name, good, bad) => {
    const fits = formatOf(name)
    expect(good.filter((text) => fits?.(text) !== true)).toEqual([])
    expect(bad.filter((text) => fits?.(text) !== false)).toEqual([])
  })

  test("[G6] each format judges the longest argument in linear time", () => {
    const baits = ["a", "1:", "a.", "%41", "{a}", "/~0", "-", "@", "::", '"', "P1D"].map((piece) => piece.repeat(250_000 / piece.length))
    const names =
      "date time date-time duration email hostname ipv4 ipv6 uri uri-reference uri-template uuid json-pointer json-pointer-uri-fragment relative-json-pointer"
    for (const name of names.split(" ")) {
      const spent = cpuClock()
      for (const bait of baits) formatOf(name)?.(`${bait}!"`)
      expect([name, spent() < 1_000]).toEqual([name, true])
    }
  })
})
