// The runs that a step has started, as the graph of a run and its list say it.

import { expect, test } from "vitest"
import type { Fact, RunEvent } from "../../src/core/run/event.ts"
import { childRunsOf, childRunsWords } from "../../web/run/child-runs.ts"
import { outlineOf } from "../../src/core/run/views/read-outline.ts"

const journal = (...facts: readonly object[]): RunEvent[] =>
  facts.map((fact, i) => ({ ...(fact as Fact), seq: i + 1, at: 1_000 + i * 10, v: 1, prev: "" }))
const started = (index: number): object => ({
  type: "child.started",
  step: "each",
  index,
  run: `run_${index}`,
  flow: "one",
  key: `k${index}`,
})
const ended = (index: number, status = "succeeded"): object => ({ type: "child.ended", step: "each", index, run: `run_${index}`, status })
const opened = (step: string, stepType = "map"): object => ({ type: "step.opened", step, stepType, pass: 1, tools: [] })
const wordsOf = (...facts: readonly object[]): string =>
  childRunsWords(
    childRunsOf(
      outlineOf(journal(opened("each"), ...facts))
        .steps.get("each")
        ?.passes.at(-1),
    ),
  )

test("[F23f] the runs of a map are counted: how many go on, and how many failed", () => {
  expect(wordsOf()).toBe("0 runs")
  expect(wordsOf(started(0))).toBe("1 run, 1 running")
  expect(wordsOf(started(0), started(1), started(2), ended(1, "failed"))).toBe("3 runs, 2 running, 1 failed")
  expect(wordsOf(started(0), started(1), ended(0), ended(1, "canceled"))).toBe("2 runs")
})

test("[T42] the runs of a team are those that the agent's calls have started, each once", () => {
  const call = (id: string): object => ({ id, name: "subagent", args: {} })
  const returned = (callId: string, run: string, isError = false): object => ({
    type: "tool.returned",
    step: "each",
    callId,
    tool: "subagent",
    isError,
    content: [],
    child: { run },
  })
  const reply = {
    type: "model.replied",
    step: "each",
    pass: 1,
    turn: 0,
    key: "k",
    text: "",
    toolCalls: ["a", "b", "c"].map(call),
    usage: { input: 1, output: 1 },
    cost: null,
    stopReason: "tool_calls",
  }
  expect(
    wordsOf({ type: "action.begun", key: "each/1/0/model", kind: "model", step: "each", attempt: 1 }, reply, returned("a", "run_1")),
  ).toBe("1 run")
  expect(
    wordsOf(
      { type: "action.begun", key: "each/1/0/model", kind: "model", step: "each", attempt: 1 },
      reply,
      returned("a", "run_1"),
      returned("b", "run_2", true),
      returned("c", "run_2", true),
    ),
  ).toBe("2 runs, 1 failed")
})
