// Shapes of messages [H14]: equal for messages that differ only in what differs from run to run; bounded, and linear in the message.

import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { SHAPE_CHARS, SHAPED_CHARS, shapeOf } from "../../../../src/core/run/failure/shape.ts"

describe("the shape of a message", () => {
  test.each([
    ["the provider answered 503", "the provider answered <n>"],
    ["no answer within 30s, 1500 ms or 10000ms", "no answer within <n>s, <n> ms or <n>ms"],
    ['file "a b.md" is missing at line 12:4', "file <text> is missing at line <n>"],
    ["run_k2j4h5g6 of 0b8a4c1e-1111-4222-8333-123456789abc failed", "<id> of <id> failed"],
    ["GET https://api.example.com/v1/x?id=9#f: 404 at 2026-11-22T09:00:00.000Z", "GET <url> <n> at <id>Z"],
    ["can't read 'x y' and don't try", "can't read <text> and don't try"],
    ["sent 1,234.50 to bob7@example.com, not ann@example.com", "sent <n> to <id>, not <id>"],
    ["deadbeefcafebabe is no decade", "<id> is no decade"],
    ["`code` and “quoted” and «cité» on step2", "<text> and <text> and <text> on step<n>"],
    ["  many \n\t spaces  ", "many spaces"],
    ["Incorrect key: [secret:provider/mock].", "Incorrect key: <id>."],
    ["Incorrect key: mk_1f2e3d4c5b.", "Incorrect key: <id>."],
    ["Incorrect key: [key]. See [docs] of [secret]", "Incorrect key: <id>. See [docs] of <id>"],
    ["", ""],
  ])("[H14] %j is %j", (message, shape) => {
    expect(shapeOf(message)).toBe(shape)
  })

  const hex = fc.uuid()
  const values = fc.record({
    n: fc.nat(),
    id: hex,
    text: fc.stringMatching(/^[^"\n]{0,40}$/),
    path: fc.stringMatching(/^[a-z0-9/]{0,30}$/),
  })
  const said = ({ n, id, text, path }: { n: number; id: string; text: string; path: string }): string =>
    `call ${id} of "${text}" to https://host.example/${path} ended with ${n} after ${n}ms`

  test("[H14] is the same whatever the numbers, ids, quoted texts and addresses are", () => {
    fc.assert(
      fc.property(values, values, (a, b) => {
        expect(shapeOf(said(a))).toBe(shapeOf(said(b)))
      }),
    )
  })

  test("[H14] of any text has at most 300 characters, is whole, and has no digits, wherever the text is cut", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 1_500 }), (text) => {
        const shape = shapeOf(text)
        expect(shape.length).toBeLessThanOrEqual(SHAPE_CHARS)
        expect(shape).toBe(
          shapeOf(text.slice(0, SHAPED_CHARS).toWellFormed() === text.slice(0, SHAPED_CHARS) ? text.slice(0, SHAPED_CHARS) : text),
        )
        expect(shape).not.toMatch(/\d/)
      }),
    )
  })

  test("[H14] what comes after the first 1,000 characters does not matter", () => {
    const start = "x ".repeat(SHAPED_CHARS / 2)
    expect(shapeOf(`${start}a`)).toBe(shapeOf(`${start}b`))
  })

  test("[H14] of hostile texts costs no more than of others", () => {
    for (const part of ["'", '"', "a'", "'a", "“", "a-", "1.", "a://", "a+", "@a", "_1-", "`\n", "1:1"]) {
      const before = process.cpuUsage()
      for (let i = 0; i < 200; i++) shapeOf(part.repeat(2_000))
      const { user } = process.cpuUsage(before)
      // 200 texts of 1,000 characters each: a quadratic scan of 1,000 characters would take seconds.
      expect(user, part).toBeLessThan(8_000_000)
    }
  })
})
