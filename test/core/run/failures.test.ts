// How steps and runs fail: sources, soft and hard, what catches a failure, retries of providers and of steps, cancel.

import { describe, expect, test } from "vitest"
import { FailureSource } from "../../../src/core/run/event-parts.ts"
import { MODEL_TRIES, MODEL_WINDOW_MS, retryAt } from "../../../src/core/run/session/retry.ts"
import { agent, agentOf, decision, flowOf, loop, planOf } from "../../support/kernel/builders.ts"
import { call, choose, failed, finish, Shell } from "../../support/kernel/shell.ts"

const rescued = (): Shell =>
  new Shell(planOf(flowOf([agent("a", { on_error: "r" }), agent("b"), decision("d", { x: "r", y: "z" }), agent("r"), agent("z")])))

describe("failures of steps", () => {
  test("[F30] the sources of a failure are a closed set", () => {
    expect(FailureSource.options).toHaveLength(16)
    expect(FailureSource.safeParse("bad_luck").success).toBe(false)
  })

  test("[F30] finish(error) and finish(blocked) are soft: on_error takes them", () => {
    for (const status of ["error", "blocked"]) {
      const shell = rescued()
      shell.reply("b", finish())
      shell.reply("a", finish({ status, summary: "no" }))
      expect(shell.state("a").status).toBe(status)
      expect(shell.running()).toEqual(["r"])
    }
  })

  test("[F31] a soft failure without on_error ends the run, cancels running steps and keeps the first failure", () => {
    const shell = new Shell(planOf(flowOf([agent("a"), agent("b"), agent("c", { blockedBy: ["a"] })])))
    shell.reply("a", failed("out of ideas"))
    expect(shell.run).toMatchObject({ status: "failed", error: { step: "a", source: "agent_finish_error", message: "out of ideas" } })
    expect(shell.statuses()).toEqual({ a: "error", b: "canceled", c: "canceled" })
    expect(shell.run.underway).toEqual({})
    expect(shell.log.at(-1)?.type).toBe("run.ended")
  })

  test("[F31] a hard failure ends the run despite on_error and retry", () => {
    const shell = new Shell(planOf(flowOf([agent("a", { on_error: "r", retry: { max: 3, backoff: 0 } }), agent("r")])))
    shell.fail("a", { status: 401, message: "bad key", retryable: false })
    expect(shell.run).toMatchObject({ status: "failed", error: { step: "a", source: "api_error", message: "bad key" } })
  })

  test("[F30] a missing agent, or a model that cannot be chosen, is a configuration fault", () => {
    const gone = new Shell(planOf(flowOf([agent("a", { agent: "nobody" })])))
    expect(gone.run).toMatchObject({ status: "failed", error: { step: "a", source: "config" } })
    const model = new Shell(planOf(flowOf([agent("a")])))
    model.fail("a", { message: "no such model", config: true })
    expect(model.run.error?.source).toBe("config")
    expect(model.events("model.failed")[0]?.retryAt).toBeUndefined()
  })

  test("[F32] a handled soft failure does not fail the run", () => {
    const shell = rescued()
    shell.reply("a", failed())
    shell.reply("b", finish())
    shell.reply("r", finish())
    expect(shell.run.status).toBe("succeeded")
    expect(shell.statuses()).toMatchObject({ a: "error", d: "skipped", r: "complete", z: "skipped" })
  })

  test("[F31] when two fail, the first failure is the run's", () => {
    const shell = new Shell(planOf(flowOf([agent("a"), agent("b")])))
    shell.reply("b", failed("b was first"))
    expect(shell.run.error).toMatchObject({ step: "b", message: "b was first" })
    expect(
      shell.tell({
        type: "model.reply",
        key: "a/1/0/model",
        reply: {
          text: "",
          thinking: false,
          toolCalls: [],
          usage: { input: 0, output: 0 },
          stopReason: "stop",
          system: "",
          request: "",
        },
      }),
    ).toEqual({ ok: false, error: { code: "run_over" } })
  })
})

describe("provider retries", () => {
  test("[F33] a retryable failure is retried later, with nothing under way until then", () => {
    const shell = new Shell(planOf(flowOf([agent("a")])))
    shell.fail("a")
    const at = shell.events("model.failed")[0]?.retryAt ?? 0
    expect(at).toBeGreaterThan(shell.now)
    expect(shell.keys()).toEqual([])
    expect(shell.run).toMatchObject({ status: "waiting", reason: "retry" })
    expect(shell.nextDue()).toBe(at)
    shell.pass(at - 1)
    expect(shell.keys()).toEqual([])
    shell.pass(at)
    expect(shell.keys()).toEqual(["a/1/0/model"])
    shell.reply("a", finish())
    expect(shell.run.status).toBe("succeeded")
  })

  test("[F33] four tries, then api_error, hard", () => {
    const shell = new Shell(planOf(flowOf([agent("a", { on_error: "b" }), agent("b")])))
    for (let i = 0; i < MODEL_TRIES; i++) {
      shell.pass(shell.nextDue() ?? 0)
      shell.fail("a")
    }
    expect(shell.run.error?.source).toBe("api_error")
    expect(shell.events("action.begun").map((e) => e.attempt)).toEqual([1, 2, 3, 4])
  })

  test("[F33] each turn has its own four tries", () => {
    const shell = new Shell(planOf(flowOf([agent("a")])))
    const troubled = (): void => {
      for (let i = 0; i < MODEL_TRIES - 1; i++) {
        shell.fail("a")
        shell.pass(shell.nextDue() ?? 0)
      }
    }
    troubled()
    shell.reply("a", call("look"))
    shell.returns("a", "c0")
    troubled()
    shell.reply("a", finish())
    expect(shell.run.status).toBe("succeeded")
  })

  test("[F33] backoff is exponential with full jitter; Retry-After is a floor; a retry past two minutes is not made", () => {
    const down = { message: "down", retryable: true }
    expect([1, 2, 3].map((tries) => retryAt(down, tries, 0, 0, 0.5))).toEqual([500, 1_000, 2_000])
    expect(retryAt(down, 1, 0, 0, 0)).toBe(0)
    expect(retryAt({ ...down, retryAfter: 30_000 }, 1, 0, 0, 0.5)).toBe(30_000)
    expect(retryAt({ ...down, retryAfter: MODEL_WINDOW_MS + 1 }, 1, 0, 0, 0.5)).toBeUndefined()
    expect(retryAt({ ...down, retryAfter: 60_000 }, 2, 0, 70_000, 0.5)).toBeUndefined()
    expect(retryAt(down, MODEL_TRIES, 0, 0, 0.5)).toBeUndefined()
    expect(retryAt({ ...down, retryable: false }, 1, 0, 0, 0.5)).toBeUndefined()
  })

  test("[F33] other steps continue while one waits", () => {
    const shell = new Shell(planOf(flowOf([agent("a"), agent("b")])))
    shell.fail("a")
    expect(shell.keys()).toEqual(["b/1/0/model"])
    expect(shell.run.status).toBe("running")
  })
})

describe("retry of a step", () => {
  const twice = { retry: { max: 2, backoff: 1_000 } }

  test("[F35] a step runs again after a soft failure, at most max times, with doubling delays, before on_error", () => {
    const shell = new Shell(planOf(flowOf([agent("a", { ...twice, on_error: "r" }), agent("r")])))
    const delays: number[] = []
    for (let i = 0; i < 2; i++) {
      shell.reply("a", failed())
      expect(shell.running()).toEqual([])
      delays.push((shell.events("step.reopened").at(-1)?.notBefore ?? 0) - (shell.events("step.finished").at(-1)?.at ?? 0))
      shell.pass(shell.nextDue() ?? 0)
      expect(shell.running()).toEqual(["a"])
    }
    shell.reply("a", failed("for good"))
    expect(shell.state("a").pass).toBe(3)
    expect(shell.running()).toEqual(["r"])
    expect(delays.map((d) => Math.round(d / 1_000))).toEqual([1, 2])
  })

  test("[F35] a success ends the retries; steps that wait for the step do not start between the tries", () => {
    const shell = new Shell(planOf(flowOf([agent("a", twice), agent("b", { blockedBy: ["a"] })])))
    shell.reply("a", failed())
    expect(shell.running()).toEqual([])
    shell.pass(shell.nextDue() ?? 0)
    shell.reply("a", finish())
    expect(shell.running()).toEqual(["b"])
  })

  test("[F35] blocked is not retried", () => {
    const shell = new Shell(planOf(flowOf([agent("a", twice)])))
    shell.reply("a", finish({ status: "blocked", summary: "no key" }))
    expect(shell.run.status).toBe("failed")
  })

  test("[F35] a step that only an error leads to is retried like any other", () => {
    const shell = new Shell(planOf(flowOf([agent("a", { on_error: "r" }), agent("r", twice)])))
    shell.reply("a", failed())
    shell.reply("r", failed())
    shell.pass(shell.nextDue() ?? 0)
    expect(shell.running()).toEqual(["r"])
    for (let i = 0; i < 2; i++) {
      shell.reply("r", failed("it is hopeless"))
      if (i === 0) shell.pass(shell.nextDue() ?? 0)
    }
    expect(shell.run).toMatchObject({ status: "failed", error: { step: "r", message: "it is hopeless" } })
  })

  test("[F35] a step that waits for its retry frees its slot", () => {
    const shell = new Shell(planOf(flowOf([agent("a", twice), agent("b"), agent("c")], { max_concurrent: 1 })))
    shell.reply("a", failed())
    expect(shell.running()).toEqual(["b"])
    shell.pass(shell.nextDue() ?? shell.now + 5_000)
    shell.reply("b", finish())
    expect(shell.running()).toEqual(["a"])
  })

  test("[F35] each entry has its own retries", () => {
    const shell = new Shell(planOf(flowOf([agent("a", { retry: { max: 1, backoff: 0 } }), loop("l", "a", "z", 2), agent("z")])))
    for (let i = 0; i < 2; i++) {
      shell.reply("a", failed())
      shell.reply("a", finish())
      shell.reply("l", choose("loop"))
    }
    expect(shell.state("a").pass).toBe(5)
    expect(shell.running()).toEqual(["a"])
  })

  test("[F35] a decision is retried too, and then routes", () => {
    const shell = new Shell(planOf(flowOf([decision("d", { x: "z" }, { retry: { max: 1, backoff: 0 } }), agent("y"), agent("z")])))
    shell.reply("d", failed())
    shell.reply("d", choose("x"))
    expect(shell.statuses()).toMatchObject({ d: "complete", y: "skipped", z: "running" })
  })
})

describe("cancel", () => {
  test("[F34] unfinished steps are canceled, questions withdrawn, one terminal event, nothing after it", () => {
    const plan = planOf(flowOf([agent("a"), agent("b"), decision("d", { x: "z" }), agent("z")], { autonomous: false }), [agentOf("worker")])
    const shell = new Shell(plan)
    shell.reply("a", finish())
    shell.reply("b", call("ask_user", { question: "?", type: "input" }))
    shell.tell({ type: "cancel", by: "ann" })
    expect(shell.run.status).toBe("canceled")
    expect(shell.statuses()).toEqual({ a: "complete", b: "canceled", d: "canceled", z: "canceled" })
    expect(Object.values(shell.run.interactions).map((i) => i.status)).toEqual(["withdrawn"])
    expect(shell.events("run.ended")).toHaveLength(1)
    for (const type of ["cancel", "broken"] as const)
      expect(shell.tell({ type, by: "ann", message: "" })).toEqual({ ok: false, error: { code: "run_over" } })
  })

  test("[J12] a shell that gives up fails the run with source engine", () => {
    const shell = new Shell(planOf(flowOf([agent("a")])))
    shell.tell({ type: "broken", message: "the alarm failed too often" })
    expect(shell.run).toMatchObject({ status: "failed", error: { source: "engine" } })
  })
})
