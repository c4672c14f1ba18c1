// Parsing the text of an OpenAPI document, and refusing expensive input before it costs time [S17].

import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { parse, stringify } from "yaml"
import type { Pieces } from "../../../src/core/pieces.ts"
import { readOpenApiText } from "../../../src/core/tool/openapi-text.ts"
import { amount } from "../../support/amount.ts"

/** All pieces at once, and how many there are. */
function all<T>(pieces: Pieces<T>): { value: T; count: number } {
  for (let count = 1; ; count++) {
    const step = pieces.next()
    if (step.done === true) return { value: step.value, count }
  }
}
const readText = (text: string): unknown => all(readOpenApiText(text)).value

const YAML = "openapi: 3.1.0\npaths:\n  /a: { get: { operationId: a } }\n"
const VALUE = { openapi: "3.1.0", paths: { "/a": { get: { operationId: "a" } } } }

describe("the text of an OpenAPI document", () => {
  test("[T26] YAML and JSON give the same value", () => {
    expect(readText(YAML)).toEqual({ ok: true, value: VALUE })
    expect(readText(JSON.stringify(VALUE))).toEqual({ ok: true, value: VALUE })
  })

  test("[T26] JSON may have any number of parts", () => {
    const large = { ...VALUE, tags: Array.from({ length: 120_000 }, () => 1) }
    expect(readText(JSON.stringify(large))).toEqual({ ok: true, value: large })
  })

  test("[T26] the error for other text names the line", () => {
    expect(readText("a: 1\nb: 2: 3\n")).toEqual({ ok: false, error: expect.stringMatching(/^is neither JSON nor YAML, line 2: /) })
  })

  test("[T26] a second document and an alias are refused", () => {
    expect(readText("a: 1\n---\nb: 1\n")).toEqual({ ok: false, error: expect.stringContaining("more than one YAML document") })
    expect(readText("a: &x [1]\nb: *x\n")).toEqual({ ok: false, error: expect.stringContaining("aliases") })
  })

  test.each([
    ["brackets", "[".repeat(500_000)],
    ["braces", `a: ${"{".repeat(500_000)}`],
    ["dashes", "- ".repeat(300_000)],
    ["indentation", Array.from({ length: 900 }, (_, n) => `${" ".repeat(n)}a:`).join("\n")],
    ["JSON", `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`],
  ])("[S17] deep nesting of %s is refused", (_, text) => {
    expect(readText(text)).toEqual({ ok: false, error: "is nested deeper than 64 levels" })
  })

  test.each([
    ["pairs of braces", "{}".repeat(400_000)],
    ["items", `[${"a,".repeat(400_000)}]`],
    ["quotes", '""\n'.repeat(250_000)],
  ])("[S17] reading stops after 100,000 %s", (_, text) => {
    expect(readText(text)).toEqual({ ok: false, error: expect.stringContaining("has more than 100000 parts") })
  })

  // Comments are made into nothing, so they are the cheapest to read.
  const LAYOUTS = [
    ["comments", `a: 1${" #\n".repeat(2_000)}`.repeat(600)],
    ["lists", "a: [1, 2, 3, 4, 5, 6, 7, 8, 9]\n".repeat(70_000)],
  ] as const
  test.each(LAYOUTS.slice(0, amount(2, 1)))("[S17] reading stops after MAX_PARTS_IN_ALL parts, laid out as %s", (_, text) => {
    expect(readText(text)).toEqual({
      ok: false,
      error: expect.stringContaining("has more than 2000000 parts"),
    })
  })
})

describe("long YAML, which is read in pieces", () => {
  const key = fc.oneof(
    fc.constantFrom(
      "get",
      "/v1/{id}/x:y",
      "200",
      "a b",
      "x-y",
      "__proto__",
      "a:b",
      "#c",
      "- d",
      "? e",
      "e: f",
      "'g'",
      '"',
      "null",
      "~",
      "<<",
      "&h",
      "*i",
      "é",
      "key # no",
    ),
    fc.string({ maxLength: 8 }),
  )
  const text = fc.oneof(
    fc.string({ maxLength: 30 }),
    fc.constantFrom(
      "a: b",
      "- x",
      "one\ntwo: three\n\n  four",
      "# no comment",
      "---",
      "...",
      "\ttab",
      "x".repeat(200),
      "word ".repeat(60),
      "",
      " lead",
      "trail ",
      "a\n\nb\n",
    ),
  )
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      text,
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie("value"), { maxLength: 5 }),
      fc.dictionary(key, tie("value"), { maxKeys: 6, noNullPrototype: true }),
    ),
  }))

  test("[T26] says what the library says, whatever the style", () => {
    let cuts = 0
    fc.assert(
      fc.property(
        fc.dictionary(key, value, { minKeys: 1, noNullPrototype: true }),
        fc.boolean(),
        fc.constantFrom(20, 80, 0),
        fc.constantFrom(1, 2, 4),
        fc.boolean(),
        (one, indentSeq, lineWidth, indent, marked) => {
          const many = {
            ...one,
            long: Object.fromEntries(
              Array.from({ length: 40 }, (_, i) => [`k${i}`, { ...one, list: [one, one], text: "some words ".repeat(30) }]),
            ),
          }
          const yaml = `${marked ? "---\n# a comment\n" : ""}${stringify(many, { indentSeq, lineWidth, indent, aliasDuplicateObjects: false })}`
          const { value: read, count } = all(readOpenApiText(yaml))
          if (count > 3) cuts++
          expect(JSON.stringify(read)).toBe(JSON.stringify({ ok: true, value: parse(yaml, { uniqueKeys: false }) }))
        },
      ),
      { numRuns: amount(150, 20) },
    )
    expect(cuts).toBeGreaterThan(amount(75, 7))
  })

  test("[T26] an error far down names its line", () => {
    const lines = Array.from({ length: amount(5_000, 1_500) }, (_, i) => `  k${i}:\n    a: some words\n    b: [1, 2]`).join("\n")
    expect(readText(`paths:\n${lines}\n  last:\n    b: 2: 3\n`)).toEqual({
      ok: false,
      error: expect.stringMatching(new RegExp(`^is neither JSON nor YAML, line ${amount(15_003, 4_503)}: `)),
    })
    expect(readText(`paths:\n${lines}\n  last: &x 1\n  more: *x\n`)).toEqual({ ok: false, error: expect.stringContaining("aliases") })
    expect(readText(`paths:\n${lines}\n---\nb: 1\n`)).toEqual({ ok: false, error: expect.any(String) })
  })

  test("[T26] [N4] megabytes are read in many short pieces", () => {
    const lines = Array.from({ length: amount(60_000, 20_000) }, (_, i) => `  /k${i}:\n    get:\n      operationId: k${i}\n`).join("")
    const { value: read, count } = all(readOpenApiText(`openapi: 3.0.0\npaths:\n${lines}`))
    expect(read).toMatchObject({ ok: true, value: { openapi: "3.0.0" } })
    expect(count).toBeGreaterThan(amount(100, 33))
  })
})
