// The faults that a body's schema finds, in the API's words [H3].

import { describe, expect, test } from "vitest"
import { z } from "zod"
import { bodyFaults } from "../../../src/core/schema/body-faults.ts"

const Body = z.strictObject({
  name: z.string().min(1).max(3).exactOptional(),
  most: z.number().min(0).lt(10).exactOptional(),
  tags: z.array(z.string()).min(2).max(3).exactOptional(),
  kept: z.union([z.number(), z.string()]).exactOptional(),
  to: z.union([z.strictObject({ url: z.string(), secret: z.string() }), z.strictObject({ binding: z.string() })]).exactOptional(),
  budget: z.strictObject({ tokens: z.int().exactOptional() }).exactOptional(),
  prices: z.record(z.string(), z.strictObject({ input: z.number() })).exactOptional(),
  named: z.record(z.string().max(3), z.number()).exactOptional(),
  steps: z.array(z.strictObject({ id: z.string() })).exactOptional(),
  own: z.string().max(2, "must fit its column").exactOptional(),
})
const faultsOf = (value: unknown, most = 50) => bodyFaults(Body, value, Body.safeParse(value).error?.issues ?? [], most)

describe("faults of a body", () => {
  test.each([
    [{ name: "" }, "/name", "must not be empty"],
    [{ name: "abcd" }, "/name", "has 4 characters; at most 3 are allowed"],
    [{ name: 5 }, "/name", "must be a string"],
    [{ most: -1 }, "/most", "must be 0 at least"],
    [{ most: 10 }, "/most", "must be less than 10"],
    [{ tags: [] }, "/tags", "must have at least 2 items"],
    [{ tags: ["a", "b", "c", "d"] }, "/tags", "has 4 items; at most 3 are allowed"],
    [{ tags: {} }, "/tags", "must be an array"],
    [{ kept: [] }, "/kept", "must be a number or a string"],
    [{ to: { url: "x" } }, "/to/secret", "is required"],
    [{ to: 5 }, "/to", "must be an object"],
    [{ budget: { tokens: 1.5 } }, "/budget/tokens", "must be a whole number"],
    [{ prices: [] }, "/prices", "must be an object"],
    [{ named: { abcd: 1 } }, "/named/abcd", "the name has 4 characters; at most 3 are allowed"],
    [{ own: "abc" }, "/own", "must fit its column, but has 3"],
  ])("[H3] %j", (value, pointer, message) => {
    expect(faultsOf(value)).toEqual([{ pointer, message }])
  })

  test.each([
    [{ nmae: 1 }, "/nmae", 'did you mean "name"?'],
    [{ budget: { token: 1 } }, "/budget/token", 'did you mean "tokens"?'],
    [{ budget: { zzzzzz: 1 } }, "/budget/zzzzzz", "known fields: tokens"],
    [{ prices: { "a/b": { input: 1, inptu: 1 } } }, "/prices/a~1b/inptu", 'did you mean "input"?'],
    [{ steps: [{ id: "a" }, { id: "b", idd: 1 }] }, "/steps/1/idd", 'did you mean "id"?'],
  ])("[H3] %j: an unknown field, however deep, is reported with the nearest known field", (value, pointer, suggestion) => {
    expect(faultsOf(value)).toMatchObject([{ pointer, message: expect.stringContaining("unknown field"), suggestion }])
  })

  test("[H3] never more faults than requested", () => {
    expect(faultsOf(Object.fromEntries(Array.from({ length: 99 }, (_, n) => [`no${n}`, n])), 7)).toHaveLength(7)
  })
})
