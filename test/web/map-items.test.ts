// The items of a map, as squares and as a list.

import { expect, test } from "vitest"
import type { Fact, RunEvent } from "../../src/core/run/event.ts"
import { outlineOf } from "../../src/core/run/views/read-outline.ts"
import type { Pass, RunOutline } from "../../src/core/run/views/outline.ts"
import { countsOf, failedFirst, itemsOf, itemsWords, labelOf, listOf, MOST_SQUARES, squaresOf, timesOf } from "../../web/run/map-items.ts"

const journal = (...facts: readonly object[]): RunEvent[] =>
  facts.map((fact, i) => ({ ...(fact as Fact), seq: i + 1, at: 1_000 + i * 10, v: 1, prev: "" }))
const opened = (total: number): object => ({ type: "step.opened", step: "each", stepType: "map", pass: 1, tools: [], total })
const started = (index: number): object => ({ type: "child.started", step: "each", index, run: `run_${index}` })
const ended = (index: number, status = "succeeded"): object => ({
  type: "child.ended",
  step: "each",
  index,
  run: `run_${index}`,
  status,
  summary: status === "failed" ? "it broke" : "",
  usage: { tokens: 7, usd: 0.002, tool_calls: 0, steps: 1 },
})
const asked = (index: number, count: number): object => ({
  type: "child.asked",
  step: "each",
  index,
  run: `run_${index}`,
  open: Array.from({ length: count }, () => ({})),
})

function passOf(...facts: readonly object[]): { readonly pass: Pass; readonly outline: RunOutline } {
  const outline = outlineOf(journal(...facts))
  const pass = outline.steps.get("each")?.passes.at(-1)
  if (!pass) throw new Error("the map did not open")
  return { pass, outline }
}
const indexes = (items: readonly { readonly index: number }[]): number[] => items.map(({ index }) => index)

test("[F23f] each item has its place and how it stands, also before its run begins", () => {
  const { pass } = passOf(opened(5), started(1), started(0), ended(0, "failed"), asked(1, 1), started(2), ended(2))
  const items = itemsOf(pass, ["a", "b", "c"])
  expect(items.map(({ state, label }) => [state, label])).toEqual([
    ["failed", "a"],
    ["asks", "b"],
    ["done", "c"],
    ["to-come", undefined],
    ["to-come", undefined],
  ])
  expect(items[0]?.work).toMatchObject({ message: "it broke", tokens: 7, usd: 0.002 })
  expect(itemsWords(items)).toBe("2 of 5, 1 failed, 1 ask")
})

test("[F23f] children stand in the order of their places, in whatever order they begin", () => {
  const { pass } = passOf(opened(4), started(2), started(0), started(3), started(1))
  expect(pass.works.map(({ index }) => index)).toEqual([0, 1, 2, 3])
})

test("[F23f] a question that is answered is no state of its item any more", () => {
  expect(itemsOf(passOf(opened(1), started(0), asked(0, 2), asked(0, 0)).pass, undefined)[0]?.state).toBe("running")
})

test("[F23f] in the list, what failed is first, then what asks, then what runs", () => {
  const { pass } = passOf(opened(5), started(0), started(1), started(2), started(3), ended(0), ended(3, "failed"), asked(2, 1))
  expect(indexes(failedFirst(itemsOf(pass, undefined)))).toEqual([3, 2, 1, 4, 0])
})

test("[F23f] an item that never began is canceled with its map", () => {
  const finish = { type: "step.finished", step: "each", pass: 1, status: "error", summary: "", files: [], outputs: {} }
  const { pass } = passOf(opened(3), started(0), ended(0, "failed"), finish)
  expect(countsOf(itemsOf(pass, undefined))).toMatchObject({ failed: 1, canceled: 2, "to-come": 0 })
})

test("[F23f] above 600 items a square stands for several, and shows what needs the reader most", () => {
  const { pass } = passOf(opened(MOST_SQUARES), started(0))
  expect(squaresOf(itemsOf(pass, undefined))).toHaveLength(MOST_SQUARES)
  const many = passOf(opened(2 * MOST_SQUARES + 1), started(1), started(5), ended(5, "failed"))
  const squares = squaresOf(itemsOf(many.pass, undefined))
  expect(squares.length).toBeLessThanOrEqual(MOST_SQUARES)
  expect(squares[0]?.state).toBe("running")
  expect(indexes(squares[1]?.items ?? [])).toEqual([3, 4, 5])
  expect(squares[1]?.state).toBe("failed")
  expect(squares.flatMap(({ items }) => items)).toHaveLength(2 * MOST_SQUARES + 1)
})

test("[F23f] the list is what the reference had when the map began: an input, or the output of the pass before", () => {
  const finish = (pass: number, items: readonly string[]): object => ({
    type: "step.finished",
    step: "find",
    pass,
    status: "complete",
    summary: "",
    files: [],
    outputs: { items },
  })
  const find = (pass: number): object => ({ type: "step.opened", step: "find", stepType: "agent", pass, tools: [] })
  const { pass, outline } = passOf(find(1), finish(1, ["old"]), opened(1), find(2), finish(2, ["new"]))
  const view = { inputs: { list: ["given"], text: "no list" } }
  expect(listOf("${{result.find.items}}", view, outline, pass)).toEqual(["old"])
  expect(listOf("${{flow.input.list}}", view, outline, pass)).toEqual(["given"])
  expect(listOf("${{flow.input.text}}", view, outline, pass)).toBeUndefined()
  expect(listOf("${{trigger.body.list}}", view, outline, pass)).toBeUndefined()
  expect(listOf(undefined, view, outline, pass)).toBeUndefined()
})

test("[F23f] an item is named by its text, by what names it, or by its JSON, in one short line", () => {
  expect(labelOf("  first line\nsecond")).toBe("first line")
  expect(labelOf({ amount: 3, title: "Lost invoice" })).toBe("Lost invoice")
  expect(labelOf({ id: 42 })).toBe("42")
  expect(labelOf({ amount: 3, task: "Ticket 50907" })).toBe("Ticket 50907")
  expect(labelOf({ amount: 3 })).toBe('{"amount":3}')
  expect(labelOf("x".repeat(200))).toHaveLength(80)
})

test("[F23f] how long is left follows from those that have ended, and nothing is said of few", () => {
  const few = passOf(opened(3), started(0), ended(0), started(1), ended(1))
  expect(timesOf(itemsOf(few.pass, undefined), 2_000)).toBeUndefined()
  const some = passOf(opened(6), started(0), ended(0), started(1), ended(1), started(2), ended(2))
  // The first begins at 1,010; three of six have ended by 1,070.
  expect(timesOf(itemsOf(some.pass, undefined), 1_070)).toEqual({ half: 10, most: 10, left: 60 })
})
