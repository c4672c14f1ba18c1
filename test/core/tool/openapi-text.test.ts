// Parsing the text of an OpenAPI document, and refusing expensive input before it costs time [S17].

import { describe, expect, test } from "vitest"
import { readOpenApiText } from "../../../src/core/tool/openapi-text.ts"

const YAML = "openapi: 3.1.0\npaths:\n  /a: { get: { operationId: a } }\n"
const VALUE = { openapi: "3.1.0", paths: { "/a": { get: { operationId: "a" } } } }

describe("the text of an OpenAPI document", () => {
  test("[T26] YAML and JSON give the same value", () => {
    expect(readOpenApiText(YAML)).toEqual({ ok: true, value: VALUE })
    expect(readOpenApiText(JSON.stringify(VALUE))).toEqual({ ok: true, value: VALUE })
  })

  test("[T26] JSON may have any number of parts", () => {
    const large = { ...VALUE, tags: Array.from({ length: 120_000 }, () => 1) }
    expect(readOpenApiText(JSON.stringify(large))).toEqual({ ok: true, value: large })
  })

  test("[T26] the error for other text names the line", () => {
    expect(readOpenApiText("a: 1\nb: 2: 3\n")).toEqual({ ok: false, error: expect.stringMatching(/^is neither JSON nor YAML, line 2: /) })
  })

  test("[T26] a second document and an alias are refused", () => {
    expect(readOpenApiText("a: 1\n---\nb: 1\n")).toEqual({ ok: false, error: expect.stringContaining("more than one YAML document") })
    expect(readOpenApiText("a: &x [1]\nb: *x\n")).toEqual({ ok: false, error: expect.stringContaining("aliases") })
  })

  test.each([
    ["brackets", "[".repeat(500_000)],
    ["braces", `a: ${"{".repeat(500_000)}`],
    ["dashes", "- ".repeat(300_000)],
    ["indentation", Array.from({ length: 900 }, (_, n) => `${" ".repeat(n)}a:`).join("\n")],
    ["JSON", `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`],
  ])("[S17] deep nesting of %s is refused", (_, text) => {
    expect(readOpenApiText(text)).toEqual({ ok: false, error: "is nested deeper than 64 levels" })
  })

  test.each([
    ["pairs of braces", "{}".repeat(400_000)],
    ["keys", "a:\n".repeat(250_000)],
    ["items", `[${"a,".repeat(400_000)}]`],
    ["quotes", '""\n'.repeat(250_000)],
  ])("[S17] reading stops after 100,000 %s", (_, text) => {
    expect(readOpenApiText(text)).toEqual({ ok: false, error: expect.stringContaining("has more than 100000 parts") })
  })
})
