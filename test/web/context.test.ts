// The context of each turn, and what each step has cost.

import { expect, test } from "vitest"
import type { Fact, RunEvent } from "../../src/core/run/event.ts"
import type { Pass, RunOutline } from "../../src/core/run/views/outline.ts"
import { outlineOf } from "../../src/core/run/views/read-outline.ts"
import { contextOf, contextWords, MOST_STEPS, stepCosts } from "../../web/run/context.ts"

const journal = (...facts: readonly object[]): RunOutline =>
  outlineOf(facts.map((fact, i): RunEvent => ({ ...(fact as Fact), seq: i + 1, at: 1_000 + i, v: 1, prev: "" })))
const opened = (step: string): object => ({ type: "step.opened", step, stepType: "agent", pass: 1, tools: [] })
const turn = (step: string, no: number, usage: object, cost: number | null = null): object[] => [
  { type: "action.begun", key: `${step}/1/${no}/model`, kind: "model", step, attempt: 1 },
  { type: "model.replied", step, pass: 1, turn: no, key: "k", text: "", toolCalls: [], usage, cost, stopReason: "stop" },
]
const compacted = (step: string): object => ({ type: "context.compacted", step, kind: "summary", upTo: 1, bytes: 10 })
const passOf = (outline: RunOutline): Pass => outline.steps.get("a")?.passes[0] as Pass

test("[J23] the context of a turn is what was read, from cache and anew; a turn after a compaction says so", () => {
  const outline = journal(
    opened("a"),
    ...turn("a", 0, { input: 100, output: 10 }),
    ...turn("a", 1, { input: 300, output: 20, cacheRead: 90 }),
    compacted("a"),
    ...turn("a", 2, { input: 150, output: 5, cacheRead: 200 }),
  )
  const bars = contextOf(passOf(outline))
  expect(bars).toEqual([
    { turn: 0, cached: 0, anew: 100, written: 10, isShortened: false },
    { turn: 1, cached: 90, anew: 210, written: 20, isShortened: false },
    { turn: 2, cached: 150, anew: 0, written: 5, isShortened: true },
  ])
  expect(contextWords(bars)).toBe("Context of 3 turns: at most 300 tokens, 44% from cache, shortened once")
})

test("[J23] a turn without a reply has no size yet", () => {
  const outline = journal(opened("a"), { type: "action.begun", key: "a/1/0/model", kind: "model", step: "a", attempt: 1 })
  expect(contextOf(passOf(outline))).toEqual([])
})

test("[B3] the dearest steps come first, the others are one, and shares add up", () => {
  const names = Array.from({ length: MOST_STEPS + 2 }, (_, i) => `s${i}`)
  const { unit, parts } = stepCosts(
    journal(...names.flatMap((step, i) => [opened(step), ...turn(step, 0, { input: 1, output: 1 }, (i + 1) / 100)])),
  )
  expect(unit).toBe("usd")
  expect(parts.map(({ step }) => step)).toEqual([...names.toReversed().slice(0, MOST_STEPS), undefined])
  expect(parts.at(-1)?.amount).toBeCloseTo(0.03)
  expect(parts.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1)
})

test("[B3] where no model has a price, tokens are compared", () => {
  const { unit, parts } = stepCosts(
    journal(opened("a"), ...turn("a", 0, { input: 30, output: 10 }), opened("b"), ...turn("b", 0, { input: 50, output: 10 })),
  )
  expect(unit).toBe("tokens")
  expect(parts).toEqual([
    { step: "b", amount: 60, share: 0.6 },
    { step: "a", amount: 40, share: 0.4 },
  ])
})
