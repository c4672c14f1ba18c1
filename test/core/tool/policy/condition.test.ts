// Conditions: their meaning, the positions of errors, and that no text or value makes them slow or makes them throw.

import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { evaluate, parseCondition, passes, type Condition } from "../../../../src/core/tool/policy/condition.ts"
import type { Json } from "../../../../src/core/json.ts"

const read = (text: string): Condition => {
  const condition = parseCondition(text, { root: "args" })
  if (!condition.ok) throw new Error(`${text}: ${condition.error.message} at ${condition.error.at}`)
  return condition.value
}
const asks = (text: string, args: Json): boolean | "unknown" => evaluate(read(text), args)

describe("conditions of approvals", () => {
  test.each<[string, Json, boolean | "unknown"]>([
    ["args.amount > 10000", { amount: 9999 }, false],
    ["args.amount > 10000", { amount: 10000 }, false],
    ["args.amount > 10000", { amount: 10001 }, true],
    ["args.amount >= 10000", { amount: 10000 }, true],
    ["args.amount < 0", { amount: -0.5 }, true],
    ["args.amount <= -1.5e2", { amount: -150 }, true],
    ['args.to == "bob"', { to: "bob" }, true],
    ['args.to != "bob"', { to: "bob" }, false],
    ['args.to < "b"', { to: "abc" }, true],
    ['args.text == "say \\"hi\\"\\n"', { text: 'say "hi"\n' }, true],
    ["args.force == true", { force: false }, false],
    ["args.note == null", { note: null }, true],
    ["args.note == null", { note: "x" }, false],
    ["args.note != null", { note: 0 }, true],
    ["args.a.b.c == 1", { a: { b: { c: 1 } } }, true],
    ["args.list.1 == 2", { list: [1, 2] }, true],
    ["  args.a==1&&args.b==2  ", { a: 1, b: 2 }, true],
    ["args.a == 1 && args.b == 2", { a: 1, b: 3 }, false],
    ["args.a == 1 || args.b == 2", { a: 0, b: 2 }, true],
    ["args.a == 1 || args.b == 2 && args.c == 3", { a: 1, b: 0, c: 0 }, true],
    ["args.a == 1 && args.b == 2 || args.c == 3", { a: 0, b: 2, c: 3 }, true],
  ])("[Q4] %s of %j is %s", (text, args, expected) => {
    expect(asks(text, args)).toBe(expected)
  })

  test.each<[string, Json]>([
    ["args.amount > 10000", {}],
    ["args.amount > 10000", { amount: "10001" }],
    ["args.amount > 10000", { amount: null }],
    ["args.amount > 10000", { amount: [10001] }],
    ['args.to == "bob"', { to: { name: "bob" } }],
    ["args.a.b == 1", { a: "b" }],
    ["args.a.b == 1", { a: null }],
    ["args.list.length == 0", { list: [] }],
    ["args.constructor != null", {}],
    ["args.__proto__.x == 1", {}],
    ["args.toString == null", {}],
    ["args.missing == null", {}],
    ["args.a == 1 && args.b == 2", { a: 0 }],
    ["args.a == 1 || args.b == 2", { a: 1 }],
  ])("[Q4] %s over %j cannot be decided, so it asks", (text, args) => {
    expect(asks(text, args)).toBe("unknown")
  })

  test("[Q4] an own property with the name of a method is found like any other", () => {
    expect(asks("args.constructor == 1", JSON.parse('{"constructor": 1}'))).toBe(true)
    expect(asks("args.__proto__.x == 1", JSON.parse('{"__proto__": {"x": 1}}'))).toBe(true)
  })

  test.each<[string, number]>([
    ["", 0],
    ["amount > 1", 0],
    ["args > 1", 0],
    ["argsx.a > 1", 0],
    ["args.amount", 11],
    ["args.amount =", 12],
    ["args.amount = 1", 12],
    ["args.amount === 1", 14],
    ["args.amount >", 13],
    ["args.amount > args.b", 14],
    ["args.amount > 'x'", 14],
    ['args.to == "open', 11],
    ['args.to == "bad \\q"', 11],
    ["args.to == bob", 11],
    ["args.a == 01", 10],
    ["args.a == 1.2.3", 10],
    ["args.a > true", 9],
    ["args.a >= null", 10],
    ["(args.a == 1)", 0],
    ["!args.a == 1", 0],
    ["args.a == 1 &", 12],
    ["args.a == 1 && ", 15],
    ["args.a == 1 and args.b == 1", 12],
    ["args..a == 1", 0],
    ["args.a[0] == 1", 6],
    ["args.a == 1; drop", 11],
    ["args.a == 1e999", 10],
  ])("[Q4] %j is not a condition, and the error gives the position", (text, at) => {
    const condition = parseCondition(text, { root: "args" })
    expect(condition.ok ? condition : condition.error.at).toBe(at)
    if (!condition.ok) expect(condition.error.message.length).toBeGreaterThan(10)
  })

  test("[Q4] length and number of comparisons are limited", () => {
    expect(parseCondition(`args.a == "${"x".repeat(2000)}"`).ok).toBe(false)
    const of = (n: number): string => Array.from({ length: n }, () => "a.b == 1").join(" && ")
    expect([parseCondition(of(50)).ok, parseCondition(of(51)).ok]).toEqual([true, false])
  })
})

describe("filters of webhooks", () => {
  const filter = (text: string): Condition => {
    const condition = parseCondition(text, { or: false })
    if (!condition.ok) throw new Error(condition.error.message)
    return condition.value
  }

  test.each<[string, Json, boolean]>([
    ['action == "opened"', { action: "opened" }, true],
    ['action == "opened"', { action: "closed" }, false],
    ['action == "opened"', {}, false],
    ['action != "opened"', {}, true],
    ["n > 1", {}, false],
    ["n > 1", { n: "2" }, false],
    ["n == 2", { n: "2" }, false],
    ["n != 2", { n: "2" }, true],
    ['a.b == "x" && n >= 2', { a: { b: "x" }, n: 2 }, true],
    ["toString == null", {}, false],
    ["pull_request.user.login != null", { pull_request: { user: { login: "ada" } } }, true],
  ])("[Q4] %s of %j is %s", (text, body, expected) => {
    expect(passes(filter(text), body)).toBe(expected)
  })

  test("[Q4] they are joined by && only, and a shell command is not a filter", () => {
    expect(parseCondition("a == 1 || b == 2", { or: false }).ok).toBe(false)
    expect(parseCondition("rm -rf", { or: false }).ok).toBe(false)
  })
})

describe("hostile input", () => {
  test("[Q4] no text makes the parser throw or hang, and no parsed condition throws", () => {
    const pieces = fc.constantFrom(
      "args.",
      "a",
      ".",
      "==",
      "&&",
      "||",
      "<",
      '"',
      "\\",
      "1",
      "-",
      " ",
      "null",
      "(",
      "args.a == 1",
      "😀",
      "\u0000",
    )
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(pieces, { maxLength: 60 }).map((p) => p.join("")),
        ),
        fc.jsonValue(),
        (text, value) => {
          for (const form of [{ root: "args" }, {}, { or: false }]) {
            const condition = parseCondition(text, form)
            if (!condition.ok) expect(condition.error.at).toBeLessThanOrEqual(Math.max(text.length, 2000))
            else {
              expect([true, false, "unknown"]).toContain(evaluate(condition.value, value as Json))
              expect(typeof passes(condition.value, value as Json)).toBe("boolean")
            }
          }
        },
      ),
      { numRuns: 2000 },
    )
  })

  test("[Q4] a condition built from values evaluates as the values do", () => {
    const comparison = fc.record({
      key: fc.constantFrom("a", "b", "c"),
      op: fc.constantFrom("==", "!=", "<", "<=", ">", ">="),
      value: fc.oneof(fc.integer(), fc.string({ maxLength: 5 })),
    })
    const holds = (x: unknown, op: string, y: string | number): boolean | undefined => {
      if (typeof x !== typeof y) return undefined
      const [l, r] = [x as string, y as string]
      return { "==": l === r, "!=": l !== r, "<": l < r, "<=": l <= r, ">": l > r, ">=": l >= r }[op]
    }
    fc.assert(
      fc.property(
        fc.array(fc.array(comparison, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 }),
        fc.dictionary(fc.constantFrom("a", "b", "c"), fc.oneof(fc.integer(), fc.string({ maxLength: 5 }))),
        (any, args) => {
          const text = any.map((all) => all.map((c) => `args.${c.key} ${c.op} ${JSON.stringify(c.value)}`).join(" && ")).join(" || ")
          const each = any.map((all) => all.map((c) => holds(Object.hasOwn(args, c.key) ? args[c.key] : undefined, c.op, c.value)))
          const expected = each.flat().includes(undefined) ? "unknown" : each.some((all) => all.every((h) => h === true))
          expect(evaluate(read(text), args)).toBe(expected)
        },
      ),
      { numRuns: 500 },
    )
  })
})
