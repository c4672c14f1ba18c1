// What a run knows of the questions below it [P5]: the latest word of each child, within bounds, and when it makes the run wait.

import { describe, expect, test } from "vitest"
import type { ChildQuestion, Fact } from "../../../src/core/run/event.ts"
import type { MapStep } from "../../../src/core/flow/flow.ts"
import { childKey } from "../../../src/core/run/key.ts"
import { restore, takeSnapshot } from "../../../src/core/run/snapshot.ts"
import { asksOf, type ChildAskSignal } from "../../../src/core/run/steps/child-questions.ts"
import { nowOf } from "../../../src/core/run/views/now.ts"
import { runView } from "../../../src/core/run/views/view.ts"
import { agent, flowOf, planOf } from "../../support/kernel/builders.ts"
import { call, roundTrip, Shell } from "../../support/kernel/shell.ts"

const map: MapStep = { type: "map", id: "m", over: "${{flow.input.items}}", do: "f", blockedBy: [], inputs: {}, max_concurrent: 4 }
const question = (run: string, id: string, payload = {}): ChildQuestion => ({ run, id, kind: "ask_user", step: "a", payload, schema: {} })

/** A run whose two children, `x` and `y`, are at work. */
function parent(): Shell {
  const shell = new Shell(planOf(flowOf([map])), { inputs: { items: [1, 2] } })
  for (const [index, run] of ["x", "y"].entries()) shell.tell({ type: "child.start", key: childKey("m", 1, index), index, run })
  return shell
}
const says = (shell: Shell, run: "x" | "y", asks: Partial<ChildAskSignal>): readonly Fact[] | string => {
  const index = run === "x" ? 0 : 1
  const said = shell.tell({ type: "child.ask", step: "m", pass: 1, index, run, from: 5, waits: true, open: [], decided: [], ...asks })
  return said.ok ? said.value : said.error.code
}
const reasons = (shell: Shell): string[] => shell.events("run.waiting").map(({ reason }) => reason)

describe("what is told of a run whose children work", () => {
  test("[J16] it runs, since it began to; once they all wait for people, it waits, since then", () => {
    const shell = parent()
    const told = (): unknown[] => {
      const { status, waiting, since, pending } = runView(shell.run)
      return [status, waiting?.reason, Date.parse(since), pending]
    }
    const began = shell.log[0]?.at
    shell.now += 5_000
    expect(told()).toEqual(["running", undefined, began, 0])
    expect(nowOf(shell.run)).toEqual({ step: "m", pass: 1 })
    says(shell, "x", { open: [question("x", "i1")] })
    expect(told()).toEqual(["running", undefined, began, 0])
    says(shell, "y", { open: [question("y", "i1")] })
    const asked = shell.log.at(-1)?.at
    expect(told()).toEqual(["waiting", "child_interaction", asked, 0])
    shell.now += 5_000
    says(shell, "x", { from: 9, waits: false, decided: [{ run: "x", id: "i1", status: "answered" }] })
    expect(told()).toEqual(["running", undefined, shell.log.at(-1)?.at, 0])
  })
})

describe("questions of child runs", () => {
  test("[P5] the run waits for people once every open child does, and each time anew", () => {
    const shell = parent()
    expect(reasons(shell)).toEqual(["child"])
    says(shell, "x", { open: [question("x", "i1")] })
    expect(reasons(shell)).toEqual(["child"])
    says(shell, "y", { open: [question("y", "i1"), question("z", "i4")] })
    expect(reasons(shell)).toEqual(["child", "child_interaction"])
    expect(runView(shell.run)).toMatchObject({ pending: 0, waiting: { reason: "child_interaction" } })
    expect(runView(shell.run).asks?.map(({ run, id }) => `${run}.${id}`)).toEqual(["x.i1", "y.i1", "z.i4"])
    // The next question comes with the answer to the first: it is waited for anew.
    says(shell, "x", { from: 9, open: [question("x", "i2")], decided: [{ run: "x", id: "i1", status: "answered" }] })
    expect(reasons(shell)).toEqual(["child", "child_interaction", "child_interaction"])
    expect(shell.events("child.asked").at(-1)?.decided).toEqual([{ run: "x", id: "i1", status: "answered" }])
    says(shell, "x", { from: 10, waits: false, decided: [{ run: "x", id: "i2", status: "answered" }] })
    expect(reasons(shell).at(-1)).toBe("child")
  })

  test("[P5] a child may ask before its parent has the answer to its start", () => {
    const shell = new Shell(planOf(flowOf([map])), { inputs: { items: [1, 2] } })
    says(shell, "x", { open: [question("x", "i1")] })
    expect(runView(shell.run).asks?.map(({ run, id }) => `${run}.${id}`)).toEqual(["x.i1"])
    const started = shell.tell({ type: "child.start", key: childKey("m", 1, 0), index: 0, run: "x" })
    expect(started.ok).toBe(false)
    expect(shell.events("child.started").map(({ run }) => run)).toEqual(["x"])
    shell.tell({ type: "child.start", key: childKey("m", 1, 1), index: 1, run: "y" })
    says(shell, "y", { open: [question("y", "i1")] })
    expect(reasons(shell)).toEqual(["child", "child_interaction"])
  })

  test("[P5] an overtaken or repeated message, and one of a child that is not open, change nothing", () => {
    const shell = parent()
    says(shell, "x", { open: [question("x", "i1")] })
    const before = shell.log.length
    expect(says(shell, "x", { open: [question("x", "i1")] })).toEqual([])
    expect(says(shell, "x", { from: 4 })).toBe("stale")
    const said = { type: "child.ask", step: "m", pass: 1, index: 0, run: "x", from: 9, waits: true, open: [], decided: [] } as const
    for (const other of [{ pass: 2 }, { step: "no" }, { run: "w" }, { index: 1 }])
      expect(shell.tell({ ...said, ...other }), JSON.stringify(other)).toMatchObject({ ok: false })
    expect(shell.log).toHaveLength(before)
  })

  test("[P5] the end of a child, of its step, or of the run ends its questions", () => {
    const shell = parent()
    says(shell, "x", { open: [question("x", "i1")] })
    says(shell, "y", { open: [question("y", "i1")] })
    const report = { status: "succeeded", summary: "", files: [], outputs: {} } as const
    shell.tell({ type: "child.end", step: "m", pass: 1, index: 0, run: "x", report })
    expect(runView(shell.run).asks).toEqual([{ run: "y", id: "i1", kind: "ask_user", step: "a" }])
    expect(reasons(shell).at(-1)).toBe("child_interaction")
    const kept = restore(shell.plan, roundTrip({ ...takeSnapshot(shell.run), steps: shell.run.steps }))
    expect(runView(kept)).toEqual(runView(shell.run))
    shell.tell({ type: "cancel", by: "me" })
    expect(runView(shell.run).asks).toBeUndefined()
  })

  test("[P5] a run knows twenty questions; what finds no room comes when some are answered", () => {
    const shell = parent()
    const many = (run: string): ChildQuestion[] => Array.from({ length: 15 }, (_, i) => question(run, `i${i}`))
    says(shell, "x", { open: many("x") })
    says(shell, "y", { open: many("y") })
    expect([runView(shell.run).asks?.length, reasons(shell).at(-1)]).toEqual([20, "child_interaction"])
    says(shell, "x", { from: 6, open: [] })
    says(shell, "y", { open: many("y") })
    expect(runView(shell.run).asks).toHaveLength(15)
    expect(asksOf(shell.run)?.open).toHaveLength(15)
  })

  test("[P5] one that alone is too large is known without what it shows, and a long answer only as given", () => {
    const shell = parent()
    says(shell, "x", { open: [question("x", "i1", { tool: "t", hash: "h", args: { text: "x".repeat(300_000) } })] })
    expect(shell.events("child.asked")[0]?.open[0]?.payload).toEqual({ omitted: true, tool: "t", hash: "h" })
    says(shell, "y", { open: Array.from({ length: 3 }, (_, i) => question("y", `i${i}`, { text: "y".repeat(100_000) })) })
    expect(runView(shell.run).asks).toHaveLength(3)
    const asker = new Shell(planOf(flowOf([agent("a")], { autonomous: false })))
    asker.reply("a", call("ask_user", { question: "?", type: "input" }, "c1"))
    asker.tell({ type: "answer", id: "i1", body: { answer: "x".repeat(5_000) }, by: "me" })
    expect(asksOf(asker.run)?.decided).toEqual([{ run: "run_1", id: "i1", status: "answered" }])
  })

  test("[P5] a call whose run waits for a person does nothing; another call beside it does", () => {
    const shell = new Shell(planOf(flowOf([agent("a")])))
    shell.reply("a", call("look", { n: 1 }, "c1"), call("look", { n: 2 }, "c2"))
    const asks = { type: "child.ask", step: "a", pass: 1, index: 0, from: 3, waits: true, decided: [] } as const
    shell.tell({ ...asks, run: "x", open: [question("x", "i1")] })
    expect([shell.run.status, reasons(shell)]).toEqual(["running", []])
    shell.tell({ ...asks, run: "y", open: [question("y", "i1")] })
    expect(reasons(shell)).toEqual(["child_interaction"])
    shell.tell({ ...asks, run: "y", from: 4, waits: false, open: [] })
    expect(shell.run.status).toBe("running")
    shell.returns("a", "c1")
    expect(shell.run.status).toBe("waiting")
  })
})
