// What the page of a run says of a provider that was down.

import { expect, test } from "vitest"
import type { Fact, RunEvent } from "../../src/core/run/event.ts"
import { outageOf } from "../../web/run/outage.ts"
import { type RunOutline } from "../../src/core/run/views/outline.ts"
import { outlineOf } from "../../src/core/run/views/read-outline.ts"

function storyWith(...messages: readonly string[]): RunOutline {
  const facts: Fact[] = [
    { type: "step.opened", step: "a", stepType: "agent", agent: "a", pass: 1, tools: [] },
    ...messages.map((message, i): Fact => ({ type: "model.failed", step: "a", turn: 0, key: "a/1/0/model", attempt: i + 1, message })),
  ]
  return outlineOf(facts.map((fact, i): RunEvent => ({ ...fact, seq: i + 1, at: i * 10_000, v: 1, prev: "" })))
}

const toldBy = (story: RunOutline): readonly (string | undefined)[] =>
  [...story.steps.values()].flatMap(({ passes }) => passes.flatMap(({ turns }) => turns.map(outageOf)))

test("[F33] eight failed tries are one line, which tells the last message, how many there were and how long it took", () => {
  const story = storyWith(...Array.from({ length: 7 }, () => "the provider answered 503"), "the connection was lost")
  expect(toldBy(story)).toEqual(["the connection was lost. 8 tries failed in 1:10."])
  expect(story.marks.filter(({ kind }) => kind === "bad")).toHaveLength(1)
})

test("[F33] one failed try is its message, and a turn without one says nothing", () => {
  expect(toldBy(storyWith("overloaded"))).toEqual(["overloaded"])
  expect(outageOf({ faults: [] })).toBeUndefined()
})
