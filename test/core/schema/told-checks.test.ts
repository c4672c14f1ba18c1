// [H3] A library's dump of checks, as a person reads it.

import { describe, expect, test } from "vitest"
import { z } from "zod"
import { toldChecks } from "../../../src/core/schema/told-checks.ts"

const dumpOf = (schema: z.ZodType, value: unknown): string => {
  const { error } = schema.safeParse(value)
  if (error === undefined) throw new Error("it fits")
  return error.message
}
const Tool = z.object({ name: z.string(), kind: z.enum(["a", "b"]).optional(), schema: z.object({ type: z.literal("object") }).strict() })
const List = z.object({ tools: z.array(Tool), next: z.union([z.object({ at: z.object({ id: z.number() }) }), z.null()]).optional() })
const fit = { name: "x", schema: { type: "object" } }

describe("[H3] a dump of checks is told as a sentence", () => {
  test.for<[unknown, string]>([
    [{ tools: [fit, { ...fit, name: 7 }] }, "/tools/1/name must be a string, and is number"],
    [{ tools: [{ ...fit, name: undefined }] }, "/tools/0/name is missing"],
    [{ tools: null }, "/tools must be an array, and is null"],
    [{ tools: [{ ...fit, schema: { type: "string" } }] }, '/tools/0/schema/type must be "object"'],
    [{ tools: [{ ...fit, kind: "c" }] }, "/tools/0/kind must be one of a, b"],
    [{ tools: [{ ...fit, schema: { type: "object", more: 1, most: 2 } }] }, "/tools/0/schema has the unknown fields more, most"],
    [{ tools: [], next: { at: { id: "7" } } }, "/next/at/id must be a number, and is string"],
    [7, "it must be an object, and is number"],
    [{ tools: [{}, {}, {}] }, "/tools/0/name is missing, /tools/0/schema is missing, /tools/1/name is missing, and 3 more faults"],
  ])("%j", ([value, told]) => {
    expect(toldChecks(dumpOf(List, value))).toBe(told)
    expect(toldChecks(`Invalid result for tools/list: ${dumpOf(List, value)}`)).toBe(`Invalid result for tools/list: ${told}`)
    const typed = `Type validation failed: Value: ${JSON.stringify(value)}.\nError message: ${dumpOf(List, value)}`
    expect(toldChecks(typed)).toBe(`Type validation failed: ${told}`)
  })

  test.each([
    "plain",
    "a list [1, 2]",
    '[{"a": 1}]',
    '[{"code": "x"}]',
    '[{"code": "x", "path": 7, "message": "y"}]',
    '[{"code": ',
    "",
    '{"error": "x"}',
  ])("%j is no dump", (text) => {
    expect(toldChecks(text)).toBe(text)
  })

  test("a text of any size is read in time that grows with it", () => {
    for (const text of ['[{"code":'.repeat(20_000) + "]", "[".repeat(150_000) + "]", " ".repeat(190_000) + "]"])
      expect(toldChecks(text)).toBe(text)
    const longest = dumpOf(List, 7).padStart(200_000)
    expect([toldChecks(longest), toldChecks(` ${longest}`)]).toEqual(["it must be an object, and is number", ` ${longest}`])
  })
})
