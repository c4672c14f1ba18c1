// Filters of hooks [W1]: what they let through, what is refused when it is written, and what they say of a body that they stop.

import { describe, expect, test } from "vitest"
import { filterFault, heldBack } from "../../../src/core/webhook/filter.ts"

const BODY = { title: "TT", n: 7, labels: ["bug", "ui"], nothing: null, deep: { a: [{ b: true }] } }

describe("filter", () => {
  test.each([
    ['title == "TT"', true],
    ['title == "tt"', false],
    ['n >= 7 && title != "x"', true],
    ['n > 7 && title != "x"', false],
    ['missing == "x"', false],
    ['missing != "x"', true],
    ["missing < 3", false],
    ['n == "7"', false],
    ["nothing == null", true],
    ['constructor != "x"', true],
    ["labels.0 != null", true],
    ["deep.a.0.b == true", true],
    ["$.deep.a.0.b == true", true],
  ])("[W1] %s → %s", (filter, passes) => {
    expect(filterFault(filter)).toBeUndefined()
    expect(heldBack(filter, BODY) === undefined).toBe(passes)
  })

  test.each(["rm -rf", "", 'title = "x"', 'a == "x" || b == "y"', "(a == 1)", "a == 'x'", "a ==", "a == 1 &&"])(
    "[W1] %j is not a filter, and lets nothing through",
    (filter) => {
      expect(filterFault(filter)?.message).toMatch(/is not a valid filter/)
      expect(heldBack(filter, BODY)).toContain("is invalid")
    },
  )

  test("[W1] a body that is text has no fields", () => {
    expect(heldBack('length == "4"', "text")).toContain("the body has no length; it is text")
    expect(heldBack(undefined, "text")).toBeUndefined()
  })
})

describe("a path that begins outside the body", () => {
  test.each([
    ["trigger.body.a == 1", "a == 1", "begin inside the body"],
    ["body.a == 1", "a == 1", "write $.body.a"],
    ['n > 2 && trigger.body.issue.state != "open"', 'n > 2 && issue.state != "open"', "trigger.body.issue.state"],
    ['body.a == "b\\"c" && body.d.0 == null', 'a == "b\\"c" && d.0 == null', "body.a"],
  ])("[W1] %s is refused with the right spelling", (filter, suggestion, said) => {
    expect(filterFault(filter)).toEqual({ message: expect.stringContaining(said), suggestion })
    expect(filterFault(suggestion)).toBeUndefined()
  })

  test.each(['trigger.headers.x-github-event == "issues"', "trigger.query.n == 1"])("[W1] %s can never hold", (filter) => {
    expect(filterFault(filter)?.message).toContain("a filter sees only the body")
  })

  test.each<[string, object]>([
    ['body == "hi"', { body: "hi" }],
    ['trigger == "manual"', { trigger: "manual" }],
    ['trigger.kind == "manual"', { trigger: { kind: "manual" } }],
    ["$.body.n == 1", { body: { n: 1 } }],
    ["$.n == 1", { n: 1 }],
    ["$.id == 3", { $: { id: 3 }, id: 4 }],
    // A hook of before goes on as it was.
    ["body.n == 1", { body: { n: 1 } }],
  ])("[W1] %s of %j is the body's own member", (filter, body) => {
    expect(heldBack(filter, JSON.parse(JSON.stringify(body)))).toBeUndefined()
    if (!filter.startsWith("body.")) expect(filterFault(filter)).toBeUndefined()
  })
})

describe("the reason of a filtered delivery", () => {
  test.each<[string, unknown, string]>([
    ["n > 7", BODY, "the filter's n > 7 does not hold: it is 7"],
    ['n == 7 && title == "tt"', BODY, 'the filter\'s title == "tt" does not hold: it is "TT"'],
    ["amount > 100", { amount: "150" }, 'it is "150", text, and is compared with a number'],
    ['n == "7"', BODY, "it is 7, a number, and is compared with text"],
    ["deep == true", BODY, "it is an object, and is compared with a boolean"],
    ["nothing > 1", BODY, "it is null"],
    ["tittle > 1", BODY, "the body has no tittle; did you mean title?"],
    ["deep.b.c == 1", BODY, "the body has no deep.b.c; did you mean deep.a?"],
    ["deep.a.b == 1", BODY, "the body has no deep.a.b; deep.a is a list"],
    ["n.x == 1", BODY, "the body has no n.x; n is a number"],
    ['action == "opened"', { payload: { action: "opened" }, other: 1 }, "the body has no action; write payload.action"],
    ["severity == 1", { x: { y: 1 }, alerting: 2 }, "the body has no severity; it has x, alerting"],
    ["severity == 1", {}, "the body has no severity; it is empty"],
    ["severity == 1", [1], "the body has no severity; it is a list"],
  ])("[W1] %s over %j", (filter, body, reason) => {
    expect(heldBack(filter, JSON.parse(JSON.stringify(body)))).toContain(reason)
  })

  test("[W1] it is short, and lists eight members and counts the others", () => {
    const wide = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`${i}${"q".repeat(300)}`, i]))
    const said = heldBack("amount == 1", wide) ?? ""
    expect(said).toMatch(/… and 22 more$/)
    expect(said.length).toBeLessThan(1_000)
    expect(heldBack(`t == "${"y".repeat(1_500)}"`, { t: "x".repeat(100_000) })?.length).toBeLessThan(400)
  })
})

describe("a form's values", () => {
  test.each<[string, object, boolean]>([
    ["amount > 100", { amount: "150" }, true],
    ["amount > 100", { amount: "99.5" }, false],
    ["amount > 100", { amount: "many" }, false],
    ["amount > 100", { amount: "" }, false],
    ['amount == "150"', { amount: "150" }, true],
    ["paid == true", { paid: "true" }, true],
    ["paid == true", { paid: "yes" }, false],
    ["n.1 == 2", { n: ["1", "2"] }, true],
    ["id == 8202522731445525542", { id: "8202522731445525543" }, false],
    // The JSON in it has types of its own.
    ["payload.n == 7", { payload: { n: "7" } }, false],
    ["payload.n == 7", { payload: { n: 7 } }, true],
  ])("[W1] %s of the form %j: %s", (filter, body, passes) => {
    expect(heldBack(filter, JSON.parse(JSON.stringify(body)), true) === undefined).toBe(passes)
  })

  test("[W1] text of JSON stays text", () => {
    expect(heldBack("amount > 100", { amount: "150" })).toBeDefined()
  })
})

test.each([
  ['body["First Name"] == 1', '["First Name"] == 1'],
  ['trigger.body["a.b"].c == 8202522731445525542', '["a.b"].c == 8202522731445525542'],
  ["body.größe > 1", '["größe"] > 1'],
])("[W1] [F41] %s is refused with a spelling that can be saved", (filter, suggestion) => {
  expect(filterFault(filter)?.suggestion).toBe(suggestion)
  expect(filterFault(suggestion)).toBeUndefined()
})

test("[W1] a reason writes names and digits as a filter does", () => {
  expect(heldBack('["First Name"] == "x"', { "First Name": "y" })).toContain('["First Name"] == "x" does not hold: it is "y"')
  expect(heldBack("id == 8202522731445525542", { id: "8202522731445525543" })).toContain("id == 8202522731445525542 does not hold")
})
