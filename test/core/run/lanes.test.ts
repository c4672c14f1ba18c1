// Every chosen branch of a multiple choice runs, whatever the ends of the others [F21].
//
// The oracle is the run itself: what a choice of several branches runs is what its branches run when each is chosen alone, and each step
// once. A failure prints its seed and path: `{ seed, path }` beside `numRuns` runs only that case.

import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { choiceOf, type Flow, type Step } from "../../../src/core/flow/flow.ts"
import type { Json } from "../../../src/core/json.ts"
import { systemPrompt } from "../../../src/core/run/session/conversation.ts"
import { isOver } from "../../../src/core/run/state.ts"
import { amount } from "../../support/amount.ts"
import { agent, conditional, decision, flowOf, fork, planOf } from "../../support/kernel/builders.ts"
import { choose, failed, finish, Shell } from "../../support/kernel/shell.ts"

const many = (branches: Record<string, string>): Step => fork("f", branches, { multiSelect: true })
const gate = (id: string, to: string): Step => conditional(id, "f", to, to, "status")

/** Answers forks with `answers` and decisions with `labels`, ends all else, and returns the steps in the order in which they ended. */
function play(
  flow: Flow,
  answers: Readonly<Record<string, readonly string[]>>,
  labels: (step: string, pass: number) => string,
  crash = false,
) {
  const shell = new Shell(planOf(flow), crash ? { snapshotEvery: 3 } : {})
  for (let guard = 0; !isOver(shell.run) && guard < 500; guard++) {
    if (crash) shell.crash()
    const [asked] = shell.pending()
    if (asked) {
      shell.answer(asked.id, { answer: [...(answers[asked.step] ?? [])] })
      continue
    }
    const [step] = shell.running()
    if (step === undefined) throw new Error("nothing runs")
    const type = shell.plan.steps.get(step)?.type
    shell.reply(step, type === "agent" ? finish({ summary: step }) : choose(labels(step, shell.state(step).pass)))
  }
  return { shell, ran: shell.events("step.finished").map((e) => e.step) }
}

const of = (steps: Step[]): Flow => flowOf(steps, { autonomous: false, max_concurrent: 4 })
const first = (): string => "x"

describe("several branches are chosen", () => {
  test("[F21b] a branch that routes past another chosen branch does not skip it", () => {
    const flow = of([
      many({ A: "a", B: "b", C: "c" }),
      agent("a", { on_complete: "end" }),
      gate("g", "b"),
      agent("b", { on_complete: "end" }),
      gate("h", "c"),
      agent("c"),
      gate("i", "end"),
      agent("end"),
    ])
    const { shell, ran } = play(flow, { f: ["B", "A"] }, first)
    expect(ran).toEqual(["f", "a", "b", "end"])
    expect(shell.state("c").status).toBe("skipped")
    expect(shell.run.status).toBe("succeeded")
  })

  test("[F21b] branches that join at different steps both join", () => {
    const flow = of([
      many({ A: "a", B: "b" }),
      agent("a", { on_complete: "k" }),
      agent("b", { on_complete: "j" }),
      gate("g", "j"),
      agent("j"),
      gate("h", "k"),
      agent("k"),
    ])
    expect(play(flow, { f: ["A", "B"] }, first).ran).toEqual(["f", "a", "b", "j", "h", "k"])
  })

  describe("a branch comes to a step that another has run", () => {
    const to = (id: string, on_complete: string, blockedBy: string[] = []): Step => agent(id, { on_complete, blockedBy })
    const between = [agent("b", { on_complete: "d" }), gate("skipped", "d"), agent("d")]

    test("[F21b] and takes the step's route, which the other has taken too", () => {
      const flow = of([many({ A: "a", B: "b" }), to("a", "b"), ...between])
      expect(play(flow, { f: ["A", "B"] }, first).ran).toEqual(["f", "a", "b", "d"])
    })

    test("[F21b] also when the other has long gone on", () => {
      const flow = of([many({ A: "a", B: "b" }), to("a", "x"), to("x", "b"), ...between])
      expect(play(flow, { f: ["A", "B"] }, first).ran).toEqual(["f", "a", "b", "x", "d"])
    })

    test("[F21b] and what waits for that step is held back by its route, as alone", () => {
      const flow = of([many({ A: "a", B: "b" }), to("a", "x"), to("x", "b"), to("b", "d"), to("w", "d", ["b"]), agent("d")])
      const { shell, ran } = play(flow, { f: ["A", "B"] }, first)
      expect(ran.toSorted()).toEqual(play(flow, { f: ["A"] }, first).ran.toSorted())
      expect(shell.state("w").status).toBe("skipped")
    })

    test("[F21b] and takes that step's route when it is the last branch, too", () => {
      const flow = of([
        many({ A: "a", B: "b" }),
        to("a", "j"),
        ...["b", "c", "d", "e"].map((id, i, ids) => to(id, ids[i + 1] ?? "j")),
        to("j", "k"),
        to("w", "k", ["j"]),
        agent("k"),
      ])
      const { shell, ran } = play(flow, { f: ["A", "B"] }, first)
      expect(ran.toSorted()).toEqual(["a", "b", "c", "d", "e", "f", "j", "k"])
      expect(shell.state("w").status).toBe("skipped")
    })

    test("[F21b] and the step that it leads to runs, though the other branch had closed it", () => {
      const flow = of([
        many({ A: "y", B: "b", C: "a" }),
        to("a", "c"),
        to("o", "p"),
        agent("c"),
        to("b", "g"),
        gate("g", "p"),
        to("p", "q"),
        to("q", "r", ["p"]),
        to("r", "y"),
        to("y", "z"),
        agent("z"),
      ])
      const { ran } = play(flow, { f: ["B", "C"] }, first)
      const alone = ["B", "C"].flatMap((label) => play(flow, { f: [label] }, first).ran)
      expect(new Set(ran)).toEqual(new Set(alone))
      expect(ran).toContain("y")
      expect(new Set(ran).size).toBe(ran.length)
    })

    test("[F21b] a step that waits for steps of two branches runs, though the route of one of them would pass it by", () => {
      const flow = of([
        many({ A: "a", B: "c" }),
        to("a", "b"),
        agent("b"),
        to("c", "d", ["b"]),
        to("d", "end"),
        to("w", "end", ["d", "b"]),
        agent("end"),
      ])
      const { ran } = play(flow, { f: ["A", "B"] }, first)
      expect(ran.toSorted()).toEqual(["a", "b", "c", "d", "end", "f", "w"])
    })

    test("[F21b] a step that was skipped meanwhile has not run", () => {
      const flow = of([many({ A: "a", B: "b" }), to("a", "x"), to("x", "b"), to("b", "c", ["x"]), to("c", "d"), agent("d")])
      expect(play(flow, { f: ["A", "B"] }, first).ran.toSorted()).toEqual(["a", "b", "c", "d", "f", "x"])
    })
  })

  test("[F21b] two branches that end: the output is the finish of the later one", () => {
    const flow = of([many({ A: "a", B: "b" }), agent("a", { on_complete: "z" }), gate("g", "b"), agent("b"), gate("h", "z"), agent("z")])
    const { shell, ran } = play(flow, { f: ["A", "B"] }, first)
    expect(ran).toEqual(["f", "a", "b", "h", "z"])
    expect(shell.run.output).toMatchObject({ step: "z" })
  })

  test("[F21c] [F19] a branch that loops back within itself leaves the other branches as they are", () => {
    const flow = of([
      many({ A: "a", B: "b" }),
      agent("a", { on_complete: "d" }),
      gate("g", "b"),
      agent("b", { on_complete: "end" }),
      decision("d", { again: "a", x: "end" }, { max_iterations: 2 }),
      agent("end"),
    ])
    const { shell, ran } = play(flow, { f: ["A", "B"] }, (_step, pass) => (pass === 1 ? "again" : "x"))
    expect(ran).toEqual(["f", "a", "b", "d", "a", "d", "end"])
    expect([shell.state("b").status, shell.state("b").pass]).toEqual(["complete", 1])
  })

  test("[F21c] [F15] going back past the fork takes the choice back, and the fork asks again", () => {
    const flow = of([
      agent("s"),
      many({ A: "a", B: "b" }),
      agent("a"),
      decision("d", { again: "s", x: "end" }, { max_iterations: 1 }),
      agent("b"),
      gate("h", "end"),
      agent("end"),
    ])
    const shell = new Shell(planOf(flow))
    shell.reply("s", finish())
    shell.answer("i1", { answer: ["A", "B"] })
    shell.reply("a", finish())
    shell.reply("d", choose("again"))
    shell.reply("s", finish())
    shell.answer("i2", { answer: ["A"] })
    shell.reply("a", finish())
    shell.reply("d", choose("x"))
    shell.reply("end", finish())
    expect(shell.run.status).toBe("succeeded")
    expect(shell.state("b").status).toBe("skipped")
  })

  test("[F21b] a step that several branches reach runs once, and a branch that ends the flow takes nothing from the others", () => {
    const flow = of([
      many({ A: "a", B: "b", C: "c" }),
      agent("a", { on_complete: "j" }),
      agent("b", { on_complete: "j" }),
      gate("g", "c"),
      agent("c", { on_complete: "end" }),
      agent("j", { on_complete: "end" }),
      agent("end"),
    ])
    const { shell, ran } = play(flow, { f: ["A", "B", "C"] }, first)
    expect(ran.toSorted()).toEqual(["a", "b", "c", "end", "f", "j"])
    expect(shell.run.output).toMatchObject({ step: "end" })
    // Alone, a branch closes the steps of the others.
    expect(play(flow, { f: ["C"] }, first).ran).toEqual(["f", "c", "end"])
  })

  test("[F21c] a decision inside a branch goes back: the others keep their results, and those that have not begun run afterwards", () => {
    const flow = of([
      many({ A: "a", B: "b", C: "c" }),
      agent("a"),
      decision("d", { again: "a", x: "c" }, { max_iterations: 1 }),
      gate("g", "b"),
      agent("b", { on_complete: "end" }),
      gate("h", "c"),
      agent("c"),
      agent("end"),
    ])
    const { shell, ran } = play(flow, { f: ["A", "B", "C"] }, (_step, pass) => (pass === 1 ? "again" : "x"))
    expect(shell.run.status).toBe("succeeded")
    expect(ran.filter((step) => step === "a")).toHaveLength(2)
    expect([shell.state("b").pass, shell.state("c").pass, shell.state("f").pass]).toEqual([1, 1, 1])
    expect(ran.indexOf("c")).toBeGreaterThan(ran.lastIndexOf("d"))
  })

  test("[F21b] [F31] a branch that fails ends the run; with on_error the others still run", () => {
    const steps = (more: object): Step[] => [
      many({ A: "a", B: "b" }),
      agent("a", more),
      gate("g", "b"),
      agent("b", { on_complete: "end" }),
      agent("e"),
      gate("h", "end"),
      agent("end"),
    ]
    const dead = new Shell(planOf(of(steps({}))))
    dead.answer("i1", { answer: ["A", "B"] })
    dead.reply("a", failed())
    expect(dead.run).toMatchObject({ status: "failed", error: { step: "a" } })
    const saved = new Shell(planOf(of(steps({ on_error: "e" }))))
    saved.answer("i1", { answer: ["A", "B"] })
    saved.reply("a", failed())
    for (const id of ["b", "e", "end"]) saved.reply(id, finish())
    expect(saved.run.status).toBe("succeeded")
  })

  test("[F14] a step that waits for two branches runs if one of them leaves", () => {
    const flow = of([
      many({ A: "a", B: "b" }),
      agent("a", { on_complete: "end" }),
      agent("b"),
      agent("w", { blockedBy: ["a", "b"] }),
      gate("h", "end"),
      agent("end"),
    ])
    expect(play(flow, { f: ["A", "B"] }, first).ran).toEqual(["f", "a", "b", "w", "h", "end"])
  })

  test("[F21] the choice reaches the first step of each branch", () => {
    const flow = of([many({ A: "a", B: "b" }), agent("a", { on_complete: "end" }), gate("g", "b"), agent("b"), agent("end")])
    const shell = new Shell(planOf(flow))
    shell.answer("i1", { answer: ["A", "B"], notes: "mind the gap" })
    shell.reply("a", finish())
    expect(shell.state("b").session?.preamble).toContain("mind the gap")
  })

  test("[F21] at most MAX_LANES branches run separately", () => {
    const round = (i: number): Step[] => [
      fork(`f${i}`, { x: `p${i}`, y: `q${i}`, z: `z${i}` }, { multiSelect: true }),
      agent(`p${i}`, { on_complete: `f${i + 1}`, on_error: `z${i}` }),
      agent(`q${i}`, { on_complete: `f${i + 1}` }),
    ]
    const rounds = Array.from({ length: 11 }, (_, i) => i)
    const ends = rounds.flatMap((i): Step[] => [gate(`e${i}`, "end"), agent(`z${i}`)])
    const flow = of([
      ...rounds.flatMap(round),
      agent("f11", { on_complete: "end" }),
      ...ends.map((s) => (s.type === "conditional" ? { ...s, check: { step: "f0", field: "status" } } : s)),
      agent("end"),
    ])
    const { shell } = play(flow, Object.fromEntries(rounds.map((i) => [`f${i}`, ["x", "y"]])), first)
    expect(shell.run.status).toBe("succeeded")
    const most = Math.max(...shell.events("lanes.moved").map((e) => e.here.length))
    expect([most > 500, most <= 1_000]).toEqual([true, true])
  })

  test("[F21] one chosen branch leaves the journal of a simple choice", () => {
    const flow = of([many({ A: "a", B: "b" }), agent("a", { on_complete: "end" }), agent("b"), agent("end")])
    expect(play(flow, { f: ["A"] }, first).shell.events("lanes.moved")).toEqual([])
  })
})

describe("an agent chooses several branches", () => {
  const flow = flowOf(
    [many({ A: "a", B: "b", C: "c" }), agent("a", { on_complete: "end" }), agent("b", { on_complete: "end" }), agent("c"), agent("end")],
    { autonomous: true, max_concurrent: 4 },
  )
  const chosen = (branch: Json): Shell => {
    const shell = new Shell(planOf(flow))
    shell.reply("f", finish({ branch }))
    return shell
  }

  test("[F21b] every branch that it names runs, in file order, each once", () => {
    const shell = chosen(["C", "A", "C"])
    for (const step of ["a", "c", "end"]) shell.reply(step, finish())
    expect(shell.events("step.finished").map((e) => e.step)).toEqual(["f", "a", "c", "end"])
    expect(shell.events("step.finished")[0]).toMatchObject({ branch: "A", branches: ["A", "C"] })
    expect(shell.state("b").status).toBe("skipped")
    expect(shell.run.status).toBe("succeeded")
  })

  test("[F21] one label alone is a list of one, and a person's choice of one leaves the same events", () => {
    const facts = chosen("B").events("step.finished")[0]
    expect(facts).toMatchObject({ branch: "B" })
    expect(facts).not.toHaveProperty("branches")
    expect(chosen(["B"]).events("step.finished")[0]).toMatchObject({ branch: "B" })
  })

  test("[F20] a wrong label, an empty list and a missing choice are answered with the labels", () => {
    for (const branch of [["A", "Z"], [], "Z", { A: true }, 7] as Json[]) {
      const shell = chosen(branch)
      expect(shell.events("step.finished")).toEqual([])
      expect(JSON.stringify(shell.events("finish.rejected")[0]?.errors)).toContain("A, B, C")
    }
  })

  test("[F21] the agent is told that it may name several", () => {
    const shell = new Shell(planOf(flow))
    const { session } = shell.state("f")
    const step = shell.plan.steps.get("f")
    if (!session || !step) throw new Error("the fork has no session")
    expect(systemPrompt(shell.plan, session, choiceOf(step))).toContain("Set `branch` to a list of one or more of: A, B, C.")
    expect(session.task).toContain("Choose every option that fits.")
  })
})

describe("over random flows", () => {
  const draw = fc.record({
    kind: fc.constantFrom("agent", "agent", "agent", "decision", "conditional", "fork"),
    deps: fc.array(fc.boolean(), { maxLength: 3 }),
    a: fc.nat(99),
    b: fc.nat(99),
    c: fc.nat(99),
    odd: fc.nat(99),
  })
  const flows = fc.array(draw, { minLength: 4, maxLength: 11, size: "max" }).map((draws): Flow => {
    const last = draws.length
    return of([
      many(Object.fromEntries(["A", "B", "C"].map((l, k) => [l, `s${([draws[0]?.a, draws[1]?.b, draws[2]?.c][k] ?? 0) % last}`]))),
      ...draws.map((d, i): Step => {
        const later = last - 1 - i
        const ahead = (n: number): string => `s${i + 1 + (n % later)}`
        const blockedBy = [...new Set(d.deps.flatMap((is, k) => (is && k < i ? [`s${i - 1 - k}`] : [])))]
        if (later > 0 && d.kind === "decision") return decision(`s${i}`, { x: ahead(d.a), y: ahead(d.b) }, { blockedBy })
        if (later > 0 && d.kind === "conditional") return conditional(`s${i}`, "f", ahead(d.a), ahead(d.b), "status")
        if (later > 0 && d.kind === "fork")
          return fork(`s${i}`, { x: ahead(d.a), y: ahead(d.b), z: ahead(d.c) }, { multiSelect: true, blockedBy })
        return agent(`s${i}`, { blockedBy, ...(later > 0 && d.odd % 2 === 0 ? { on_complete: ahead(d.a) } : {}) })
      }),
    ])
  })
  const inner = { x: ["x"], y: ["x", "z"] }
  const answersOf = (flow: Flow, f: readonly string[], luck: number): Record<string, readonly string[]> =>
    Object.fromEntries(
      flow.steps.flatMap((s, i) => (s.type === "fork" ? [[s.id, s.id === "f" ? f : inner[(luck + i) % 2 === 0 ? "x" : "y"]]] : [])),
    )
  const fileOrder = (flow: Flow, ids: Iterable<string>): string[] => {
    const set = new Set(ids)
    return flow.steps.map((s) => s.id).filter((id) => set.has(id))
  }

  test("[F21b] a choice runs what each of its branches runs alone, each step once", () => {
    let diverged = 0
    fc.assert(
      fc.property(flows, fc.subarray(["A", "B", "C"], { minLength: 2 }), fc.nat(1000), (flow, labels, luck) => {
        const pick = (step: string): string => ((luck + step.length + Number(step.slice(1))) % 3 === 0 ? "y" : "x")
        const alone = labels.flatMap((l) => play(flow, answersOf(flow, [l], luck), pick).ran)
        const together = play(flow, answersOf(flow, labels, luck), pick)
        if (together.shell.events("lanes.moved").length > 0) diverged++
        expect(together.shell.run.status).toBe("succeeded")
        expect(new Set(together.ran).size).toBe(together.ran.length)
        expect(fileOrder(flow, together.ran)).toEqual(fileOrder(flow, alone))
        const crashed = play(flow, answersOf(flow, labels, luck), pick, true)
        expect(crashed.ran).toEqual(together.ran)
      }),
      { numRuns: amount(600, 100) },
    )
    expect(diverged).toBeGreaterThan(amount(200, 30))
  })

  test("[F21] [F18] with ways back every chosen branch still begins, the run ends, and its history alone gives its state", () => {
    fc.assert(
      fc.property(flows, fc.subarray(["A", "B", "C"], { minLength: 2 }), fc.nat(1000), (straight, labels, luck) => {
        const flow = of(
          straight.steps.map((s, i): Step => {
            const branches = s.type === "agent-decision" ? [...s.branches, { label: "again", target: `s${(luck + i) % i}` }] : []
            return s.type === "agent-decision" ? { ...s, branches, max_iterations: 2, on_exhausted: "x" } : s
          }),
        )
        const pick = (step: string, pass: number): string => ((luck + pass + Number(step.slice(1))) % 2 === 0 ? "again" : "y")
        const { shell, ran } = play(flow, answersOf(flow, labels, luck), pick)
        expect(shell.run.status).toBe("succeeded")
        const targets = flow.steps.flatMap((s) =>
          s.type === "fork" && s.id === "f" ? s.branches.filter((b) => labels.includes(b.label)) : [],
        )
        for (const { target } of targets) expect(ran).toContain(target)
        expect(JSON.stringify({ ...shell.refolded(), plan: 0, touched: 0 })).toBe(JSON.stringify({ ...shell.run, plan: 0, touched: 0 }))
        expect(play(flow, answersOf(flow, labels, luck), pick, true).ran).toEqual(ran)
      }),
      { numRuns: amount(300, 60) },
    )
  })
})
