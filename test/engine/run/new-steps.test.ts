// The step types that pi-flows does not have: code, flow-ref, map, wait; and forks with several answers or a free-text answer.

import { describe, expect, test, vi } from "vitest"
import type { Flow, Step } from "../../../src/core/flow/flow.ts"
import type { SandboxResult } from "../../../src/ports/sandbox.ts"
import { agent, done, Stand } from "../../support/engine/stand.ts"

const base = { blockedBy: [], inputs: {} }
const after = (id: string, more: object = {}): Step => ({ ...base, id, type: "agent", agent: "a", ...more })
const flowOf = (steps: Step[], more: Partial<Flow> = {}): Flow => ({
  id: "f",
  name: "f",
  description: "d",
  steps,
  inputs: {},
  max_concurrent: 4,
  task_required: false,
  autonomous: true,
  config: {},
  ...more,
})
const stand = (steps: Step[], more: Partial<Flow> = {}): Stand =>
  new Stand(flowOf(steps, more), [agent("a", "outputs:\n  - { name: list, type: array }\n"), agent("b")])
const ok = (value: object, logs: string[] = []): SandboxResult => ({ ok: true, value: value as never, logs })

describe("code steps", () => {
  const code: Step = { ...base, id: "c", type: "code", inputs: { n: "${{config.n}}", text: "n is ${{config.n}}" }, outputs: ["double"] }

  test("[F24] the handler gets typed inputs, and later steps get its outputs", async () => {
    const s = stand([code, after("z", { task: "got ${{result.c.double}}" })], { config: { n: 21 } })
    s.handlers.set("c", ({ input }) =>
      ok({ double: Number(input["n"]) * 2, ...(typeof input["n"] === "number" && input["text"] === "n is 21" ? {} : { wrong: true }) }, [
        "hello",
      ]),
    )
    s.start()
    const asked = await s.next("z")
    expect(asked.request.messages[0]).toEqual({ role: "user", text: "got 42" })
    expect(s.types()).toContain("code.logged")
  })

  test.each<[string, SandboxResult | undefined, string, string]>([
    ["a missing handler", undefined, "error", "code_error"],
    ["an extra key", ok({ double: 1, more: 2 }), "error", "code_contract"],
    ["a missing key", ok({}), "error", "code_contract"],
    ["a throw", { ok: false, kind: "threw", message: "boom", logs: [] }, "error", "code_error"],
    ["a timeout", { ok: false, kind: "timeout", message: "late", logs: [] }, "error", "code_timeout"],
  ])("[F24] %s is a soft failure", async (_what, result, status, source) => {
    const s = stand([{ ...code, on_error: "z" } as Step, after("z")], { config: { n: 1 } })
    if (result) s.handlers.set("c", () => result)
    s.start()
    await (await s.next("z")).answer(done("z", { list: [] }))
    expect([s.conductor.run.status, s.conductor.run.steps["c"]?.status, s.conductor.run.steps["c"]?.result?.source]).toEqual([
      "succeeded",
      status,
      source,
    ])
  })

  test("[F24] an error named FlowHardError is hard, past on_error", async () => {
    const s = stand([{ ...code, on_error: "z" } as Step, after("z")], { config: { n: 1 } })
    s.handlers.set("c", () => ({ ok: false, kind: "flow_hard_error", message: "stop", logs: [] }))
    s.start()
    await s.settle()
    expect([s.conductor.run.status, s.conductor.run.error?.source]).toEqual(["failed", "flow_hard_error"])
  })

  test("[F25] a code-decision routes by its branch, and any failure of it is hard", async () => {
    const decide: Step = {
      ...base,
      id: "d",
      type: "code-decision",
      outputs: [],
      branches: [
        { label: "x", target: "x" },
        { label: "y", target: "y" },
      ],
    }
    const s = stand([decide, after("x"), after("y")])
    s.handlers.set("d", () => ok({ branch: "y" }))
    s.start()
    await (await s.next("y")).answer(done("y", { list: [] }))
    const taken = s.events().find((e) => e.type === "branch.taken")
    expect(taken).toMatchObject({ branch: "y", target: "y", by: "code" })
    expect(s.conductor.run.steps["x"]?.status).toBe("skipped")
    const bad = stand([decide, after("x"), after("y")])
    bad.handlers.set("d", () => ok({ branch: "z" }))
    bad.start()
    await bad.settle()
    expect(bad.conductor.run.error).toMatchObject({ step: "d", source: "code_contract" })
  })

  test("[J11] a handler lost in a crash runs again", async () => {
    const s = stand([code, after("z")], { config: { n: 1 } })
    s.handlers.set("c", () => ok({ double: 2 }))
    s.start()
    s.crash()
    await s.settle()
    expect(s.conductor.run.steps["c"]?.status).toBe("complete")
    expect(s.types().filter((t) => t === "action.lost")).toHaveLength(1)
  })
})

describe("child runs", () => {
  const ref: Step = { ...base, id: "r", type: "flow-ref", flow: "other", task: "do ${{task}}", inputs: { k: "${{config.k}}" } }

  test("[F23] the child's finish is the step's result, its declared outputs are the step's outputs", async () => {
    const s = stand([ref, after("z", { task: "${{result.r.summary}} ${{result.r.total}}" })], { config: { k: [1, 2] } })
    s.start("it")
    await s.settle()
    expect(s.children).toMatchObject([{ flow: "other", task: "do it", inputs: { k: [1, 2] }, index: 0 }])
    expect([s.conductor.run.status, s.conductor.run.reason, s.conductor.busy]).toEqual(["waiting", "child", false])
    s.childEnds("r", 0, { summary: "made", outputs: { total: 7 } })
    expect((await s.next("z")).request.messages[0]).toEqual({ role: "user", text: "made 7" })
  })

  test("[F23] the child's failure is the step's failure, and so is a refused start", async () => {
    const s = stand([ref])
    s.start()
    await s.settle()
    s.childEnds("r", 0, { status: "failed", summary: "no disk" })
    expect(s.conductor.run.error).toEqual({ step: "r", source: "child_failed", message: "no disk" })
    const refused = stand([ref])
    refused.refuse = "too deep"
    refused.start()
    await refused.settle()
    expect(refused.conductor.run.error).toEqual({ step: "r", source: "child_failed", message: "too deep" })
  })

  test("[J10] a crash while a child runs changes nothing; its end is accepted once, from the right child, in the right pass", async () => {
    const s = stand([ref, after("z")])
    s.start()
    await s.settle()
    s.crash()
    await s.settle()
    expect(s.children).toHaveLength(1)
    expect(s.childEnds("r", 1)).toBe(false)
    expect(s.childEnds("r", 0, {}, 2)).toBe(false)
    expect(s.childEnds("r", 0)).toBe(true)
    expect(s.childEnds("r", 0)).toBe(false)
    await s.next("z")
  })

  test("[J10] the end of a child is accepted even before its start is journaled", async () => {
    const s = stand([ref, after("z")])
    s.start()
    expect(s.childEnds("r", 0, { summary: "quick" })).toBe(true)
    await s.settle()
    expect(s.types().filter((t) => t.startsWith("child."))).toEqual(["child.started", "child.ended"])
    await s.next("z")
  })

  test("[F34] a run that ends leaves its open children to be canceled", async () => {
    const s = stand([ref])
    s.start()
    await s.settle()
    s.conductor.tell({ type: "cancel", by: "t" })
    expect(s.conductor.run.orphans).toEqual(["child_0"])
  })
})

describe("map", () => {
  const map = (more: object = {}): Step =>
    ({
      ...base,
      id: "m",
      type: "map",
      over: "${{flow.input.list}}",
      do: "one",
      max_concurrent: 2,
      task: "${{index}}: ${{item.name}}",
      inputs: { it: "${{item}}" },
      ...more,
    }) as Step
  const list = (n: number): { inputs: Flow["inputs"] } => ({
    inputs: { list: { type: "array", required: true, default: Array.from({ length: n }, (_, i) => ({ name: `n${i}` })) } },
  })
  const started = (n: number, more: object = {}): Stand => {
    const s = stand([map(more), after("z", { task: "${{result.m.succeeded}}/${{result.m.total}}" })], list(n))
    const items = list(n).inputs["list"]?.default
    s.conductor.tell({
      type: "start",
      started: {
        type: "run.started",
        run: "run_x",
        flow: "f",
        task: "go",
        inputs: { list: items as never },
        autonomous: true,
        rehearsed: false,
        trigger: { kind: "api" },
        pinned: { revision: 1, flow: { id: "f", hash: "h" }, agents: {}, skills: {}, models: {} },
      },
    })
    return s
  }

  test("[F10] one child per item, a limited number at once, in order; results in the order of the items", async () => {
    const s = started(5)
    await s.settle()
    expect(s.children.map((c) => [c.index, c.task, c.inputs])).toEqual([
      [0, "0: n0", { it: { name: "n0" } }],
      [1, "1: n1", { it: { name: "n1" } }],
    ])
    s.childEnds("m", 1, { outputs: { v: 1 } })
    await s.settle()
    expect(s.children.map((c) => c.index)).toEqual([0, 1, 2])
    for (const i of [2, 0, 3, 4]) {
      s.childEnds("m", i, { outputs: { v: i } })
      await s.settle()
    }
    await s.settle()
    expect((await s.next("z")).request.messages[0]).toEqual({ role: "user", text: "5/5" })
    const results = s.conductor.run.steps["m"]?.result?.outputs["results"] as { index: number; outputs: { v: number } }[]
    expect(results.map((r) => [r.index, r.outputs.v])).toEqual([0, 1, 2, 3, 4].map((i) => [i, i]))
    expect(s.journal.stat("map/m.jsonl")?.size).toBeGreaterThan(0)
  })

  test.each([
    ["none", undefined, 1, "failed"],
    ["a count", { count: 2 }, 2, "succeeded"],
    ["a count, one more", { count: 2 }, 3, "failed"],
    ["a share", { percent: 50 }, 2, "succeeded"],
    ["a share, one more", { percent: 50 }, 3, "failed"],
  ])("[F31] failures tolerated: %s", async (_what, tolerate, failures, status) => {
    const s = started(4, tolerate ? { tolerate } : {})
    for (let i = 0; i < 4; i++) {
      await s.settle()
      s.childEnds("m", i, i < failures ? { status: "failed", summary: "no" } : {})
    }
    await s.settle()
    if (status === "succeeded") await (await s.next("z")).answer(done("z", { list: [] }))
    expect(s.conductor.run.status).toBe(status)
    if (status === "failed") expect(s.conductor.run.error?.source).toBe("child_failed")
  })

  test("[F22] no items means no work; a value that is not a list is a clear failure", async () => {
    const none = started(0)
    await none.settle()
    expect(none.conductor.run.steps["m"]?.result?.outputs).toMatchObject({ total: 0 })
    const s = stand([map({ over: "${{task}}" })])
    s.start("text")
    await s.settle()
    expect(s.conductor.run.error?.message).toMatch(/is not a list/)
  })

  test("[N4] a map writes out its list once, and not at each start of a child", async () => {
    const s = started(200, { max_concurrent: 50 })
    const written = vi.spyOn(JSON, "stringify")
    try {
      for (let i = 0; i < 200; i++) {
        while (!s.children.some((c) => c.index === i)) await s.settle()
        s.childEnds("m", i, { summary: "" })
      }
      await s.settle()
      expect(s.conductor.run.steps["m"]?.status).toBe("complete")
      expect(written.mock.calls.filter(([value]) => Array.isArray(value) && value.length === 200).length).toBeLessThan(5)
    } finally {
      written.mockRestore()
    }
  })

  test("[J8] a parent of 1,000 children stores counts, not results", async () => {
    const s = started(1_000, { max_concurrent: 50 })
    let largest = 0
    for (let i = 0; i < 1_000; i++) {
      while (!s.children.some((c) => c.index === i)) await s.settle()
      await s.settle()
      expect(s.childEnds("m", i, { summary: "x".repeat(200), outputs: { text: "y".repeat(500) } })).toBe(true)
      if (i % 100 === 0)
        largest = Math.max(largest, JSON.stringify(s.conductor.run.steps["m"]).length + JSON.stringify(s.conductor.run.children).length)
    }
    await s.settle()
    expect(s.conductor.run.steps["m"]?.status).toBe("complete")
    expect(largest).toBeLessThan(10_000)
  })
})

describe("wait", () => {
  const wait = (more: object): Step => ({ id: "w", type: "wait", blockedBy: [], ...more }) as Step

  test.each([
    ["for", { for: "90s" }, 91_000],
    ["until", { until: "1970-01-01T00:01:31Z" }, 91_000],
    ["for a template", { for: "${{config.span}}" }, 91_000],
  ])("[J13] %s: nothing is held, the alarm goes at that time, not before", async (_what, more, due) => {
    const s = stand([wait(more), after("z")], { config: { span: "90s" } })
    s.start()
    expect([s.conductor.run.status, s.conductor.run.reason, s.alarm, s.conductor.busy]).toEqual(["waiting", "time", due, false])
    s.now = due - 1
    s.conductor.tick()
    expect(s.conductor.run.steps["w"]?.status).toBe("running")
    s.now = due
    s.conductor.tick()
    await s.next("z")
  })

  test("[F2] an invalid time is a failure that shows the correct format", () => {
    const s = stand([wait({ until: "tomorrow" })])
    s.start()
    expect(s.conductor.run.error?.message).toMatch(/2026-12-24T18:00:00Z/)
  })

  test("[F41] a signal delivers its payload; an early signal is stored for the step that waits for it", async () => {
    const s = stand([
      wait({ signal: "paid" }),
      after("z", { task: "${{result.w.payload}}" }),
      wait({ signal: "paid", id: "again" }) as Step,
    ])
    s.start()
    expect(s.conductor.run.reason).toBe("signal")
    s.conductor.tell({ type: "signal", name: "other", payload: 0, by: "t" })
    expect(s.conductor.run.steps["w"]?.status).toBe("running")
    s.conductor.tell({ type: "signal", name: "paid", payload: { eur: 5 }, by: "t" })
    s.conductor.tell({ type: "signal", name: "paid", payload: { eur: 6 }, by: "t" })
    const asked = await s.next("z")
    expect(asked.request.messages[0]).toEqual({ role: "user", text: '{"eur":5}' })
    await asked.answer(done("z", { list: [] }))
    expect(s.conductor.run.status).toBe("succeeded")
    expect(s.conductor.run.steps["again"]?.result?.outputs).toEqual({ payload: { eur: 6 } })
    expect(s.conductor.run.signals.map((x) => x.name)).toEqual(["other"])
  })

  test("[F30] if a signal does not arrive in time, the step takes its timeout branch or fails softly", async () => {
    const s = stand([
      wait({ signal: "paid", timeout: 5_000, on_timeout: "late" }),
      after("z"),
      { ...base, id: "k", type: "conditional", check: { step: "w", field: "summary" }, present: "late", absent: "late" } as Step,
      after("late"),
    ])
    s.start()
    s.now = 6_000
    s.conductor.tick()
    await s.next("late")
    expect(s.conductor.run.steps["z"]?.status).toBe("skipped")
    const soft = stand([wait({ signal: "paid", timeout: 5_000 })])
    soft.start()
    soft.now = 6_000
    soft.conductor.tick()
    expect(soft.conductor.run.error?.source).toBe("step_timeout")
  })
})

describe("forks", () => {
  const fork = (more: object): Step =>
    ({
      ...base,
      id: "q",
      type: "fork",
      question: "Which?",
      options: ["x", "y", "n"],
      allowCustom: false,
      multiSelect: false,
      branches: [
        { label: "x", target: "x" },
        { label: "y", target: "y" },
        { label: "n", target: "n" },
      ],
      ...more,
    }) as Step

  test("[F21] several answers: their branches run in file order, each once, and the others are skipped", async () => {
    const s = stand([fork({ multiSelect: true }), after("x"), after("y"), after("n")])
    s.start("go", false)
    s.conductor.tell({ type: "answer", id: "i1", body: { answer: ["n", "x"] }, by: "t" })
    await (await s.next("x")).answer(done("x", { list: [] }))
    const n = await s.next("n")
    expect(n.request.system).toContain("Chosen: x, n")
    await n.answer(done("n", { list: [] }))
    expect(Object.values(s.conductor.run.steps).map((x) => x.status)).toEqual(["complete", "complete", "skipped", "complete"])
  })

  test("[F21] several answers in separate segments: falling through reaches only the chosen ones", async () => {
    const between: Step = {
      ...base,
      id: "k",
      type: "conditional",
      check: { step: "q", field: "summary" },
      present: "y",
      absent: "y",
    } as Step
    const s = stand([
      fork({ multiSelect: true }),
      after("x"),
      { ...between, id: "k1", present: "k2", absent: "k2" } as Step,
      { ...between, id: "k2", present: "n", absent: "n" } as Step,
      after("n"),
      after("y"),
    ])
    s.start("go", false)
    s.conductor.tell({ type: "answer", id: "i1", body: { answer: ["x", "n"] }, by: "t" })
    await (await s.next("x")).answer(done("x", { list: [] }))
    await (await s.next("n")).answer(done("n", { list: [] }))
    expect([s.conductor.run.status, s.conductor.run.steps["y"]?.status]).toEqual(["succeeded", "skipped"])
  })

  test("[F21] a free-text answer goes to the agent, which chooses", async () => {
    const s = stand([fork({ allowCustom: true, agent: "b" }), after("x"), after("y"), after("n")])
    s.start("go", false)
    expect(s.conductor.tell({ type: "answer", id: "i1", body: { custom: "something in between" }, by: "t" }).ok).toBe(true)
    const asked = await s.next("q")
    expect(JSON.stringify(asked.request.messages)).toContain("something in between")
    await asked.answer(done("closest", { branch: "y" }))
    await s.next("y")
    expect(s.events().find((e) => e.type === "branch.taken")).toMatchObject({ branch: "y", by: "agent" })
  })

  test("[Q2] answers that do not fit leave the question open", () => {
    const s = stand([fork({ multiSelect: true }), after("x"), after("y"), after("n")])
    s.start("go", false)
    for (const body of [{ answer: "x" }, { answer: [] }, { answer: ["x", "x"] }, { answer: ["z"] }, { custom: "no" }])
      expect(s.conductor.tell({ type: "answer", id: "i1", body, by: "t" }).ok).toBe(false)
    expect(s.conductor.run.pending).toEqual(["i1"])
  })
})
