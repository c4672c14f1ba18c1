// Models that take over when a model fails [F33]: after its tries, never after a tool call had begun, in the journal and in the budget.

import { describe, expect, test } from "vitest"
import type { FactOf } from "../../../src/core/run/event.ts"
import { MODEL_TRIES, TRIES_BEFORE_FALLBACK } from "../../../src/core/run/session/retry.ts"
import { agent, flowOf, planOf } from "../../support/kernel/builders.ts"
import { call, finish, Shell, type StartOptions } from "../../support/kernel/shell.ts"

const pinned = (models: readonly string[]): FactOf<"run.started">["pinned"] => ({
  revision: 1,
  flow: { id: "f", hash: "h" },
  agents: {},
  skills: {},
  models: { worker: models[0] ?? "" },
  ...(models.length > 1 ? { fallbacks: { worker: models.slice(1) } } : {}),
})

const shellOf = (models: readonly string[], started: Partial<FactOf<"run.started">> = {}, more: StartOptions = {}): Shell =>
  new Shell(planOf(flowOf([agent("a")])), { ...more, started: { pinned: pinned(models), ...started } })

/** Uses up the tries of the current model. */
function exhaust(shell: Shell, failure: Parameters<Shell["fail"]>[1] = {}, tries = TRIES_BEFORE_FALLBACK): void {
  for (let i = 0; i < tries; i++) {
    shell.pass(shell.nextDue() ?? 0)
    shell.fail("a", failure)
  }
  shell.pass(shell.nextDue() ?? 0)
}

const modelOf = (shell: Shell): string | undefined => shell.state("a").session?.model

describe("a list of models", () => {
  test.each([{ status: 429 }, { status: 503 }, { status: 529 }, { message: "lost" }])(
    "[F33] after %j and its tries the next model answers, and the journal says why and which",
    (failure) => {
      const shell = shellOf(["one/m", "two/n", "three/o"])
      exhaust(shell, failure)
      expect(modelOf(shell)).toBe("two/n")
      expect(shell.events("model.failed").map((e) => e.fallback)).toEqual([undefined, undefined, undefined, "two/n"])
      shell.reply("a", call("look"))
      shell.returns("a", "c0")
      shell.reply("a", finish())
      expect(shell.run.status).toBe("succeeded")
      expect(shell.events("model.replied").map((e) => e.model)).toEqual(["two/n", "two/n"])
    },
  )

  test("[F33] each model has its own tries, and after the last one the step fails with its message", () => {
    const shell = shellOf(["one/m", "two/n"])
    exhaust(shell)
    exhaust(shell, { message: "two is down as well" }, MODEL_TRIES)
    expect(shell.run).toMatchObject({ status: "failed", error: { source: "api_error", message: "two is down as well" } })
    expect(shell.events("model.failed")).toHaveLength(TRIES_BEFORE_FALLBACK + MODEL_TRIES)
  })

  test("[F33] a Retry-After beyond the two minutes is no reason to wait when another model can answer", () => {
    const shell = shellOf(["one/m", "two/n"])
    shell.fail("a", { status: 429, retryAfter: 3_600_000 })
    shell.pass(shell.nextDue() ?? 0)
    expect([modelOf(shell), shell.keys()]).toEqual(["two/n", ["a/1/0/model"]])
  })

  test.each([
    ["a refusal of the request", { status: 400, retryable: false }],
    ["a refused key", { status: 401, retryable: false }],
    ["an unknown model", { status: 404, retryable: false }],
    ["a fault of the settings", { config: true }],
  ])("[F33] %s is not passed on to another model", (_, failure) => {
    const shell = shellOf(["one/m", "two/n"])
    shell.fail("a", failure)
    expect(shell.run.status).toBe("failed")
    expect(shell.events("model.failed").map((e) => e.fallback)).toEqual([undefined])
  })

  test("[F33] once a reply of the turn had begun to call a tool, no other model takes over", () => {
    const shell = shellOf(["one/m", "two/n"])
    shell.fail("a", { called: true })
    for (let i = 1; i < MODEL_TRIES; i++) {
      shell.pass(shell.nextDue() ?? 0)
      shell.fail("a", { status: 503 })
    }
    expect(shell.run).toMatchObject({ status: "failed", error: { source: "api_error" } })
    expect(shell.events("model.failed").map((e) => e.called)).toEqual([true, ...Array.from({ length: MODEL_TRIES - 1 })])
    const next = shellOf(["one/m", "two/n"])
    next.fail("a", { called: true })
    next.pass(next.nextDue() ?? 0)
    next.reply("a", call("look"))
    next.returns("a", "c0")
    exhaust(next)
    expect(modelOf(next)).toBe("two/n")
  })

  test("[F33] without a list the journal has no new member", () => {
    const shell = shellOf(["one/m"])
    shell.fail("a")
    shell.pass(shell.nextDue() ?? 0)
    shell.reply("a", finish())
    for (const event of shell.log) for (const member of ["fallback", "called"]) expect(event).not.toHaveProperty(member)
    expect(shell.events("model.replied")[0]).not.toHaveProperty("model")
  })

  test("[J7] a crash after the switch, and a snapshot, give the same session", () => {
    const shell = shellOf(["one/m", "two/n"], {}, { snapshotEvery: 1 })
    exhaust(shell)
    shell.crash()
    expect(modelOf(shell)).toBe("two/n")
    expect(shell.refolded().steps["a"]).toEqual(shell.run.steps["a"])
    shell.reply("a", finish())
    expect(shell.run.status).toBe("succeeded")
  })

  test("[B1] the reservation follows the model that is asked", () => {
    const prices = { "one/m": { input: 1, output: 1 }, "two/n": { input: 10, output: 10 } }
    const shell = shellOf(["one/m", "two/n"], { prices, budget: { usd: 5 } })
    const reserved = (): number => shell.run.budget.run?.reserved.usd ?? 0
    const first = reserved()
    exhaust(shell)
    expect(first).toBeGreaterThan(0)
    expect(reserved() / first).toBeCloseTo(10, 6)
  })
})
