// Whole numbers from outside keep their digits [H3], wherever JSON or YAML comes in.

import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { checkInputs } from "../../../src/core/flow/flow-inputs.ts"
import { deliveredInputs } from "../../../src/core/webhook/delivered-inputs.ts"
import { jsonOf, readYaml } from "../../../src/core/flow/parse/source.ts"
import type { Json } from "../../../src/core/json.ts"
import { exactJson, isInexact } from "../../../src/core/outside/exact-json.ts"
import { jsonPieces } from "../../../src/core/outside/json-pieces.ts"
import { evaluate, parseCondition } from "../../../src/core/tool/policy/condition.ts"
import { readCalls } from "../../../src/core/run/session/calls.ts"
import { validateArgs } from "../../../src/core/schema/validate-args.ts"
import { heldBack } from "../../../src/core/webhook/filter.ts"
import { given, rendered } from "../../../src/core/webhook/mapping.ts"
import { formBody } from "../../../src/core/webhook/payload.ts"
import { checkConfig } from "../../../src/engine/catalog/config/config-value.ts"
import { hookBody } from "../../../src/http/hooks/hook-body.ts"
import { cpuClock } from "../../support/cpu-clock.ts"
import { worked } from "../../support/worked.ts"

/** Two ids that are one number. */
const ID = "1790345128833417219"
const NEXT = "1790345128833417220"

const read = (text: string): Json => exactJson(text) as Json

describe("a whole number of many digits", () => {
  test.each([
    [`{"id":${ID},"n":7}`, { id: ID, n: 7 }],
    [`[ -${ID} , ${NEXT}\n]`, [`-${ID}`, NEXT]],
    [ID, ID],
    ["9007199254740993", "9007199254740993"],
    ["9007199254740992", 9007199254740992],
    // A number writes these as they are.
    ["[100000000000000000000,1790345128833417200]", [100000000000000000000, 1790345128833417200]],
    [
      "[0.12345678901234567890,1.7903451288334172e18,-12345678901234567.5]",
      [0.12345678901234568, 1.7903451288334172e18, -12345678901234568],
    ],
    [`{"a\\\\":${ID},"b\\"":"x, ${ID}, \\"${NEXT}","${ID}":[]}`, { "a\\": ID, 'b"': `x, ${ID}, "${NEXT}`, [ID]: [] }],
  ])("[H3] %s is read with its digits", (text, value) => {
    expect(read(text)).toEqual(value)
  })

  test("[H3] what is no JSON stays none, and its fault has the place of the text as it is", () => {
    const broken = [
      `{${ID}:1}`,
      `{"a":1,${ID} :2}`,
      `0${ID}`,
      `+${ID}`,
      `1 ${ID}`,
      `"a"${ID}`,
      `[${ID}`,
      `{"a":${ID}"b"}`,
      `[${ID},]`,
      `"${ID}`,
    ]
    for (const text of broken) expect(() => read(text), text).toThrow(SyntaxError)
    const told = (f: () => unknown): string => {
      try {
        f()
      } catch (e) {
        return String(e)
      }
      return ""
    }
    const text = `{"a":${ID},\n "b":${ID} oops}`
    expect(told(() => read(text))).toBe(told(() => JSON.parse(text)))
  })

  test("[H3] one that no number can hold at all is still too large", () => {
    expect(read(`[${"9".repeat(400)}]`)).toEqual([Number.POSITIVE_INFINITY])
  })

  test("[K18] what this service wrote is read as it was, at one go and in pieces", () => {
    const values = fc.jsonValue({ noUnicodeString: false }).map((v) => JSON.stringify(v))
    const whole = fc
      .oneof(
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.integer().map((n) => n * 1e12),
      )
      .map((v) => JSON.stringify({ v, w: [v, "1234567890123456789"] }))
    fc.assert(
      fc.property(fc.oneof(values, whole), (text) => {
        expect(read(text)).toEqual(JSON.parse(text))
      }),
      { numRuns: 400 },
    )
  })

  test("[H3] any text is read as JSON.parse reads it, but for such numbers", () => {
    const parts = fc.constantFrom('"', "\\", ID, NEXT, "12", "-", "[", "]", "{", "}", ",", ":", " ", "\n", "e5", ".5", "a", "null")
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 12 }), (list) => {
        const text = list.join("")
        let value: unknown
        try {
          value = JSON.parse(text)
        } catch {
          expect(() => read(text)).toThrow(SyntaxError)
          return
        }
        const rounded = JSON.parse(JSON.stringify(read(text)), (_, v: unknown) =>
          typeof v === "string" && isInexact(v) ? Number(v) : v,
        ) as unknown
        const expected = JSON.parse(JSON.stringify(value), (_, v: unknown) =>
          typeof v === "string" && isInexact(v) ? Number(v) : v,
        ) as unknown
        expect(rounded).toEqual(expected)
      }),
      { numRuns: 2_000 },
    )
  })

  test("[N4] a megabyte is read in linear time, whatever it is", () => {
    const times = (many: number): string[] => [
      `[${Array.from({ length: many / 20 }, () => ID).join(",")}]`,
      `["${"x".repeat(many)}",${ID}]`,
      `["${'\\"'.repeat(many / 2)}",${ID}]`,
      `["${"\\\\".repeat(many / 2)}",${ID}]`,
      `[${" ".repeat(many / 2)}${ID}${" ".repeat(many / 2)}]`,
      `[${"1".repeat(many)}x`,
      `[${`${ID} `.repeat(many / 20)}]`,
      `[${`"",`.repeat(many / 3)}${ID}]`,
    ]
    for (const text of times(1_000_000)) {
      const spent = cpuClock()
      try {
        read(text)
      } catch {
        // No JSON.
      }
      expect(spent(), text.slice(0, 30)).toBeLessThan(1_500)
    }
  })

  test("[N4] and so it is in pieces, large or small", () => {
    for (const pad of ["", "x".repeat(100_000)]) {
      const pieces = jsonPieces(`{"pad":"${pad}","id":${ID},"n":12}`)
      let next = pieces.next()
      while (next.done !== true) next = pieces.next()
      expect(next.value).toEqual({ ok: true, value: { pad, id: ID, n: 12 } })
    }
  })
})

describe("a delivery", () => {
  const body = worked(hookBody(new TextEncoder().encode(`{"id":${ID},"user":{"id":${NEXT}},"n":3}`), "application/json")).value
  const payload = { headers: {}, query: {}, body: body.ok ? body.value : null }

  test("[W2] keeps the digits for dedupe, filter, task and inputs", () => {
    expect(rendered("${{trigger.body.id}}", payload)).toBe(ID)
    expect(given({ task: "No. ${{trigger.body.user.id}}", inputs: { id: "${{trigger.body.id}}" } }, payload)).toMatchObject({
      value: { task: `No. ${NEXT}`, inputs: { id: ID } },
    })
    for (const [filter, passes] of [
      [`id == ${ID}`, true],
      [`id == "${ID}"`, true],
      [`id == ${NEXT}`, false],
      [`id != ${NEXT}`, true],
      // The number nearest to the id is another id.
      ["id == 1790345128833417200", false],
      [`id < ${NEXT}`, true],
      [`user.id > ${ID}`, true],
      [`id <= ${ID}`, true],
      ["id > 7", true],
      ["id < 2.5", false],
      ["id >= 1790345128833417200", true],
      [`n < ${ID}`, true],
      [`n > -${ID}`, true],
      ['id > "2"', false],
    ] as const)
      expect([filter, heldBack(filter, payload.body) === undefined]).toEqual([filter, passes])
  })

  test("[W2] also in the payload of a form", () => {
    expect(worked(formBody(new URLSearchParams({ payload: `{"id":${ID}}` }))).value).toEqual({ payload: { id: ID } })
  })

  test("[W1] an input that is a number is not given another one: the start says what to do", () => {
    const specs = { id: { type: "number", required: true }, note: { type: "string", required: false } }
    for (const value of [ID, ` ${ID} `]) {
      const checked = checkInputs(specs, deliveredInputs(specs, { id: value, note: ID }))
      expect(checked).toMatchObject({
        ok: false,
        error: [{ pointer: "/inputs/id", message: expect.stringContaining("a string keeps any") }],
      })
    }
    expect(deliveredInputs({ list: { type: "array" } }, { list: `[${ID}]` })).toEqual({ list: [ID] })
  })
})

describe("a model's arguments", () => {
  const schema = { type: "object", properties: { id: { type: "string" }, n: { type: "integer" }, x: { type: "number" } } }
  const args = (text: string) => validateArgs(schema, readCalls([{ id: "a", name: "t", args: text }])[0]?.args)

  test("[G6] a text gets every digit, and a number is refused with the reason instead of another number", () => {
    expect(args(`{"id":${ID}}`)).toEqual({ ok: true, value: { id: ID } })
    for (const name of ["n", "x"])
      for (const said of [ID, `"${ID}"`, `" -${ID}"`])
        expect(args(`{"${name}":${said}}`)).toMatchObject({
          ok: false,
          error: [{ path: `/${name}`, message: expect.stringMatching(name === "n" ? /integer/ : /number/) }],
        })
    expect(args(`{"n":${ID}}`)).toMatchObject({
      error: [{ message: expect.stringContaining("up to 9007199254740991; a string keeps any") }],
    })
    expect(args('{"x":"100000000000000000000","n":"9007199254740991"}')).toMatchObject({ value: { x: 1e20, n: 9007199254740991 } })
  })

  test("[Q4] a condition of an approval compares the number that was meant", () => {
    const asks = (text: string, id: Json) => {
      const condition = parseCondition(text, { root: "args" })
      return condition.ok ? evaluate(condition.value, { id }) : condition.error
    }
    expect(asks("args.id > 100", read("99999999999999999999"))).toBe(true)
    expect(asks(`args.id == ${ID}`, read(NEXT))).toBe(false)
    expect(asks(`args.id == ${ID}`, read(ID))).toBe(true)
    expect(asks(`args.id == ${ID}`, "no number")).toBe("unknown")
    expect(asks(`args.id == "${ID}"`, "no number")).toBe(false)
    expect(asks(`args.id == "${ID}"`, read(ID))).toBe(true)
    expect(asks("args.id > 100", "no number")).toBe("unknown")
    expect(asks(`args.id > ${ID}`, true)).toBe("unknown")
  })
})

describe("a file", () => {
  test("[F1] a whole number in YAML keeps its digits", () => {
    const { root } = readYaml(
      `a: ${ID}\nb: +0${ID}\nc: -${ID}\nd: [9007199254740991, 100000000000000000000, 007]\ne: "${ID}"\nf: !!int ${ID}\n`,
      "FV",
    )
    expect(root && jsonOf(root)).toEqual({ a: ID, b: ID, c: `-${ID}`, d: [9007199254740991, 100000000000000000000, 7], e: ID, f: ID })
  })

  test("[F79] the bounds of a tool's schema stay numbers, and a schedule's inputs keep their digits", () => {
    const tool = checkConfig(
      "tool",
      "find",
      "description: d\nparameters: { type: object, properties: { n: { type: integer, description: d, maximum: 9223372036854775807 } } }\nrequest: { method: GET, url: 'https://a.example.com/' }\n",
    )
    expect(tool.diagnostics.filter((d) => d.severity === "error")).toEqual([])
    expect(JSON.stringify(tool.value)).toContain('"maximum":9223372036854776000')
    const schedule = checkConfig("schedule", "s", `flow: f\ncron: "0 0 * * *"\ninputs: { id: ${ID} }\n`)
    expect(schedule.value).toMatchObject({ value: { inputs: { id: ID } } })
  })
})
