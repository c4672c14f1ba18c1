// Time: the timers that a run wants, and that a timer has no effect too early, too late or twice.

import { describe, expect, test } from "vitest"
import { decide } from "../../../src/core/run/decide.ts"
import { agent, fork, flowOf, planOf } from "../../support/kernel/builders.ts"
import { failed, finish, Shell } from "../../support/kernel/shell.ts"

const wakes = (shell: Shell) => decide(shell.run).flatMap((a) => (a.do === "wake" ? [a.key] : []))
const stale = { ok: false, error: { code: "stale" } }

describe("timeouts", () => {
  test("[F30] a step that takes longer than its timeout fails softly", () => {
    const shell = new Shell(planOf(flowOf([agent("a", { timeout: 5_000, on_error: "r" }), agent("r")])))
    const opened = shell.state("a").opened ?? 0
    expect(wakes(shell)).toEqual(["timeout/a/1"])
    expect(shell.tell({ type: "timer", key: "timeout/a/1", at: opened + 4_999 })).toEqual(stale)
    shell.pass(opened + 5_000)
    expect(shell.state("a").result?.source).toBe("step_timeout")
    expect(shell.running()).toEqual(["r"])
    expect(shell.tell({ type: "timer", key: "timeout/a/1", at: opened + 9_000 })).toEqual(stale)
  })

  test("[F30] each pass has its own timeout", () => {
    const shell = new Shell(planOf(flowOf([agent("a", { timeout: 5_000, retry: { max: 1, backoff: 60_000 } })])))
    shell.pass(shell.nextDue() ?? 0)
    expect(shell.running()).toEqual([])
    shell.pass(shell.nextDue() ?? 0)
    expect(wakes(shell)).toEqual(["timeout/a/2"])
    expect(shell.tell({ type: "timer", key: "timeout/a/1", at: shell.now + 9_000 })).toEqual(stale)
    shell.reply("a", finish())
    expect(shell.run.status).toBe("succeeded")
  })

  test("[F30] a run that takes longer than its timeout fails with source run_timeout", () => {
    const shell = new Shell(planOf(flowOf([agent("a"), agent("b", { blockedBy: ["a"] })], { timeout: 10_000 })))
    expect(shell.timeout(shell.run.started + 9_999)).toEqual(stale)
    shell.timeout(shell.run.started + 10_000)
    expect(shell.run).toMatchObject({ status: "failed", error: { source: "run_timeout" } })
    expect(shell.statuses()).toEqual({ a: "canceled", b: "canceled" })
  })

  test("[F30] a run without a timeout is not timed out", () => {
    const shell = new Shell(planOf(flowOf([agent("a")])))
    expect(shell.timeout(shell.now + 1e12)).toEqual(stale)
  })

  test("[Q1] the timeout of a fork is the time that a person has, and that of the run stands still meanwhile", () => {
    const steps = [fork("f", { x: "a" }, { timeout: 1_000 }), agent("a")]
    const shell = new Shell(planOf(flowOf(steps, { autonomous: false, timeout: 500 })))
    shell.pass(900)
    expect([shell.run.status, shell.run.interactions["i1"]?.status]).toEqual(["waiting", "pending"])
    shell.pass(shell.nextDue() ?? 0)
    expect(shell.run).toMatchObject({ status: "failed", error: { step: "f", source: "step_timeout" } })
    expect(shell.run.interactions["i1"]?.status).toBe("withdrawn")
  })
})

describe("retries that wait", () => {
  const retried = (id: string, backoff: number) => agent(id, { retry: { max: 3, backoff } })

  test("[F35] the run wants a timer for the earliest retry, and enters it at that time and not before", () => {
    const shell = new Shell(planOf(flowOf([retried("a", 5_000), retried("b", 2_000)])))
    shell.reply("a", failed())
    shell.reply("b", failed())
    expect(shell.run).toMatchObject({ status: "waiting", reason: "retry" })
    expect(wakes(shell)).toEqual(["retry/b/2"])
    const due = shell.nextDue() ?? 0
    expect(shell.tell({ type: "timer", key: "retry/b/2", at: due - 1 })).toEqual(stale)
    expect(shell.tell({ type: "timer", key: "retry/a/2", at: due })).toEqual(stale)
    shell.pass(due)
    expect(shell.running()).toEqual(["b"])
    expect(wakes(shell)).toEqual(["retry/a/2"])
    expect(shell.tell({ type: "timer", key: "retry/b/2", at: due })).toEqual(stale)
  })

  test("[F35] two retries that are due at once are both entered", () => {
    const shell = new Shell(planOf(flowOf([retried("a", 5_000), retried("b", 2_000)])))
    shell.reply("a", failed())
    shell.reply("b", failed())
    shell.pass(shell.now + 60_000)
    expect(shell.running()).toEqual(["a", "b"])
  })

  test("[J5] the run stays in a segment with a waiting retry", () => {
    const shell = new Shell(planOf(flowOf([retried("a", 5_000), agent("b"), fork("f", { x: "z" }), agent("z")])))
    shell.reply("a", failed())
    shell.reply("b", finish())
    expect(shell.opened()).toEqual(["a", "b"])
    shell.pass(shell.nextDue() ?? 0)
    expect(shell.running()).toEqual(["a"])
  })

  test("[J10] the wait is in the journal: a crash changes nothing", () => {
    const shell = new Shell(planOf(flowOf([retried("a", 5_000)])))
    shell.reply("a", failed())
    const due = shell.nextDue()
    shell.crash()
    expect(shell.nextDue()).toBe(due)
    expect(shell.running()).toEqual([])
  })
})
