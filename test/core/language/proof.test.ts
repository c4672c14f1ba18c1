// The proof against flows counted by hand, and against the kernel: what a run really asks is never more than what was promised.

import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { proveFlow, type FlowProof, type ProofWorld } from "../../../src/core/language/proof.ts"
import { pathsOf } from "../../../src/core/flow/check/flow-paths.ts"
import { graphOf } from "../../../src/core/flow/graph.ts"
import type { Flow, Step } from "../../../src/core/flow/flow.ts"
import { amount } from "../../support/amount.ts"
import { agent, agentOf, conditional, decision, flowOf, fork, loop, planOf } from "../../support/kernel/builders.ts"
import { CAST, flows } from "../../support/kernel/generate.ts"
import { live } from "../../support/kernel/world.ts"
import { cpuClock } from "../../support/cpu-clock.ts"

const agents = new Map([agentOf("worker", { max_turns: 10 }), agentOf("flow-decision", { max_turns: 3 })].map((a) => [a.name, a]))
const prove = (steps: readonly Step[], more: Partial<Flow> = {}, world: Partial<ProofWorld> = {}): FlowProof =>
  proveFlow(flowOf(steps, more), { agents, ...world })
const runsOf = (proof: FlowProof): Record<string, number | "unbounded"> => Object.fromEntries(proof.steps.map((s) => [s.step, s.runs]))

describe("model calls, counted by hand", () => {
  test("[F54b] a line of steps: one call each at least, all their turns at most", () => {
    expect(prove([agent("a"), agent("b"), agent("c")]).calls).toEqual({ least: 3, most: 30 })
  })

  test("[F54b] a decision: its branches are not added up", () => {
    const steps = [
      decision("d", { x: "a", y: "b" }),
      agent("a", { on_complete: "end" }),
      conditional("gate", "d", "b", "b"),
      agent("b"),
      decision("end", { p: "z", q: "z" }),
      agent("z"),
    ]
    // By x: d, a, end, z. By y: d and b; only a leads to end, so that y excludes it, and z with it.
    expect(prove(steps).calls).toEqual({ least: 2, most: 40 })
  })

  test("[F54b] a run does not fall into excluded steps, and they cost nothing", () => {
    const steps = [
      decision("d", { x: "a", y: "b" }),
      agent("a"),
      conditional("gate", "a", "end", "end"),
      agent("b", { blockedBy: [] }),
      agent("end", { blockedBy: [] }),
    ]
    // By x: d, a, gate routes to end alone. By y: d, then the segment of b: b and what waits for it, which is nothing.
    expect(prove(steps).calls).toEqual({ least: 2, most: 30 })
  })

  test("[F17] a loop of cap 2 around two steps: three rounds of the body, two of the decider", () => {
    const proof = prove([agent("a"), agent("b", { blockedBy: ["a"] }), loop("l", "a", "end", 2), agent("end")])
    expect(runsOf(proof)).toEqual({ a: 3, b: 3, l: 3, end: 1 })
    expect(proof.calls).toEqual({ least: 4, most: 30 + 30 + 20 + 10 })
    expect(proof.cycles).toEqual([{ steps: ["a", "l", "a"], by: "loop", cap: 2 }])
    expect(proof.terminates).toBe(true)
  })

  test("[F18] a decision that goes back by two branches takes each of them so often", () => {
    const proof = prove([agent("a"), decision("d", { again: "a", more: "a", on: "end" }, { max_iterations: 2 }), agent("end")])
    expect(runsOf(proof)).toEqual({ a: 5, d: 5, end: 1 })
    expect(proof.calls).toEqual({ least: 3, most: 50 + 50 + 10 })
  })

  test("[F19] an inner loop begins anew in each round of the outer one", () => {
    const proof = prove([agent("a"), loop("in", "a", "b", 2), agent("b"), loop("out", "a", "end", 3), agent("end")])
    // Outer: four rounds. Inner: three in each, its decider asked twice in each.
    expect(runsOf(proof)).toEqual({ a: 12, in: 12, b: 4, out: 4, end: 1 })
    expect(proof.calls.most).toBe(120 + 80 + 40 + 30 + 10)
  })

  test("[F35] a retry is another session", () => {
    expect(prove([agent("a", { retry: { max: 2, backoff: 1 } })]).calls).toEqual({ least: 1, most: 30 })
  })

  test("[V27] a round of `until` is another session, and each may be judged in three turns", () => {
    const judges = new Map([["good", { rubric: "Is it good?" }]])
    const until = { scorer: "good", at_least: 1, rounds: 3 }
    const own = prove([agent("a", { until, retry: { max: 5, backoff: 1 } }), agent("b")], {}, { judges })
    expect(runsOf(own)).toEqual({ a: 3, b: 1 })
    expect(own.calls).toEqual({ least: 3, most: 3 * (10 + 3) + 10 })
    expect(own.cycles).toEqual([{ steps: ["a", "a"], by: "until", cap: 2 }])
    // A handler's score asks nobody.
    expect(prove([agent("a", { until })]).calls).toEqual({ least: 1, most: 30 })
    const back = prove([agent("a"), agent("b", { blockedBy: ["a"], until: { ...until, from: "a" } })], {}, { judges })
    expect(runsOf(back)).toEqual({ a: 3, b: 3 })
    expect(back.calls).toEqual({ least: 3, most: 30 + 30 + 9 })
    expect(back.terminates).toBe(true)
  })

  test("[F21] a person who decides asks no model; one who may hand it over may", () => {
    const steps = [fork("f", { x: "a", y: "b" }), agent("a"), agent("b")]
    expect(prove(steps, { autonomous: false }).calls).toEqual({ least: 1, most: 10 })
    expect(prove(steps, { autonomous: true }).calls).toEqual({ least: 2, most: 13 })
    const named = [fork("f", { x: "a", y: "b" }, { agent: "worker" }), agent("a"), agent("b")]
    expect(prove(named, { autonomous: false }).calls).toEqual({ least: 1, most: 20 })
  })

  test("[F18] a person may go back as often as they like: nothing bounds that", () => {
    const steps = [agent("a"), fork("f", { again: "a", on: "end" }), agent("end")]
    const proof = prove(steps, { autonomous: false })
    expect(proof.calls).toEqual({ least: 2, most: "unbounded" })
    expect(proof.cycles).toEqual([{ steps: ["a", "f", "a"], by: "again", cap: "person" }])
    expect(proof.terminates).toBe(true)
    expect(prove(steps, { autonomous: false }, { autonomous: true }).calls).toEqual({ least: 3, most: 10 + 3 + 10 })
  })

  test("[F54b] a cycle without a cap is named", () => {
    const proof = prove([agent("a"), decision("d", { again: "a", on: "end" }), agent("end")])
    expect(proof.terminates).toBe(false)
    expect(proof.cycles).toEqual([{ steps: ["a", "d", "a"], by: "again", cap: null }])
    expect(proof.calls.most).toBe("unbounded")
  })

  test("[F54b] children count as often as they run; a map counts at most every item", () => {
    const child = flowOf([agent("x"), agent("y")], { id: "child" })
    const flows = new Map([["child", child]])
    const ref: Step = { id: "r", type: "flow-ref", flow: "child", inputs: {}, blockedBy: [], retry: { max: 1, backoff: 1 } }
    expect(prove([agent("a"), ref], {}, { flows }).calls).toEqual({ least: 3, most: 10 + 40 })
    const map = (over: string): Step => ({ id: "m", type: "map", over, do: "child", inputs: {}, blockedBy: [], max_concurrent: 4 })
    expect(prove([map("${{config.list}}")], { config: { list: [1, 2, 3] } }, { flows }).calls).toEqual({ least: 6, most: 60 })
    expect(prove([map("${{result.a.files}}")], {}, { flows }).calls).toEqual({ least: 0, most: 200_000 })
  })

  test("[F54b] a flow that runs itself is reckoned to the depth that runs may have", () => {
    const self: Step = { id: "again", type: "flow-ref", flow: "f", inputs: {}, blockedBy: [] }
    const steps = [decision("d", { more: "again", done: "end" }), self, agent("end")]
    const flows = new Map([["f", flowOf(steps)]])
    // By more: d and a child, and end is excluded. Five such, and the sixth can only be done: d and end.
    expect(prove(steps, {}, { flows }).calls).toEqual({ least: 2, most: 5 * 10 + 20 })
  })
})

describe("cost", () => {
  const models = { worker: "p/m" }
  const prices = { "p/m": { input: 1, output: 10 } }

  test("[B1] at most a full window and a full answer for each call, at least the prompt and the shortest finish", () => {
    const { cost, calls } = prove([agent("a")], {}, { models, prices, maxInput: 1000, maxOutput: 100 })
    expect(calls.most).toBe(10)
    expect(cost.most).toBeCloseTo((10 * (1000 * 1 + 100 * 10)) / 1e6, 12)
    expect(cost.least).toBeCloseTo((1 * 1 + 10 * 10) / 1e6, 12)
  })

  test("[V27] a judge has the price of its model, and without one nothing is known", () => {
    const judges = new Map([["good", { rubric: "12345678" }]])
    const steps = [agent("a", { until: { scorer: "good", at_least: 1, rounds: 2 } })]
    expect(prove(steps, {}, { models, prices, judges }).cost).toEqual({ least: null, most: null })
    const all = { models: { ...models, "@judge/good": "p/j" }, prices: { ...prices, "p/j": { input: 2, output: 20 } } }
    const without = prove(steps, {}, { models, prices }).cost
    const { cost } = prove(steps, {}, { ...all, judges })
    expect(cost.least).toBeCloseTo(Number(without.least) + (1 * 2 + 10 * 20) / 1e6, 12)
    expect(Number(cost.most)).toBeGreaterThan(Number(without.most) + (2 * 3 * 96 * 1024 * 2) / 1e6)
  })

  test("[B1] null without a price, never 0; a step's own model has its own price", () => {
    expect(prove([agent("a")], {}, { models }).cost).toEqual({ least: null, most: null })
    expect(prove([agent("a")], {}, { prices }).cost).toEqual({ least: null, most: null })
    const own = { models: { ...models, "worker@a": "p/free" }, prices: { ...prices, "p/free": { input: 0, output: 0 } } }
    expect(prove([agent("a")], {}, own).cost).toEqual({ least: 0, most: 0 })
    expect(prove([agent("a"), agent("b")], {}, { models: { "worker@a": "p/m" }, prices }).cost.most).toBeNull()
  })

  test("[B1] a loop that a person may repeat without limit has a least cost, but no greatest", () => {
    const steps = [agent("a"), fork("f", { again: "a", on: "end" }), agent("end")]
    const { cost } = prove(steps, { autonomous: false }, { models, prices })
    expect(cost.most).toBe("unbounded")
    expect(cost.least).toBeGreaterThan(0)
  })
})

describe("what is reached, what is empty", () => {
  test("[F54b] a step that everything leads past", () => {
    expect(prove([agent("s"), conditional("c", "s", "x", "y"), agent("lost"), agent("x"), agent("y")]).unreachable).toEqual(["lost"])
  })

  test("[F40] a use that may be empty, and on which way", () => {
    const steps = [
      decision("pick", { fast: "quick", thorough: "deep" }),
      agent("quick"),
      agent("deep"),
      agent("join", { blockedBy: ["quick", "deep"], task: "${{result.pick.summary}} ${{result.quick.summary}}" }),
    ]
    expect(prove(steps).empties).toEqual([
      { where: 'step "join", task', reference: "result.quick.summary", path: ['"pick" (thorough) to "deep"'] },
    ])
  })

  test("[F40] an output of the flow that may be empty at its end", () => {
    const proof = prove([decision("d", { x: "a", y: "b" }), agent("a"), agent("b")], {
      outputs: { text: "${{result.a.summary}}", all: "${{result.d}}" },
    })
    expect(proof.empties).toEqual([{ where: 'output "text"', reference: "result.a.summary", path: ['"d" (y) to "b"'] }])
  })

  test("[F40] a step that every path runs is not reported", () => {
    expect(prove([agent("a"), agent("b", { blockedBy: ["a"], task: "${{result.a}}" })]).empties).toEqual([])
  })
})

test("[F54b] 600 steps of any shape are proven in a moment", () => {
  const shapes: Readonly<Record<string, (i: number) => Step>> = {
    line: (i) =>
      agent(`s${i}`, { blockedBy: i > 0 ? [`s${i - 1}`] : [], task: `\${{result.s0.summary}} \${{result.s${Math.max(0, i - 1)}}}` }),
    decisions: (i) =>
      i % 3 === 0 && i < 597 ? decision(`s${i}`, { x: `s${i + 1}`, y: `s${i + 2}` }) : agent(`s${i}`, { task: "${{result.s1.summary}}" }),
    conditionals: (i) => (i % 2 === 0 && i < 598 ? conditional(`s${i}`, "s0", `s${i + 1}`, `s${i + 2}`) : agent(`s${i}`)),
    loops: (i) =>
      i % 4 === 3 && i < 599 ? loop(`s${i}`, `s${Math.max(0, i - 12)}`, `s${i + 1}`, 2) : agent(`s${i}`, { task: "${{result.s2}}" }),
  }
  for (const [name, shape] of Object.entries(shapes)) {
    const steps = Array.from({ length: 600 }, (_, i) => shape(i))
    const spent = cpuClock()
    prove(steps)
    // 20 to 120 ms with the graph; what is not linear takes minutes.
    expect([name, spent() < 2_000]).toEqual([name, true])
  }
})

describe("the kernel, over random flows and worlds", () => {
  test("[F54b] a run never asks more than the proof's worst case, and a run in which nothing failed never less than its best", () => {
    const world = {
      agents: new Map(
        [...CAST, agentOf("flow-decision", { tools: { kind: "list", names: [] } }), agentOf("worker")].map((a) => [a.name, a]),
      ),
    }
    for (const a of CAST) world.agents.set(a.name, a)
    let close = 0
    fc.assert(
      fc.property(flows(), fc.nat(2 ** 31), (flow, seed) => {
        const proof = proveFlow(flow, world)
        const shell = live(planOf(flow, CAST), { world: { seed, post: true } })
        const calls = shell.events("model.replied").length
        const { least, most } = proof.calls
        if (most !== "unbounded") {
          expect(calls).toBeLessThanOrEqual(most)
          if (calls * 4 > most) close++
        }
        const failed = shell.events("step.finished").some((e) => e.status !== "complete")
        if (shell.run.status === "succeeded" && !failed) expect(calls).toBeGreaterThanOrEqual(least)
        for (const s of proof.steps) {
          if (s.runs === "unbounded") continue
          const tries = 1 + (flow.steps.find((step) => step.id === s.step)?.retry?.max ?? 0)
          const passes = new Set(shell.events("step.opened").flatMap((e) => (e.step === s.step ? [e.pass] : [])))
          expect([s.step, passes.size <= s.runs * tries]).toEqual([s.step, true])
        }
        for (const id of proof.unreachable) expect(shell.opened()).not.toContain(id)
      }),
      { numRuns: amount(600, 200) },
    )
    // Were the promise far off, it would prove nothing.
    expect(close).toBeGreaterThan(10)
  })

  test("[F40] a step that runs without another's result is one of which the proof says that it may", () => {
    fc.assert(
      fc.property(flows(), fc.nat(2 ** 31), (flow, seed) => {
        const paths = pathsOf(flow, graphOf(flow))
        const shell = live(planOf(flow, CAST), { world: { seed, post: true } })
        const done = new Set<number>()
        const indexOf = (id: string): number => flow.steps.findIndex((s) => s.id === id)
        for (const e of shell.log) {
          if (e.type === "step.finished") done.add(indexOf(e.step))
          if (e.type !== "step.opened") continue
          const at = indexOf(e.step)
          for (let other = 0; other < at; other++) {
            // Side by side: that nothing orders them is for the check to say.
            const beside = graphOf(flow).segmentOf[other] === graphOf(flow).segmentOf[at]
            if (!done.has(other) && !beside)
              expect([e.step, flow.steps[other]?.id, paths.mayMiss(at, other)]).toEqual([e.step, flow.steps[other]?.id, true])
          }
        }
      }),
      { numRuns: amount(400, 150) },
    )
  })
})
