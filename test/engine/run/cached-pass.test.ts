// Cached steps over the conductor [R38–R40]: what is taken over, what is kept, and what is asked anyway.

import { afterEach, describe, expect, test, vi } from "vitest"
import { apply } from "../../../src/core/run/apply.ts"
import type { RunEvent } from "../../../src/core/run/event.ts"
import { newRun } from "../../../src/core/run/state.ts"
import { runView } from "../../../src/core/run/views/view.ts"
import { DEFAULT_RULES } from "../../../src/core/tool/policy/policy.ts"
import { text, type Tool } from "../../../src/ports/tool.ts"
import { agent, done, flow, Stand, type Turn } from "../../support/engine/stand.ts"

afterEach(() => void vi.useRealTimers())

const FLOW = flow("  - { id: a, type: agent, agent: a, cache: 1h }\n  - { id: b, type: agent, agent: b }\n")
const AGENTS = [agent("a"), agent("b")]

/** Fetches something from outside. */
const fetched: Tool = {
  name: "fetched",
  description: "d",
  parameters: { type: "object", properties: { url: { type: "string" } }, additionalProperties: false },
  effect: "read",
  untrusted: true,
  contexts: ["agent"],
  reach: { to: { arg: "url" }, method: { fixed: "GET" } },
  execute: async () => text("from outside"),
}
const HOLDS = agent("a", "tools: [fetched, read, ls, write, bash]\n")

let runs = 0
/** Another run of the tenant with these kept results. */
function runOf(before?: Stand, { of = FLOW, agents = AGENTS, task = "go", more = {} as Parameters<Stand["start"]>[2] } = {}): Stand {
  const stand = new Stand(of, agents, [fetched])
  if (before) {
    stand.cached = before.cached
    stand.now = before.now + 1_000
    stand.conductor = stand.boot()
  }
  runs += 1
  stand.start(task, true, { run: `run_${runs}`, ...more })
  return stand
}
const answered = async (stand: Stand, step: string, ...turns: readonly Turn[]): Promise<void> => {
  for (const turn of turns) {
    await (await stand.next(step)).answer(turn)
    await stand.settle()
  }
}
const ofStep = (stand: Stand, step: string): readonly RunEvent[] => stand.events().filter((e) => "step" in e && e.step === step)
const typesOf = (stand: Stand, step: string): string[] => ofStep(stand, step).map(({ type }) => type)

/** A run whose step `a` did this. */
async function first(...turns: readonly Turn[]): Promise<Stand> {
  const stand = runOf(undefined, { agents: [HOLDS, agent("b")] })
  await answered(stand, "a", ...turns)
  await answered(stand, "b", done("B"))
  return stand
}

test("[R38] an equal pass of another run takes the result: no model is asked, and the step counts", async () => {
  const one = runOf()
  await answered(one, "a", done("A"))
  await answered(one, "b", done("B"))
  const two = runOf(one)
  await answered(two, "b", done("B"))
  expect(typesOf(one, "a").slice(0, 4)).toEqual(["step.opened", "action.begun", "cache.missed", "action.begun"])
  expect(typesOf(two, "a")).toEqual(["step.opened", "action.begun", "step.cached", "step.finished"])
  const [view, before] = [runView(two.conductor.run), runView(one.conductor.run)]
  expect(view.steps["a"]).toMatchObject({ status: "complete", summary: "A", attempts: 0, usage: { input: 0, output: 0 } })
  expect(view.steps["a"]?.cached).toEqual({ run: before.id, at: expect.stringMatching(/^1970-/) })
  expect(before.steps["a"]).not.toHaveProperty("cached")
  expect([view.output, view.status]).toEqual([before.output, "succeeded"])
  expect(two.conductor.run.usage.steps).toBe(2)
  expect([view.usage.tokens, before.usage.tokens]).toEqual([2, 4])
})

test("[R38] a result is taken from no pass that is older than `cache`, and from none of the same run", async () => {
  const one = await first(done("A"))
  const holding = { agents: [HOLDS, agent("b")] }
  one.now += 3_598_000
  const late = runOf(one, holding)
  await late.settle()
  expect(typesOf(late, "a")).toContain("step.finished")
  one.now += 2_000
  const later = runOf(one, holding)
  await answered(later, "a", done("A2"))
  expect(typesOf(later, "a")).toContain("cache.missed")
  const looping = flow(
    "  - { id: a, type: agent, agent: a, cache: 1h, task: same }\n  - { id: d, type: agent-decision, agent: b, branches: { again: a, on: b }, max_iterations: 2 }\n  - { id: b, type: agent, agent: b }\n",
  )
  const own = runOf(undefined, { of: looping })
  await answered(own, "a", done("A"))
  await answered(own, "d", done("d", { branch: "again" }))
  await answered(own, "a", done("B"))
  expect(new Set(own.cached.asked).size).toBe(1)
  expect(typesOf(own, "a").filter((type) => type === "cache.missed")).toHaveLength(2)
  // The newest of the run is what others take.
  const other = runOf(own, { of: looping })
  await other.settle()
  expect(other.conductor.run.steps["a"]?.result?.summary).toBe("B")
})

test("[R38] other words, another model and other inputs are asked", async () => {
  const one = runOf()
  await answered(one, "a", done("A"))
  const pinned = { revision: 1, flow: { id: "f", hash: "h" }, agents: {}, skills: {}, models: { a: "x/other" } }
  for (const other of [
    runOf(one, { task: "go!" }),
    runOf(one, { more: { pinned } }),
    runOf(one, { agents: [agent("a", "tools: [ls]\n"), agent("b")] }),
  ]) {
    await other.next("a")
    expect(typesOf(other, "a")).toContain("cache.missed")
  }
})

describe("[R39] kept is", () => {
  test("a pass that fetched from outside, with its marks", async () => {
    const one = await first({ calls: [{ name: "fetched", args: { url: "https://example.com" } }] }, done("A"))
    expect(one.cached.all).toMatchObject([{ flow: "f", step: "a", kept: { finish: { summary: "A" }, marks: { tainted: true } } }])
    const two = runOf(one, { agents: [HOLDS, agent("b")] })
    await answered(two, "b", done("B"))
    expect(two.conductor.run.steps["a"]?.result).toMatchObject({ summary: "A", tainted: true })
    expect(two.conductor.run.marked).toBe(true)
    expect(runView(two.conductor.run).tainted).toBe(true)
  })

  test("a pass with a refused finish, a failed call of the model, and a tool that nobody has", async () => {
    const one = await first(
      { calls: [{ name: "nothing", args: {} }] },
      { finish: { status: "complete" } },
      { text: "I am done." },
      done("A"),
    )
    expect(typesOf(one, "a")).toEqual(expect.arrayContaining(["tool.refused", "finish.rejected", "reminder.sent"]))
    expect(one.cached.all).toHaveLength(1)
  })

  test("not a pass that wrote, or read what belongs to the run", async () => {
    for (const call of [
      { name: "write", args: { path: "a.txt", content: "x" } },
      { name: "ls", args: {} },
      { name: "read", args: { path: "a.txt" } },
      { name: "bash", args: { command: "echo hi" } },
    ]) {
      const one = await first({ calls: [call] }, done("A"))
      expect([call.name, typesOf(one, "a").includes("tool.called")]).toEqual([call.name, true])
      expect([call.name, one.cached.all]).toEqual([call.name, []])
    }
  })

  test("not a pass that failed, was steered, names files, or is too large", async () => {
    const failed = await first({ finish: { status: "blocked", summary: "no" } }).catch(() => undefined)
    expect(failed?.cached.all ?? []).toEqual([])
    const large = await first(done("x".repeat(70_000)))
    expect(large.cached.all).toEqual([])
    const files = await first({ finish: { status: "complete", summary: "A", files: [{ path: "a.txt", action: "read" }] } })
    expect(files.cached.all).toEqual([])
    const steered = runOf()
    await steered.next("a").then(async (asked) => {
      steered.conductor.tell({ type: "steer", step: "a", id: "s", message: "be quick", by: "ann" })
      await asked.answer({ text: "hm" })
    })
    await answered(steered, "a", done("A"))
    expect(typesOf(steered, "a")).toContain("steer.delivered")
    expect(steered.cached.all).toEqual([])
  })

  test("not the result that was itself taken over", async () => {
    const one = await first(done("A"))
    const two = runOf(one, { agents: [HOLDS, agent("b")] })
    await answered(two, "b", done("B"))
    expect(typesOf(two, "a")).toContain("step.cached")
    expect(two.cached.all).toHaveLength(1)
  })
})

describe("[R40] a miss is", () => {
  test("no answer within 2 s, and an error", async () => {
    const one = await first(done("A"))
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    one.cached.answer = () => new Promise(() => {})
    const silent = runOf(one, { agents: [HOLDS, agent("b")] })
    expect(typesOf(silent, "a")).not.toContain("cache.missed")
    await vi.advanceTimersByTimeAsync(2_000)
    await silent.next("a")
    expect(typesOf(silent, "a")).toContain("cache.missed")
    vi.useRealTimers()
    one.cached.answer = () => Promise.reject(new Error("the tenant's object does not answer"))
    const failing = runOf(one, { agents: [HOLDS, agent("b")] })
    await failing.next("a")
    expect(typesOf(failing, "a")).toContain("cache.missed")
  })

  test("what a person said to the step meanwhile", async () => {
    const one = await first(done("A"))
    const kept = one.cached.all[0]?.kept
    let answer: (() => void) | undefined
    one.cached.answer = () => new Promise((resolve) => (answer = () => resolve(kept)))
    const two = runOf(one, { agents: [HOLDS, agent("b")] })
    expect(two.conductor.tell({ type: "steer", step: "a", id: "s", message: "not as last time", by: "ann" }).ok).toBe(true)
    answer?.()
    const asked = await two.next("a")
    expect(JSON.stringify(asked.request.messages)).toContain("not as last time")
    expect(typesOf(two, "a")).toContain("cache.missed")
  })
})

test("[R40] a lookup that a crash has lost is made again", async () => {
  const one = await first(done("A"))
  one.cached.answer = () => new Promise(() => {})
  const two = runOf(one, { agents: [HOLDS, agent("b")] })
  one.cached.answer = undefined
  two.crash()
  await two.settle()
  expect(typesOf(two, "a")).toEqual(["step.opened", "action.begun", "action.lost", "action.begun", "step.cached", "step.finished"])
})

test("[R40] tests neither read nor keep", async () => {
  const one = runOf(undefined, { more: { trigger: { kind: "test" } } })
  await answered(one, "a", done("A"))
  await answered(one, "b", done("B"))
  expect([one.cached.asked, one.cached.all]).toEqual([[], []])
  expect(typesOf(one, "a")).not.toContain("cache.missed")
})

test("[R40] the step that a fork begins at is asked anew, and the steps after it look", async () => {
  const chain = flow("  - { id: a, type: agent, agent: a, cache: 1h }\n  - { id: b, type: agent, agent: b, blockedBy: a, cache: 1h }\n")
  const source = runOf(undefined, { of: chain })
  await answered(source, "a", done("A"))
  await answered(source, "b", done("B"))
  const events = source.events()
  const prefix = events.slice(0, events.findIndex((e) => e.type === "action.begun") + 1)
  const { id } = source.conductor.run
  const fork = new Stand(chain, AGENTS)
  fork.cached = source.cached
  fork.conductor = fork.boot()
  // Its journal is the source's and its own, which no stand replays.
  fork.foreign = true
  const run = prefix.reduce((state, e) => apply(state, e), newRun(fork.plan))
  const from = { run: run.id, seq: prefix.length, head: "", at: 1 }
  const adopted = fork.conductor.adopt(
    run,
    {
      type: "fork",
      at: 50_000,
      rules: DEFAULT_RULES,
      added: [],
      forked: { type: "run.forked", run: "run_f", source: from, by: "ann", effects: "live" },
    },
    { rows: [{ first: 1, last: prefix.length, cuts: "", body: JSON.stringify(prefix) }], files: [], states: [], pinned: [1] },
  )
  if (!adopted.ok) throw new Error(JSON.stringify(adopted.error))
  await answered(fork, "a", done("A"))
  await fork.settle()
  expect(fork.events().filter(({ type }) => type === "cache.missed")).toEqual([])
  expect(fork.events().filter(({ type }) => type === "step.cached")).toMatchObject([{ step: "b", run: id }])
  expect(fork.conductor.run.status).toBe("succeeded")
})

test("[R38] a handler's result is taken over for the same inputs and the same task, with its branch", async () => {
  const coded = flow(
    '  - { id: c, type: code-decision, cache: 1h, inputs: { n: "${{flow.input.n}}" }, outputs: [twice], branches: { even: a, odd: b } }\n  - { id: a, type: agent, agent: a }\n  - { id: b, type: agent, agent: b }\n',
    "inputs: { n: { type: number } }\n",
  )
  let calls = 0
  const run = (before: Stand | undefined, n: number, task = "go"): Stand => {
    const stand = new Stand(coded, AGENTS)
    if (before) stand.cached = before.cached
    stand.handlers.set("c", () => {
      calls += 1
      return { ok: true, value: { twice: n * 2, branch: n % 2 === 0 ? "even" : "odd" }, logs: [] }
    })
    stand.conductor = stand.boot()
    runs += 1
    stand.start(task, true, { run: `run_${runs}`, inputs: { n } })
    return stand
  }
  const one = run(undefined, 2)
  await one.next("a")
  const two = run(one, 2)
  await two.next("a")
  expect([calls, typesOf(two, "c")]).toEqual([1, ["step.opened", "action.begun", "step.cached", "step.finished", "branch.taken"]])
  await run(one, 3).next("b")
  await run(one, 2, "another task").next("a")
  expect(calls).toBe(3)
})

test("[R38] a flow without `cache` looks for nothing, keeps nothing, and has the events that it had", async () => {
  const plain = runOf(undefined, { of: flow("  - { id: a, type: agent, agent: a }\n  - { id: b, type: agent, agent: b }\n") })
  await answered(plain, "a", done("A"))
  await answered(plain, "b", done("B"))
  expect([plain.cached.asked, plain.cached.all]).toEqual([[], []])
  expect(typesOf(plain, "a")).toEqual(["step.opened", "action.begun", "model.replied", "step.finished"])
  expect(plain.conductor.run.steps["a"]).not.toHaveProperty("cache")
  expect(plain.conductor.run).not.toHaveProperty("moved")
})
