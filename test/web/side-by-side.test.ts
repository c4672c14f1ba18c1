// Two runs above each other, and the words in which they differ.

import { expect, test } from "vitest"
import type { Fact, RunEvent } from "../../src/core/run/event.ts"
import { outlineOf } from "../../src/core/run/views/read-outline.ts"
import { foldsOf, sideBySide, type ComparedRun, type Pair } from "../../web/run/side-by-side.ts"
import { wordDiff } from "../../web/run/word-diff.ts"

type Timed = readonly [at: number, fact: object]

const compared = (...facts: readonly Timed[]): ComparedRun => {
  const events = facts.map(([at, fact], i): RunEvent => ({ ...(fact as Fact), seq: i + 1, at, v: 1, prev: "" }))
  const source = events.flatMap((e) => (e.type === "run.forked" ? [e.source.at] : [])).at(-1)
  return { story: outlineOf(events), source }
}
const code = (step: string, from: number, to: number): Timed[] => [
  [from, { type: "step.opened", step, stepType: "code", pass: 1, tools: [] }],
  [from, { type: "action.begun", key: `${step}/1/code`, kind: "code", step, attempt: 1 }],
  [to, { type: "step.finished", step, pass: 1, status: "complete", summary: "", files: [], outputs: {} }],
]
const begun = (at: number): Timed => [at, { type: "run.started", run: "r", flow: "f", task: "", inputs: {}, pinned: {} }]
const pair = (step: string, same = false): Pair => ({ step, pass: 1, same })

test("[K17] both part at one place, each with a zero of its own", () => {
  const a = compared(begun(1_000), ...code("one", 1_000, 1_100), ...code("two", 1_100, 1_200))
  const b = compared(begun(9_000), ...code("one", 9_000, 9_300), ...code("two", 9_300, 9_400))
  const pairs = [pair("one", true), pair("two")]
  const { a: left, b: right, parts } = sideBySide(a, b, pairs, pairs[1])
  expect(left.axis.place(left.barsOf(pair("two"))[0]?.from ?? 0)).toBe(parts)
  expect(right.axis.place(right.barsOf(pair("two"))[0]?.from ?? 0)).toBe(parts)
  expect(parts).toBe(75)
  expect([left.took, right.took]).toEqual([200, 400])
  // A began later on the axis that they share.
  expect([left.axis.zero, right.axis.zero]).toEqual([200, 0])
})

test("[K17] a fork goes on where its source was, however long nobody looked", () => {
  const kept = [begun(1_000), ...code("one", 1_000, 1_100)]
  const fork: Timed = [
    900_000,
    { type: "run.forked", run: "r2", source: { run: "r", seq: 4, head: "", at: 1_100 }, by: "", effects: "staged" },
  ]
  const b = compared(...kept, fork, ...code("two", 900_000, 900_050))
  const a = compared(...kept, ...code("two", 1_100, 1_200))
  const { b: right, parts } = sideBySide(a, b, [pair("one", true), pair("two")], pair("two"))
  expect(right.took).toBe(150)
  expect(right.axis.gaps).toEqual([])
  expect(parts).toBe(50)
})

test("[K17] where one run has ended, the other parts at the end of what is alike", () => {
  const a = compared(begun(1_000), ...code("one", 1_000, 1_100))
  const b = compared(begun(1_000), ...code("one", 1_000, 1_100), ...code("two", 1_100, 1_200))
  const pairs = [pair("one", true), pair("two")]
  expect(sideBySide(a, b, pairs, pairs[1]).parts).toBe(50)
  expect(sideBySide(a, b, pairs, pairs[1]).a.barsOf(pair("two"))).toEqual([])
  expect(sideBySide(a, a, [pair("one", true)], undefined).parts).toBeUndefined()
})

test("[K17] equal rows that follow each other are one", () => {
  const folds = foldsOf([pair("a", true), pair("b", true), pair("c"), pair("d", true), pair("e")])
  expect(folds.map(({ pairs }) => pairs.map(({ step }) => step).join())).toEqual(["a,b", "c", "d", "e"])
})

const marked = (a: string, b: string): string[] =>
  wordDiff(a, b).map((pieces) => pieces.map(({ text, isChanged }) => (isChanged ? `[${text}]` : text)).join(""))

test("[K17] the words that differ are marked, and no others", () => {
  expect(marked('{ "amount": 129.00, "currency": "EUR" }', '{ "amount": "12900 cents", "currency": "EUR" }')).toEqual([
    '{ "amount": [129.00], "currency": "EUR" }',
    '{ "amount": ["12900 cents"], "currency": "EUR" }',
  ])
  expect(marked("the same", "the same")).toEqual(["the same", "the same"])
  expect(marked("a b c", "d e f")).toEqual(["[a b c]", "[d e f]"])
  expect(marked("", "all new")).toEqual(["", "[all new]"])
  expect(marked("one two three four", "one 2 three 4")).toEqual(["one [two] three [four]", "one [2] three [4]"])
})

test("[K17] texts that are too long to compare word by word keep their common beginning and end", () => {
  const long = (word: string): string => Array.from({ length: 1_500 }, (_, i) => `${word}${i}`).join(" ")
  const [a, b] = wordDiff(`begin ${long("a")} end`, `begin ${long("b")} end`)
  expect(a.map(({ isChanged }) => isChanged)).toEqual([false, true, false])
  expect(b.at(-1)).toEqual({ text: " end", isChanged: false })
})
