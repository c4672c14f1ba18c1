// Notices of a run [W6]: part of the fold, so a run that wakes up has the same notices.

import { describe, expect, test } from "vitest"
import { apply } from "../../../src/core/run/apply.ts"
import { newRun } from "../../../src/core/run/state.ts"
import { agent, flowOf, fork, planOf } from "../../support/kernel/builders.ts"
import { call, finish, Shell } from "../../support/kernel/shell.ts"

const asking = () => planOf(flowOf([fork("f", { x: "a" }), agent("a")], { autonomous: false }))

describe("notices", () => {
  test("[W6] a notice when a person is needed, then one for the end, each with its seq", () => {
    const shell = new Shell(asking())
    const waiting = { type: "run.waiting", seq: shell.events("run.waiting")[0]?.seq, at: expect.any(Number) }
    expect(shell.run.notices).toEqual([waiting])
    shell.tell({ type: "answer", id: shell.run.pending[0] ?? "", body: { answer: "x" }, by: "ann" })
    shell.reply("a", finish())
    const ended = { type: "run.succeeded", seq: shell.events("run.ended")[0]?.seq, at: expect.any(Number) }
    expect(shell.run.notices).toEqual([waiting, ended])
    shell.crash()
    expect(shell.run.notices).toEqual([waiting, ended])
  })

  test("[W6] waiting for anything but a person gives no notice", () => {
    const run = newRun(asking())
    for (const reason of ["retry", "child", "time", "signal"]) apply(run, { ...fact(1), type: "run.waiting", reason })
    expect(run.notices).toEqual([])
  })

  test("[W6] a child gives notice that it needs a person, and reports its end only to its parent", () => {
    const run = newRun(asking())
    run.parent = { run: "run_p", step: "c", pass: 1, index: 0, depth: 1 }
    apply(run, { ...fact(1), type: "run.waiting", reason: "interaction" })
    apply(run, { ...fact(2), type: "run.ended", status: "failed" })
    expect(run.notices.map((n) => n.type)).toEqual(["run.waiting"])
  })

  test("[W6] [J8] the latest hundred are kept", () => {
    const run = newRun(asking())
    for (let seq = 1; seq <= 250; seq++) apply(run, { ...fact(seq), type: "run.waiting", reason: "interaction" })
    apply(run, { ...fact(251), type: "run.ended", status: "canceled" })
    expect([run.notices.length, run.notices[0]?.seq, run.notices.at(-1)]).toEqual([100, 152, { type: "run.canceled", seq: 251, at: 251 }])
  })
})

const fact = (seq: number) => ({ seq, at: seq, v: 1, prev: "" })

describe("a question after another one", () => {
  const open = (shell: Shell): string => shell.run.pending[0] ?? ""

  test("[W6] of one reply is a notice of its own when the first is answered, and not again when another one is", () => {
    const shell = new Shell(planOf(flowOf([agent("a")], { autonomous: false })))
    const ask = (id: string) => call("ask_user", { question: `Which ${id}?`, type: "input" }, id)
    shell.reply("a", ask("one"), ask("two"), ask("three"))
    expect([shell.run.status, shell.run.pending.length, shell.run.notices.length]).toEqual(["waiting", 3, 1])
    shell.answer(shell.run.pending[1] ?? "", { answer: "this" })
    // The oldest question has been told.
    expect(shell.run.notices.length).toBe(1)
    shell.answer(open(shell), { answer: "this" })
    expect([shell.run.pending.length, shell.run.notices.length]).toEqual([1, 2])
    const before = shell.run.notices
    shell.crash()
    expect(shell.run.notices).toEqual(before)
    shell.answer(open(shell), { answer: "this" })
    expect(shell.run.status).toBe("running")
  })

  test("[W6] of the next step, asked in the same decision, is a notice of its own", () => {
    const shell = new Shell(planOf(flowOf([fork("f", { x: "g" }), fork("g", { x: "a" }), agent("a")], { autonomous: false })))
    shell.answer(open(shell), { answer: "x" })
    expect([shell.run.status, shell.run.notices.map(({ type }) => type)]).toEqual(["waiting", ["run.waiting", "run.waiting"]])
  })
})
