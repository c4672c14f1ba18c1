// A run as AG-UI events [P19–P21]: the order that the client's verifier demands, the state at every instant, and texts told once.

import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { JsonObject } from "../../../../src/core/json.ts"
import { apply } from "../../../../src/core/run/apply.ts"
import { AguiFrames } from "../../../../src/protocols/agui/frames.ts"
import type { RunEvent } from "../../../../src/core/run/event.ts"
import type { Plan } from "../../../../src/core/run/plan.ts"
import { newRun } from "../../../../src/core/run/state.ts"
import { view } from "../../../../src/core/run/views/view.ts"
import { amount } from "../../../support/amount.ts"
import { agent, flowOf, planOf } from "../../../support/kernel/builders.ts"
import { CAST, flows } from "../../../support/kernel/generate.ts"
import { call, finish, roundTrip, Shell } from "../../../support/kernel/shell.ts"
import { diceOf, live } from "../../../support/kernel/world.ts"

type Event = JsonObject & { readonly type: string }

const eventsOf = (plan: Plan, log: readonly RunEvent[]): Event[] => {
  const projection = new AguiFrames(plan)
  return log.flatMap((e) => projection.frames(e).map(({ data }) => data as Event))
}
const types = (events: readonly Event[]): string[] => events.map(({ type }) => type)
const textOf = (events: readonly Event[], type: string): string =>
  events.flatMap((e) => (e.type === type && typeof e["delta"] === "string" ? [e["delta"]] : [])).join("")

const ENTERS: Readonly<Record<string, readonly [kind: string, id: string]>> = {
  TEXT_MESSAGE_START: ["text", "messageId"],
  TOOL_CALL_START: ["call", "toolCallId"],
  STEP_STARTED: ["step", "stepName"],
  REASONING_START: ["span", "messageId"],
  REASONING_MESSAGE_START: ["thought", "messageId"],
}
const WITHIN: Readonly<Record<string, readonly [kind: string, id: string]>> = {
  TEXT_MESSAGE_CONTENT: ["text", "messageId"],
  TOOL_CALL_ARGS: ["call", "toolCallId"],
  REASONING_MESSAGE_CONTENT: ["thought", "messageId"],
}
const LEAVES: Readonly<Record<string, readonly [kind: string, id: string]>> = {
  TEXT_MESSAGE_END: ["text", "messageId"],
  TOOL_CALL_END: ["call", "toolCallId"],
  STEP_FINISHED: ["step", "stepName"],
  REASONING_END: ["span", "messageId"],
  REASONING_MESSAGE_END: ["thought", "messageId"],
}

/** What a client's verifier finds wrong. */
function faults(events: readonly Event[]): string[] {
  const wrong: string[] = []
  const open = new Set<string>()
  const calls = new Set<unknown>()
  const results = new Set<unknown>()
  let isRunning = false
  for (const e of events) {
    const { type } = e
    if (!isRunning && type !== "RUN_STARTED") wrong.push(`${type} outside of a run`)
    if (isRunning && type === "RUN_STARTED") wrong.push("RUN_STARTED within a run")
    if (type === "RUN_STARTED") isRunning = true
    const [kind, id] = ENTERS[type] ?? WITHIN[type] ?? LEAVES[type] ?? ["", ""]
    const name = `${kind} ${String(e[id])}`
    if (type in ENTERS && open.has(name)) wrong.push(`${type} ${name}: already open`)
    if ((type in WITHIN || type in LEAVES) && !open.has(name)) wrong.push(`${type} ${name}: not open`)
    if (type in ENTERS) open.add(name)
    if (type in LEAVES) open.delete(name)
    if ((type in WITHIN && e["delta"] === "") || (type === "STATE_DELTA" && Array.isArray(e["delta"]) && e["delta"].length === 0))
      wrong.push(`${type} without a delta`)
    if (type === "TOOL_CALL_START" && calls.has(e["toolCallId"])) wrong.push(`${name} twice`)
    if (type === "TOOL_CALL_START") calls.add(e["toolCallId"])
    if (type === "TOOL_CALL_RESULT") {
      if (!calls.has(e["toolCallId"]) || results.has(e["toolCallId"])) wrong.push(`a result of ${String(e["toolCallId"])}`)
      results.add(e["toolCallId"])
    }
    if (type !== "RUN_FINISHED" && type !== "RUN_ERROR") continue
    if (open.size > 0) wrong.push(`${type} with open ${[...open].join(", ")}`)
    isRunning = false
  }
  if (isRunning) wrong.push("the last run has no end")
  return wrong
}

/** RFC 6902, as much as objects need. */
function patched(doc: JsonObject, ops: readonly JsonObject[]): JsonObject {
  const copy = roundTrip(doc) as Record<string, unknown>
  for (const { op, path, value } of ops) {
    const keys = String(path)
      .split("/")
      .slice(1)
      .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"))
    const last = keys.pop() ?? ""
    let at = copy
    for (const key of keys) at = at[key] as Record<string, unknown>
    expect(Object.hasOwn(at, last), `${String(op)} ${String(path)}`).toBe(op !== "add")
    if (op === "remove") delete at[last]
    else at[last] = value
  }
  return copy as JsonObject
}

/** At each event that tells the state, it is the run's view. */
function checkState(plan: Plan, log: readonly RunEvent[]): void {
  const projection = new AguiFrames(plan)
  const run = newRun(plan)
  let state: JsonObject = {}
  for (const e of log) {
    const frames = projection.frames(e).map(({ data }) => data as Event)
    apply(run, e)
    const told = frames.filter(({ type }) => type.startsWith("STATE_"))
    for (const { type, snapshot, delta } of told)
      state = type === "STATE_SNAPSHOT" ? roundTrip(snapshot as JsonObject) : patched(state, delta as JsonObject[])
    if (!["run.started", "run.waiting", "run.paused", "run.resumed", "run.ended"].includes(e.type) && !/^step\.(?!opened$)/.test(e.type))
      continue
    const now = view(run)
    const steps = Object.entries(now.steps).map(([id, { status, summary }]) => [
      id,
      { status, ...(summary === undefined ? {} : { summary }) },
    ])
    expect(state, `after ${e.seq} ${e.type}`).toEqual({ run: now.id, flow: now.flow, status: now.status, steps: Object.fromEntries(steps) })
  }
}

describe("a run as AG-UI events", () => {
  test("[P19] a step, a tool call, its result, the answer, with state and usage", () => {
    const shell = new Shell(planOf(flowOf([agent("a", { task: "do it" })])))
    shell.reply("a", "hm", call("look", { n: 1 }, "c1"))
    shell.returns("a", "c1", "seen")
    shell.reply("a", finish({ summary: "seen" }))
    const events = eventsOf(shell.plan, shell.log)
    expect(types(events)).toEqual([
      "RUN_STARTED",
      "STATE_SNAPSHOT",
      "STEP_STARTED",
      "STATE_DELTA",
      "REASONING_START",
      "REASONING_MESSAGE_START",
      "REASONING_MESSAGE_CONTENT",
      "REASONING_MESSAGE_END",
      "REASONING_END",
      "TOOL_CALL_START",
      "TOOL_CALL_ARGS",
      "TOOL_CALL_END",
      "TOOL_CALL_RESULT",
      "STEP_FINISHED",
      "STATE_DELTA",
      "STATE_DELTA",
      "TEXT_MESSAGE_START",
      "TEXT_MESSAGE_CONTENT",
      "TEXT_MESSAGE_END",
      "RUN_FINISHED",
    ])
    expect(textOf(events, "TEXT_MESSAGE_CONTENT")).toBe("seen")
    expect(events.at(-1)).toMatchObject({
      outcome: { type: "success" },
      usage: [{ inputTokens: 20, outputTokens: 10, totalTokens: 30 }],
    })
    checkState(shell.plan, shell.log)
  })

  test("[P20] an approval interrupts, and what follows opens with the state and gives the result under the old id", () => {
    const shell = new Shell(planOf(flowOf([agent("a", {})], { approvals: { tools: "always" } })))
    shell.reply("a", call("put", { n: 1 }, "c1"))
    shell.answer(shell.pending()[0]?.id ?? "", { decision: "approve" })
    shell.returns("a", "c1")
    shell.reply("a", finish())
    const events = eventsOf(shell.plan, shell.log)
    expect(faults(events)).toEqual([])
    const at = events.findIndex(({ type }) => type === "RUN_FINISHED")
    const called = events.find(({ type }) => type === "TOOL_CALL_START")
    expect(types(events.slice(at - 2, at + 4))).toEqual([
      "STATE_SNAPSHOT",
      "STEP_FINISHED",
      "RUN_FINISHED",
      "RUN_STARTED",
      "STATE_SNAPSHOT",
      "STEP_STARTED",
    ])
    expect(events[at]).toMatchObject({
      outcome: { type: "interrupt", interrupts: [{ reason: "tool_call", toolCallId: called?.["toolCallId"] }] },
    })
    expect(events.filter(({ type }) => type === "TOOL_CALL_START")).toHaveLength(1)
    expect(events.find(({ type }) => type === "TOOL_CALL_RESULT")?.["toolCallId"]).toBe(called?.["toolCallId"])
  })

  test("[P19] a long answer comes in pieces that are whole characters", () => {
    const shell = new Shell(planOf(flowOf([agent("a")])))
    shell.reply("a", finish({ summary: "\u{1F600}".repeat(900) }))
    const deltas = eventsOf(shell.plan, shell.log).flatMap((e) => (e.type === "TEXT_MESSAGE_CONTENT" ? [String(e["delta"])] : []))
    expect(deltas.join("")).toBe("\u{1F600}".repeat(900))
    expect(deltas.length).toBeGreaterThan(1)
    expect(deltas.every((delta) => delta.isWellFormed())).toBe(true)
  })

  test("[P21] a failure is the last event, with its source", () => {
    const shell = new Shell(planOf(flowOf([agent("a")])))
    shell.fail("a", { retryable: false, message: "no" })
    expect(eventsOf(shell.plan, shell.log).at(-1)).toMatchObject({ type: "RUN_ERROR", code: "api_error", message: "no" })
  })

  test("[P11] [P19] a model that is asked again says it in another message, and each span is closed", () => {
    const shell = new Shell(planOf(flowOf([agent("a")])))
    const projection = new AguiFrames(shell.plan)
    let at = 0
    const follow = (): Event[] => shell.log.slice(at).flatMap((e) => ((at = e.seq), projection.frames(e).map(({ data }) => data as Event)))
    const say = (text: string): Event[] => projection.said({ step: "a", turn: 0, text }).map(({ data }) => data as Event)
    const events = [...follow(), ...say("I be"), ...say("gin")]
    shell.fail("a", { retryable: true, message: "cut" })
    shell.pass(shell.nextDue() ?? 0)
    events.push(...follow(), ...say("again "))
    shell.reply("a", "again whole", finish())
    events.push(...follow())
    expect(faults(events)).toEqual([])
    expect(textOf(events, "REASONING_MESSAGE_CONTENT")).toBe("I beginagain whole")
    expect(new Set(events.flatMap((e) => (e.type === "REASONING_START" ? [e["messageId"]] : []))).size).toBe(2)
  })
})

test("[P19] [P20] order and state hold for random runs", () => {
  fc.assert(
    fc.property(flows(), fc.nat(2 ** 31), (flow, seed) => {
      const plan = planOf(flow, CAST)
      const roll = diceOf(`${seed}:order`)
      const { log } = live(plan, { world: { seed, post: true }, order: (n) => Math.floor(roll() * n) })
      expect(faults(eventsOf(plan, log))).toEqual([])
      checkState(plan, log)
    }),
    { numRuns: amount(60, 25) },
  )
})

test("[P11] a copy at every place gives the same frames, and pieces and whole texts give each text once", () => {
  fc.assert(
    fc.property(flows(), fc.nat(2 ** 31), fc.nat(50), (flow, seed, cut) => {
      const plan = planOf(flow, CAST)
      const { log } = live(plan, { world: { seed, post: true } })
      const all = eventsOf(plan, log)
      const early = new AguiFrames(plan)
      const before = log.slice(0, cut).flatMap((e) => early.frames(e).map(({ data }) => data))
      const late = early.copy()
      expect([...before, ...log.slice(cut).flatMap((e) => late.frames(e).map(({ data }) => data))]).toEqual(all)
      const roll = diceOf(`${seed}:pieces`)
      const heard = new AguiFrames(plan)
      const told = log.flatMap((e) => {
        const pieces: Event[] = []
        if (e.type === "model.replied")
          for (let at = 0; roll() < 0.7 && at < e.text.length; at += 3)
            pieces.push(...heard.said({ step: e.step, turn: e.turn, text: e.text.slice(at, at + 3) }).map(({ data }) => data as Event))
        return [...pieces, ...heard.frames(e).map(({ data }) => data as Event)]
      })
      expect(faults(told)).toEqual([])
      for (const type of ["REASONING_MESSAGE_CONTENT", "TEXT_MESSAGE_CONTENT"]) expect(textOf(told, type)).toBe(textOf(all, type))
    }),
    { numRuns: amount(60, 25) },
  )
})
