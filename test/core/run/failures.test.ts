// How steps and runs fail: sources, soft and hard, what catches a failure, retries of providers and of steps, cancel.

import { describe, expect, test } from "vitest"
import type { RunEvent } from "../../../src/core/run/event.ts"
import { FailureSource } from "../../../src/core/run/event-parts.ts"
import { MODEL_TRIES, MOST_RETRY_AFTER_MS, retryAt } from "../../../src/core/run/session/retry.ts"
import { agent, agentOf, decision, flowOf, loop, planOf } from "../../support/kernel/builders.ts"
import { replay } from "../../support/kernel/replay.ts"
import { call, choose, failed, finish, Shell } from "../../support/kernel/shell.ts"

const rescued = (): Shell =>
  new Shell(planOf(flowOf([agent("a", { on_error: "r" }), agent("b"), decision("d", { x: "r", y: "z" }), agent("r"), agent("z")])))

describe("failures of steps", () => {
  test("[F30] the sources of a failure are a closed set", () => {
    expect(FailureSource.options).toHaveLength(22)
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

  test("[F33] eight tries, then api_error, hard", () => {
    const shell = new Shell(planOf(flowOf([agent("a", { on_error: "b" }), agent("b")])))
    for (let i = 0; i < MODEL_TRIES; i++) {
      shell.pass(shell.nextDue() ?? 0)
      shell.fail("a")
    }
    expect(shell.run.error?.source).toBe("api_error")
    expect(shell.events("action.begun").map((e) => e.attempt)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
  })

  test("[F33] each turn has its own eight tries", () => {
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

  const down = { message: "down", retryable: true }
  const tried = (made: number): Parameters<typeof retryAt>[1] => ({ made, most: MODEL_TRIES, since: 0 })

  test("[F33] the waits double from one second, and each is between half of it and all of it", () => {
    const waits = (dice: number): unknown => [1, 2, 3, 4, 5, 6, 7].map((made) => retryAt(down, tried(made), 0, dice))
    expect(waits(0)).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000])
    expect(waits(0.5)).toEqual([750, 1_500, 3_000, 6_000, 12_000, 24_000, 48_000])
    expect(waits(1)).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000])
    expect(retryAt(down, tried(MODEL_TRIES), 0, 0.5)).toBeUndefined()
    expect(retryAt({ ...down, retryable: false }, tried(1), 0, 0.5)).toBeUndefined()
  })

  test("[F33] Retry-After is the least wait, at every try; a Retry-After beyond two minutes is final", () => {
    expect(retryAt({ ...down, retryAfter: 30_000 }, tried(1), 0, 0.5)).toBe(30_000)
    expect(retryAt({ ...down, retryAfter: 10_000 }, tried(7), 0, 0.5)).toBe(48_000)
    expect(retryAt({ ...down, retryAfter: MOST_RETRY_AFTER_MS }, tried(7), 600_000, 0.5)).toBe(720_000)
    expect(retryAt({ ...down, retryAfter: MOST_RETRY_AFTER_MS + 1 }, tried(1), 0, 0.5)).toBeUndefined()
  })

  test.each([0, 0.3, 0.999])("[F33] an outage of a minute is survived, and nearly two minutes with luck (dice %d)", (dice) => {
    const shell = new Shell(planOf(flowOf([agent("a")])))
    const end = shell.now + 63_500 + Math.floor(63_000 * dice)
    while (shell.now < end) {
      shell.fail("a", { status: 503 }, dice)
      shell.pass(shell.nextDue() ?? 0)
    }
    shell.reply("a", finish())
    expect(shell.run.status).toBe("succeeded")
  })

  test("[F33] a provider that goes silent for ten minutes is asked three times, not eight", () => {
    const shell = new Shell(planOf(flowOf([agent("a")])))
    let asked = 0
    for (; shell.run.status !== "failed" && asked < MODEL_TRIES; asked++) {
      shell.pass(Math.max(shell.now, shell.nextDue() ?? 0) + 600_000)
      shell.fail("a", { message: "silent" })
    }
    expect([asked, shell.run.error?.source]).toEqual([3, "api_error"])
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

  const worn = (shell: Shell, failure: Parameters<Shell["fail"]>[1] = {}): void => {
    const { pass } = shell.state("a")
    for (let i = 0; i < MODEL_TRIES && shell.state("a").pass === pass && shell.run.status !== "failed"; i++) {
      shell.fail("a", failure)
      shell.pass(shell.nextDue() ?? 0)
    }
  }

  test.each([{ status: 503 }, { status: 429, retryAfter: 600_000 }, { message: "the connection was lost" }])(
    "[F35] a provider that stayed down (%j) counts as a failure that a step is run again after, and is final after the last",
    (failure) => {
      const shell = new Shell(planOf(flowOf([agent("a", { ...twice, on_error: "r" }), agent("r")])))
      worn(shell, failure)
      expect(shell.events("step.finished").map((e) => [e.source, e.hard])).toEqual([["api_error", undefined]])
      expect(shell.running()).toEqual(["a"])
      worn(shell, failure)
      worn(shell, failure)
      expect(shell.state("a").pass).toBe(3)
      expect(shell.run).toMatchObject({ status: "failed", error: { step: "a", source: "api_error" } })
      expect(shell.events("step.finished").map((e) => e.hard)).toEqual([undefined, undefined, true])
    },
  )

  test("[F35] after an outage that is longer than a call's tries, the step goes on from its retry", () => {
    const shell = new Shell(planOf(flowOf([agent("a", twice), agent("b", { blockedBy: ["a"] })])))
    worn(shell)
    shell.reply("a", finish())
    expect(shell.running()).toEqual(["b"])
    const again = replay(shell.plan, shell.log, (text) => String((JSON.parse(text) as RunEvent).seq))
    expect(again.fault).toBeUndefined()
  })

  test.each([
    ["a refused request", { status: 400, retryable: false }],
    ["a refused key", { status: 401, retryable: false }],
    ["a fault of the settings", { config: true }],
  ])("[F35] %s is no reason to run a step again", (_, failure) => {
    const shell = new Shell(planOf(flowOf([agent("a", twice)])))
    shell.fail("a", failure)
    expect([shell.run.status, shell.state("a").pass]).toEqual(["failed", 1])
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
