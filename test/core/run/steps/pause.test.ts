// Pause and resume: nothing begins during a pause, effects under way are recorded, timeouts exclude it, and afterwards only time has changed.

import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { decide } from "../../../../src/core/run/decide.ts"
import type { Step } from "../../../../src/core/flow/flow.ts"
import { amount } from "../../../support/amount.ts"
import { agent, flowOf, fork, planOf } from "../../../support/kernel/builders.ts"
import { CAST, flows } from "../../../support/kernel/generate.ts"
import { breaches } from "../../../support/kernel/laws.ts"
import { pauses } from "../../../support/kernel/noise.ts"
import { failed, finish, Shell } from "../../../support/kernel/shell.ts"
import { diceOf, live, outcomeOf } from "../../../support/kernel/world.ts"

const stale = { ok: false, error: { code: "stale" } }
const pause = (shell: Shell) => shell.tell({ type: "pause", reason: "operator" })
const resume = (shell: Shell) => shell.tell({ type: "resume", reason: "operator" })
const two = (more = {}) => new Shell(planOf(flowOf([agent("a"), agent("b", { blockedBy: ["a"] })], more)))

describe("pause", () => {
  test("[H5] effects under way end and are recorded, and nothing else begins until the resume", () => {
    const shell = two()
    expect(pause(shell).ok).toBe(true)
    expect(shell.run).toMatchObject({ status: "paused", reason: "operator" })
    shell.reply("a", finish())
    expect([shell.state("a").status, shell.state("b").status, shell.keys(), decide(shell.run)]).toEqual(["complete", "pending", [], []])
    resume(shell)
    expect([shell.run.status, shell.keys()]).toEqual(["running", ["b/1/0/model"]])
  })

  test("[H5] a second pause or resume changes nothing", () => {
    const shell = two()
    pause(shell)
    expect(pause(shell)).toEqual(stale)
    resume(shell)
    expect(resume(shell)).toEqual(stale)
    expect([shell.events("run.paused"), shell.events("run.resumed")].map((e) => e.length)).toEqual([1, 1])
  })

  test("[H5] an ended run is neither paused nor resumed, and a paused run can be canceled", () => {
    const shell = two()
    pause(shell)
    expect(shell.tell({ type: "cancel", by: "ann" }).ok).toBe(true)
    expect(shell.run.status).toBe("canceled")
    expect([pause(shell), resume(shell)]).toMatchObject([{ error: { code: "run_over" } }, { error: { code: "run_over" } }])
  })

  test("[J10] a crash during a pause loses effects under way and begins nothing", () => {
    const shell = two()
    pause(shell)
    shell.crash()
    expect([shell.run.status, shell.keys(), shell.events("action.lost").length]).toEqual(["paused", [], 1])
    resume(shell)
    expect(shell.keys()).toEqual(["a/1/0/model"])
  })

  test("[H5] a run that waited waits again, for the same reason", () => {
    const shell = new Shell(planOf(flowOf([fork("f", { x: "a" }), agent("a")], { autonomous: false })))
    expect(shell.run).toMatchObject({ status: "waiting", reason: "interaction" })
    pause(shell)
    resume(shell)
    expect(shell.run).toMatchObject({ status: "waiting", reason: "interaction" })
  })

  test("[H5] an answer is accepted during a pause, and takes effect at the resume", () => {
    const shell = new Shell(planOf(flowOf([fork("f", { x: "a" }), agent("a")], { autonomous: false })))
    pause(shell)
    expect(shell.answer("i1", { answer: "x" }).ok).toBe(true)
    expect([shell.state("f").status, shell.keys()]).toEqual(["complete", []])
    resume(shell)
    expect(shell.running()).toEqual(["a"])
  })

  test("[H5] an operator resumes a run that its parent paused; a parent does not resume a run that an operator paused", () => {
    const shell = two()
    shell.tell({ type: "pause", reason: "parent" })
    expect(resume(shell).ok).toBe(true)
    shell.tell({ type: "pause", reason: "parent" })
    expect(pause(shell).ok).toBe(true)
    expect(shell.tell({ type: "resume", reason: "parent" })).toEqual(stale)
    expect(resume(shell).ok).toBe(true)
  })
})

describe("time during a pause", () => {
  test("[H5] a step's timeout does not count the pause", () => {
    const shell = new Shell(planOf(flowOf([agent("a", { timeout: 5_000, on_error: "r" }), agent("r")])))
    const opened = shell.state("a").opened ?? 0
    shell.now = opened + 4_000
    pause(shell)
    const since = shell.run.pausedAt ?? 0
    shell.pass(opened + 60_000)
    expect(shell.state("a").status).toBe("running")
    expect(shell.tell({ type: "timer", key: "timeout/a/1", at: opened + 60_000 })).toEqual(stale)
    resume(shell)
    const stood = (shell.events("run.resumed")[0]?.at ?? 0) - since
    expect(shell.nextDue()).toBe(opened + 5_000 + stood)
    shell.pass(opened + 5_000 + stood)
    expect(shell.state("a").result?.source).toBe("step_timeout")
  })

  test("[H5] a step counts only the pauses of its own pass, the run counts all pauses", () => {
    const shell = two({ timeout: 100_000 })
    const { started } = shell.run
    pause(shell)
    shell.now += 30_000
    resume(shell)
    const stood = shell.run.pausedFor ?? 0
    expect(shell.tell({ type: "timer", key: "timeout", at: started + 100_000 + stood - 1 })).toEqual(stale)
    shell.reply("a", finish())
    expect(shell.state("b").pausedBefore).toBe(stood)
    shell.timeout(started + 100_000 + stood)
    expect(shell.run.error?.source).toBe("run_timeout")
  })

  test("[H5] a timeout that fires during a pause is refused", () => {
    const shell = two({ timeout: 10_000 })
    pause(shell)
    expect(shell.timeout(shell.run.started + 20_000)).toEqual(stale)
    expect(shell.run.status).toBe("paused")
  })

  test("[H5] an approval's expiry counts the pause", () => {
    const expires = 50_000
    const shell = two()
    pause(shell)
    shell.run.interactions["i1"] = {
      id: "i1",
      kind: "approval.tool",
      step: "a",
      pass: 1,
      status: "pending",
      payload: {},
      schema: {},
      created: 0,
      expires,
    }
    shell.run.pending = ["i1"]
    expect(decide(shell.run)).toEqual([{ do: "wake", key: "expire/i1", at: expires }])
  })

  test("[F35] a retry that came due during the pause is entered at the resume", () => {
    const shell = new Shell(planOf(flowOf([agent("a", { retry: { max: 1, backoff: 5_000 } })])))
    shell.reply("a", failed())
    pause(shell)
    shell.pass(shell.now + 60_000)
    expect(shell.running()).toEqual([])
    resume(shell)
    shell.pass(shell.now)
    expect(shell.running()).toEqual(["a"])
  })

  test("[H5] a wait until a time counts the pause: when its time has passed, it ends at the resume", () => {
    const wait: Step = { type: "wait", id: "w", blockedBy: [], for: "10s" }
    const shell = new Shell(planOf(flowOf([wait, agent("a", { blockedBy: ["w"] })])))
    const until = shell.state("w").until ?? 0
    pause(shell)
    shell.pass(until + 1_000)
    expect(shell.state("w").status).toBe("running")
    resume(shell)
    shell.pass(shell.now)
    expect(shell.state("w").status).toBe("complete")
  })
})

describe("over random flows and worlds", () => {
  const seeds = fc.nat(2 ** 31)

  test("[H5] pauses and crashes at any moment change nothing but time", () => {
    fc.assert(
      fc.property(flows(), seeds, seeds, (flow, seed, luck) => {
        const plan = planOf(flow, CAST)
        const calm = live(plan, { world: { seed, post: false } })
        const [roll, fate] = [diceOf(`pause:${luck}`), diceOf(`crash:${luck}`)]
        const stormy = live(plan, {
          world: { seed, post: false },
          crash: () => fate() < 0.1,
          snapshotEvery: luck % 2 === 0 ? 5 : 0,
          meddle: (shell) => pauses(shell, roll()),
        })
        expect(breaches(plan, stormy.log)).toEqual([])
        expect(outcomeOf(stormy)).toEqual(outcomeOf(calm))
      }),
      { numRuns: amount(200, 60) },
    )
  })
})
