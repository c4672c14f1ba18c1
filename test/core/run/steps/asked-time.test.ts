// [Q1] While a person is asked, the timeout of the step and of the run stands still, as in a pause: the question has its own expiry, or none.

import { describe, expect, test } from "vitest"
import { DEFAULT_POLICY } from "../../../../src/core/tool/policy/policy.ts"
import { agent, flowOf, fork, planOf } from "../../../support/kernel/builders.ts"
import { call, finish, Shell } from "../../../support/kernel/shell.ts"

const ASK = call("ask_user", { question: "Well?", type: "input" })
const MINUTE = 60_000
/** Lets time pass; every due timer fires. */
const later = (shell: Shell, ms: number): void => shell.pass(shell.now + ms)
const finished = (shell: Shell): unknown[] => shell.events("step.finished").map((e) => [e.step, e.status, e.source])

describe("a step's timeout", () => {
  const plan = planOf(
    flowOf([agent("a", { timeout: MINUTE }), agent("b", { timeout: MINUTE, on_error: "z" }), agent("z", { blockedBy: ["a", "b"] })], {
      autonomous: false,
    }),
  )

  test("[Q1] stands still while its own agent asks, and goes on with what it had left; a sibling's runs on", () => {
    const shell = new Shell(plan)
    later(shell, 40_000)
    shell.reply("a", ASK)
    later(shell, 19_000)
    expect(finished(shell)).toEqual([])
    later(shell, 100 * MINUTE)
    expect(finished(shell)).toEqual([["b", "error", "step_timeout"]])
    expect(shell.nextDue()).toBeUndefined()
    shell.answer("i1", { answer: "x" })
    later(shell, 18_000)
    expect(finished(shell)).toHaveLength(1)
    later(shell, 3_000)
    expect(finished(shell)).toEqual([
      ["b", "error", "step_timeout"],
      ["a", "error", "step_timeout"],
    ])
  })

  test("[Q1] for questions that overlap, and for a pause within one, time is counted once", () => {
    const rules = {
      policy: { ...DEFAULT_POLICY, approvals: { ...DEFAULT_POLICY.approvals, tools: "always" as const, expires: 10 * MINUTE } },
      scopes: [],
      version: 0,
    }
    const shell = new Shell(planOf(flowOf([agent("a", { timeout: MINUTE })], { autonomous: false })), { rules })
    shell.reply("a", call("look", { n: 1 }), call("look", { n: 2 }))
    later(shell, 5 * MINUTE)
    shell.answer("i1", { decision: "approve" })
    shell.tell({ type: "pause", reason: "operator" })
    later(shell, 4 * MINUTE)
    shell.tell({ type: "resume", reason: "operator" })
    expect(finished(shell)).toEqual([])
    // The question has its own end: then the step's time goes on.
    later(shell, MINUTE)
    expect(shell.events("interaction.expired")).toHaveLength(1)
    shell.returns("a", "c0")
    later(shell, 55_000)
    expect(finished(shell)).toEqual([])
    later(shell, 6_000)
    expect(finished(shell)).toEqual([["a", "error", "step_timeout"]])
  })

  test("[Q1] begins anew with each pass", () => {
    const flow = flowOf([fork("f", { x: "b", y: "b" }), agent("b", { timeout: MINUTE, retry: { max: 1, backoff: 0 } })], {
      autonomous: false,
    })
    const shell = new Shell(planOf(flow))
    later(shell, 100 * MINUTE)
    expect([finished(shell), shell.pending().length]).toEqual([[], 1])
    shell.answer("i1", { answer: "x" })
    shell.reply("b", ASK)
    later(shell, 100 * MINUTE)
    shell.answer("i2", { answer: "x" })
    later(shell, MINUTE + 1_000)
    expect(finished(shell).at(-1)).toEqual(["b", "error", "step_timeout"])
    const { at = 0 } = shell.events("step.opened").at(-1) ?? {}
    shell.pass(at + 59_000)
    expect([shell.state("b").pass, finished(shell).length]).toEqual([2, 2])
    shell.pass(at + 61_000)
    expect(shell.run.status).toBe("failed")
  })
})

describe("a run's timeout", () => {
  test("[Q1] stands still while anybody is asked, also after a crash and from a snapshot", () => {
    const shell = new Shell(planOf(flowOf([agent("a"), agent("b")], { timeout: MINUTE, autonomous: false })), { snapshotEvery: 3 })
    later(shell, 30_000)
    shell.reply("a", ASK)
    later(shell, 500 * MINUTE)
    shell.crash()
    later(shell, 500 * MINUTE)
    expect(shell.run.status).not.toBe("failed")
    shell.answer("i1", { answer: "x" })
    shell.crash()
    later(shell, 25_000)
    expect(shell.run.status).not.toBe("failed")
    later(shell, 6_000)
    expect([shell.run.status, shell.run.error?.source]).toEqual(["failed", "run_timeout"])
  })

  test("[Q1] and that of a step stand still while a child run asks", () => {
    const flow = flowOf([{ type: "flow-ref", id: "r", flow: "c", blockedBy: [], inputs: {}, timeout: MINUTE }], { timeout: 2 * MINUTE })
    const shell = new Shell(planOf(flow))
    const key = shell.flying("r", "/child")
    shell.tell({ type: "child.start", key, index: 0, run: "run_c" })
    const question = { run: "run_c", id: "i1", kind: "ask_user" as const, step: "x", payload: {}, schema: {} }
    const asks = (from: number, open: readonly (typeof question)[]) =>
      shell.tell({ type: "child.ask", step: "r", pass: 1, index: 0, run: "run_c", from, waits: open.length > 0, open, decided: [] })
    expect(asks(5, [question]).ok).toBe(true)
    later(shell, 500 * MINUTE)
    expect(shell.run.status).not.toBe("failed")
    expect(asks(7, []).ok).toBe(true)
    later(shell, 59_000)
    expect(finished(shell)).toEqual([])
    later(shell, 2_000)
    expect(finished(shell)).toEqual([["r", "error", "step_timeout"]])
  })
})

test("[Q1] a finish is none the less in time, and a step without a timeout knows none", () => {
  const shell = new Shell(planOf(flowOf([agent("a", { timeout: MINUTE })], { autonomous: false })))
  shell.reply("a", ASK)
  later(shell, 10 * MINUTE)
  shell.answer("i1", { answer: "x" })
  shell.reply("a", finish())
  expect(shell.run.status).toBe("succeeded")
})
