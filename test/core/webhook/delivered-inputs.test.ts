// What a delivery's values become as a flow's typed inputs [W1].

import { expect, test } from "vitest"
import { checkInputs } from "../../../src/core/flow/flow-inputs.ts"
import { deliveredInputs } from "../../../src/core/webhook/delivered-inputs.ts"
import type { Json } from "../../../src/core/json.ts"

const SPECS = Object.fromEntries(["string", "number", "boolean", "object", "array"].map((type) => [type, { type, required: false }]))
const start = (given: Record<string, Json>) => checkInputs(SPECS, deliveredInputs(SPECS, given))

test("[W1] text of a query, a header or a form is read as the type that the flow declares", () => {
  const given = { string: "5", number: " 5e2 ", boolean: "false", object: '{"a":1}', array: "[1]" }
  expect(start(given)).toEqual({ ok: true, value: { string: "5", number: 500, boolean: false, object: { a: 1 }, array: [1] } })
})

test("[W1] a value that has its type keeps it, and one of another type is refused", () => {
  const given = { string: "null", number: -0.5, boolean: true, object: {}, array: [] }
  expect(start(given)).toEqual({ ok: true, value: given })
  for (const given of [
    { number: "5 apples" },
    { boolean: "yes" },
    { boolean: 1 },
    { number: true },
    { string: [] },
    { array: "{}" },
    { object: [] },
  ])
    expect([given, start(given).ok]).toEqual([given, false])
})

test("[W1] a number and a boolean are an input's text", () => {
  expect(start({ string: 42 })).toEqual({ ok: true, value: { string: "42" } })
  expect(start({ string: false })).toEqual({ ok: true, value: { string: "false" } })
})

test("[W1] null and empty text are no value, but empty text is a string", () => {
  expect(start({ string: null, number: null, boolean: "", object: null, array: " " })).toEqual({ ok: true, value: {} })
  expect(start({ string: "" })).toEqual({ ok: true, value: { string: "" } })
  const required = { n: { type: "number", required: true } }
  expect(checkInputs(required, deliveredInputs(required, { n: null }))).toMatchObject({ ok: false })
})

test("[W1] a default holds for null, and a stranger stays one", () => {
  const specs = { n: { type: "number", required: false, default: 7 } }
  expect(checkInputs(specs, deliveredInputs(specs, { n: null }))).toEqual({ ok: true, value: { n: 7 } })
  expect(checkInputs(specs, deliveredInputs(specs, { toString: "1" }))).toMatchObject({ ok: false })
})
