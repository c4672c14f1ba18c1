// The inbox of a team: which asks stand together, which can be answered in one go, and which are out of sight for a while.

import { describe, expect, test } from "vitest"
import { alikeKey, compareCalls } from "../../web/inbox/alike.ts"
import { lineOf, type OpenAsk } from "../../web/inbox/ask.ts"
import { ageStep, choicesIn, filterIn, passing } from "../../web/inbox/ask-filter.ts"
import { alikeTo, groupsOf } from "../../web/inbox/ask-groups.ts"
import { isSnoozed, readSnoozed, snoozeChoices, snoozedWith } from "../../web/inbox/snooze.ts"

const HOUR = 3_600_000
const NOW = Date.parse("2026-11-24T12:00:00.000Z")
const ago = (ms: number): string => new Date(NOW - ms).toISOString()

let n = 0
const ask = (more: Partial<OpenAsk> = {}): OpenAsk => ({
  run: `run_${++n}`,
  id: "int_1",
  kind: "approval.tool",
  flow: "support:refund",
  step: "approve",
  agent: "refunder",
  payload: { tool: "payments.refund", args: { order: String(n), currency: "EUR" }, reason: "policy", hash: `h${n}` },
  created: ago(HOUR),
  ...more,
})
const question = (words: string, more: Partial<OpenAsk> = {}): OpenAsk =>
  ask({ kind: "ask_user", payload: { question: words, type: "select", options: ["a", "b"], agent: "clerk" }, ...more })

describe("alike", () => {
  test("calls are alike by tool, agent and reason, whatever their arguments", () => {
    const one = ask()
    expect(alikeKey(ask())).toBe(alikeKey(one))
    const payload = { ...one.payload }
    for (const other of [
      ask({ agent: "other" }),
      ask({ flow: "support:other" }),
      ask({ payload: { ...payload, tool: "payments.void" } }),
      ask({ payload: { ...payload, reason: "tainted" } }),
    ])
      expect(alikeKey(other)).not.toBe(alikeKey(one))
  })

  test("a call that cannot stand whole in a row is alike to none, nor is a plan, a list of effects or a form", () => {
    const long = ask({ payload: { tool: "mail", args: { text: "x".repeat(5_000) }, reason: "policy" } })
    expect(alikeKey(long)).toBeUndefined()
    expect(alikeKey(ask({ payload: { tool: "mail", omitted: true } }))).toBeUndefined()
    for (const kind of ["approval.plan", "effects", "elicitation"] as const) expect(alikeKey(ask({ kind }))).toBeUndefined()
    expect(alikeTo(long, [long, ask()])).toEqual([])
  })

  test("questions are alike if they ask the same with the same options; budgets if their units are the same", () => {
    expect(alikeKey(question("Which?"))).toBe(alikeKey(question("Which?")))
    expect(alikeKey(question("Which?"))).not.toBe(alikeKey(question("Where?")))
    const budget = (limit: object): OpenAsk => ask({ kind: "budget", payload: { limit: limit as OpenAsk["payload"] } })
    expect(alikeKey(budget({ usd: 1 }))).toBe(alikeKey(budget({ usd: 3 })))
    expect(alikeKey(budget({ usd: 1 }))).not.toBe(alikeKey(budget({ tokens: 3 })))
    expect(alikeKey(ask({ kind: "budget", payload: { scope: "tenant", limit: { usd: 1 } } }))).toBeUndefined()
  })

  test("what is the same in all calls and what differs", () => {
    const calls = [
      { to: "a", text: "x", n: 1 },
      { to: "b", text: "x" },
    ].map((args) => ask({ payload: { tool: "t", args } }))
    expect(compareCalls(calls)).toEqual({ same: { text: "x" }, differing: ["to", "n"] })
  })
})

describe("groups", () => {
  test("by flow and kind: most asks first, oldest first inside, with those that are alike", () => {
    const [young, old] = [ask({ created: ago(HOUR) }), ask({ created: ago(3 * HOUR) })]
    const alone = question("Which?", { created: ago(9 * HOUR) })
    const groups = groupsOf([alone, young, old])
    expect(groups.map(({ title, asks, alike }) => [title, asks.length, alike.length])).toEqual([
      ["support:refund, approvals", 2, 2],
      ["support:refund, questions", 1, 0],
    ])
    expect(groups[0]?.asks).toEqual([old, young])
    expect(alikeTo(young, [alone, young, old])).toEqual([old, young])
    const outside: OpenAsk = { run: null, id: "q_1", kind: "ask_user", payload: {}, created: ago(0) }
    expect(groupsOf([outside])[0]?.title).toBe("Outside a run, questions")
  })

  test("of groups of one size the one that waits longest is first", () => {
    const groups = groupsOf([question("A", { flow: "new", created: ago(1) }), question("B", { flow: "old", created: ago(2) })])
    expect(groups.map(({ key }) => key)).toEqual(["old questions", "new questions"])
  })

  test("the second line is the first line of the task, or where it is asked", () => {
    expect(lineOf(ask({ task: "Refund Mara\nand more" }))).toBe("Refund Mara")
    expect(lineOf(ask())).toBe("support:refund, approve")
    expect(lineOf(ask({ run: null }))).toBe("asked outside a run")
  })
})

describe("filters", () => {
  const rows = [
    ask({ task: "Mara Ilves, order 88213", tags: ["eu"], created: ago(26 * HOUR) }),
    question("Which tone?", { flow: "support:reply", created: ago(HOUR / 2) }),
  ]

  test("by kind, flow, tag, age and words, all of which must hold", () => {
    const count = (text: string): number => passing(rows, filterIn(new URLSearchParams(text)), NOW).length
    const found = [
      "",
      "kind=approvals",
      "flow=support:reply",
      "tag=eu",
      "age=1d",
      "age=15m",
      "q=MARA+refund",
      "q=mara+tone",
      "tag=us",
      "age=1d&kind=questions",
    ]
    expect(found.map(count)).toEqual([2, 1, 1, 1, 1, 2, 1, 0, 0, 0])
    expect(choicesIn(rows)).toEqual({ kind: ["approvals", "questions"], flow: ["support:refund", "support:reply"], tag: ["eu"] })
  })

  test("age in steps", () => {
    expect([0, 16 * 60_000, 2 * HOUR, 5 * HOUR, 25 * HOUR].map((ms) => ageStep(ago(ms), NOW))).toEqual([0, 1, 2, 3, 4])
  })
})

describe("snooze", () => {
  test("an hour, this evening, tomorrow at nine, and an hour before it ends", () => {
    const at = new Date(2026, 10, 24, 14, 20).getTime()
    const [hour, evening, tomorrow, urgent] = snoozeChoices({ expires: new Date(at + 5 * HOUR).toISOString() }, at)
    expect(hour?.until).toBe(at + HOUR)
    expect(evening?.until).toBe(new Date(2026, 10, 24, 18).getTime())
    expect(tomorrow?.until).toBe(new Date(2026, 10, 25, 9).getTime())
    expect(urgent?.until).toBe(at + 4 * HOUR)
    const late = snoozeChoices({}, new Date(2026, 10, 24, 19).getTime())
    expect(late[1]?.label).toBe("4 hours")
    expect(late[3]?.until).toBeUndefined()
    expect(snoozeChoices({ expires: new Date(at + 1).toISOString() }, at)[3]).toMatchObject({ until: undefined, note: "It is urgent now" })
  })

  test("it is out of sight until then, and forgotten once it is over", () => {
    const [one, other] = [ask(), ask()]
    const first = snoozedWith({}, one, NOW + HOUR, NOW)
    expect([isSnoozed(first, one, NOW), isSnoozed(first, one, NOW + 2 * HOUR), isSnoozed(first, other, NOW)]).toEqual([true, false, false])
    expect(Object.keys(snoozedWith(first, other, NOW + 3 * HOUR, NOW + 2 * HOUR))).toHaveLength(1)
    expect(snoozedWith(first, one, undefined, NOW)).toEqual({})
    for (const text of [null, "x", "7", '{"a":"b"}']) expect(readSnoozed(text)).toEqual({})
    expect(readSnoozed(JSON.stringify(first))).toEqual(first)
  })
})
