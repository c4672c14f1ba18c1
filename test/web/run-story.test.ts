// What the console's run page tells of a journal: passes, turns, calls with their verdict, questions, and where the time went.

import { describe, expect, test } from "vitest"
import { splitOf } from "../../web/run/bars.ts"
import { chainOf, layoutOf } from "../../web/run/layout.ts"
import { outlineOf } from "../../src/core/run/views/read-outline.ts"
import { fieldText, valuesOf } from "../../web/run/start-form.ts"
import type { Fact, RunEvent } from "../../src/core/run/event.ts"

/** Each event 10 ms after the one before. */
const journal = (...facts: readonly Fact[]): RunEvent[] =>
  facts.map((fact, i) => ({ ...fact, seq: i + 1, at: 1_000 + i * 10, v: 1, prev: "" }))

const opened = (step: string, pass = 1): Fact => ({ type: "step.opened", step, stepType: "agent", agent: "a", pass, tools: [] })
const begun = (step: string, turn: number, pass = 1): Fact => ({
  type: "action.begun",
  key: `${step}/${pass}/${turn}/model`,
  kind: "model",
  step,
  attempt: 1,
})
const replied = (step: string, turn: number, ...calls: readonly string[]): Fact => ({
  type: "model.replied",
  step,
  pass: 1,
  turn,
  key: `${step}/1/${turn}/model`,
  text: `turn ${turn}`,
  toolCalls: calls.map((id) => ({ id, name: `tool-${id}`, args: { id } })),
  usage: { input: 90, output: 10 },
  cost: 0.5,
  stopReason: "tool_calls",
})
const finished = (step: string, status: "complete" | "error" = "complete"): Fact => ({
  type: "step.finished",
  step,
  pass: 1,
  status,
  summary: "done",
  files: [],
  outputs: {},
})

const RUN = journal(
  opened("act"),
  begun("act", 0),
  replied("act", 0, "c1", "c2"),
  { type: "tool.called", step: "act", callId: "c1", tool: "tool-c1", args: {} },
  { type: "tool.returned", step: "act", callId: "c1", tool: "tool-c1", isError: false, content: [{ type: "text", text: "seen" }] },
  { type: "tool.refused", step: "act", callId: "c2", tool: "tool-c2", code: "policy", reason: "only GET" },
  begun("act", 1),
  replied("act", 1, "c3"),
  { type: "interaction.asked", id: "i", kind: "approval.tool", step: "act", callId: "c3", payload: {}, schema: {} },
  { type: "interaction.answered", id: "i", decision: "approve", by: "ann" },
  { type: "tool.called", step: "act", callId: "c3", tool: "tool-c3", args: {} },
  { type: "tool.returned", step: "act", callId: "c3", tool: "tool-c3", isError: true, content: [] },
  finished("act", "error"),
)

test.each(["failed", "canceled"] as const)(
  "[F31] steps that had not ended when the run %s are canceled, with what they asked",
  (status) => {
    const story = outlineOf(
      journal(
        opened("done"),
        finished("done"),
        opened("asks"),
        begun("asks", 0),
        replied("asks", 0, "one"),
        { type: "interaction.asked", id: "int_1", kind: "approval.tool", step: "asks", callId: "one", payload: {}, schema: {} },
        opened("works"),
        begun("works", 0),
        { type: "run.ended", status },
      ),
    )
    expect([...story.steps.values()].map((step) => [step.id, step.status, step.passes.at(-1)?.status])).toEqual([
      ["done", "complete", "complete"],
      ["asks", "canceled", "canceled"],
      ["works", "canceled", "canceled"],
    ])
    expect(story.asks.get("int_1")?.ended).toBe(story.ended)
  },
)

describe("the story of a run", () => {
  test("a call has the guard's verdict and its reason; a refusal and a failed step are marked", () => {
    const story = outlineOf(RUN)
    const pass = story.steps.get("act")?.passes[0]
    expect(pass?.turns.map(({ calls }) => calls.map(({ state, why, code, result }) => ({ state, why, code, result })))).toEqual([
      [
        { state: "done", why: undefined, code: undefined, result: "seen" },
        { state: "refused", why: "only GET", code: "policy", result: undefined },
      ],
      [{ state: "error", why: undefined, code: undefined, result: "" }],
    ])
    expect(story.marks.map(({ seq, kind }) => [seq, kind])).toEqual([
      [6, "bad"],
      [9, "ask"],
      [13, "bad"],
    ])
    expect([story.tokens, story.usd, pass?.asks[0]?.by, pass?.status]).toEqual([200, 1, "ann", "error"])
  })

  test("[K5] the story of a moment is the journal told up to it", () => {
    expect(outlineOf(RUN, 5).steps.get("act")).toMatchObject({
      status: "running",
      passes: [{ turns: [{ calls: [{ state: "done" }, { state: "given" }] }] }],
    })
    const asking = outlineOf(RUN, 9)
    expect([asking.steps.get("act")?.status, asking.steps.get("act")?.passes[0]?.turns[1]?.calls[0]?.state]).toEqual(["waiting", "asks"])
    expect(outlineOf(RUN, 10).steps.get("act")?.status).toBe("running")
  })

  test("told event by event it is the same, and what a later version adds is passed over", () => {
    const later = { type: "later.thing", step: "act", seq: 14, at: 2_000, v: 2, prev: "" } as unknown as RunEvent
    expect(outlineOf([...RUN, later]).steps).toEqual(outlineOf(RUN).steps)
  })

  test("a step that is reopened keeps its passes and is to come", () => {
    const story = outlineOf(journal(opened("a"), finished("a"), { type: "step.reopened", step: "a", pass: 1 }, opened("b")))
    expect([story.steps.get("a")?.status, story.steps.get("a")?.passes.length]).toEqual(["pending", 1])
  })

  test("each moment of the run's time counts once: for the model before the tool before the person", () => {
    expect(
      splitOf(
        [...outlineOf(RUN).steps.values()].flatMap(({ passes }) => passes),
        2_000,
      ),
    ).toMatchObject({ model: 20, tool: 20, child: 0, person: 10, wait: 0, paused: 0 })
  })
})

describe("the graph's places", () => {
  test("time goes to the right; steps side by side stand below each other; a way back is drawn above", () => {
    const node = (id: string, segment: number) => ({ id, type: "agent" as const, segment })
    const { places, ways } = layoutOf({
      nodes: [node("a", 0), node("b", 0), node("c", 0), node("d", 1)],
      edges: [
        { from: "a", to: "c", kind: "blockedBy" },
        { from: "c", to: "d", kind: "next" },
        { from: "d", to: "a", kind: "loop", label: "again" },
      ],
    })
    const at = (id: string) => places.find((place) => place.id === id)
    expect([at("a")?.column, at("b")?.column, (at("c")?.column ?? 0) > 0, (at("d")?.x ?? 0) > (at("c")?.x ?? 0)]).toEqual([
      0,
      0,
      true,
      true,
    ])
    expect(at("a")?.y).not.toBe(at("b")?.y)
    expect(ways.map(({ from, isBack }) => [from, isBack])).toEqual([
      ["a", false],
      ["c", false],
      ["d", true],
    ])
  })

  test("a circle of waiting steps has places too", () => {
    const edges = [
      { from: "a", to: "b", kind: "blockedBy" as const },
      { from: "b", to: "a", kind: "blockedBy" as const },
    ]
    const nodes = ["a", "b"].map((id) => ({ id, type: "agent" as const, segment: 0 }))
    expect(layoutOf({ nodes, edges }).places.length).toBe(2)
  })
})

test("a flow that is gone is a chain of its steps", () => {
  const { places } = layoutOf(chainOf(["a", "b", "c"]))
  expect(places.map(({ x }) => x)).toEqual([0, 196, 392])
})

test("a default is shown as it would be typed", () => {
  expect([undefined, "all", 2, ["a"]].map(fieldText)).toEqual([undefined, "all", "2", '["a"]'])
})

describe("the form of a start", () => {
  test("[H3] an empty field is not given; a value has the type of its input", () => {
    const specs = {
      who: { type: "string", required: true },
      often: { type: "number", required: false, default: 2 },
      list: { type: "array", required: false },
      sure: { type: "boolean", required: true },
    } as const
    expect(valuesOf(specs, { who: "Ann", often: "", list: "[1]", sure: "false" })).toEqual({
      values: { who: "Ann", list: [1], sure: false },
      faults: {},
    })
    expect(Object.keys(valuesOf(specs, { often: "three", list: "{}" }).faults)).toEqual(["who", "often", "list", "sure"])
  })
})
