// Model calls that wait for their turn [R29–R31]: an attempt that ended before anything was sent, and is no try.

import { describe, expect, test } from "vitest"
import { shownStatus } from "../../../src/core/run/shown-status.ts"
import { MOST_REFUSALS } from "../../../src/core/run/session/paced.ts"
import { TRIES_BEFORE_FALLBACK } from "../../../src/core/run/session/retry.ts"
import { publicRun } from "../../../src/core/run/views/public.ts"
import { runView, view } from "../../../src/core/run/views/view.ts"
import { agent, flowOf, planOf } from "../../support/kernel/builders.ts"
import { call, finish, Shell, type StartOptions } from "../../support/kernel/shell.ts"
import { replay } from "../../support/kernel/replay.ts"

const pinned = (models: readonly string[]) => ({
  revision: 1,
  flow: { id: "f", hash: "h" },
  agents: {},
  skills: {},
  models: { worker: models[0] ?? "" },
  ...(models.length > 1 ? { fallbacks: { worker: models.slice(1) } } : {}),
})
const PLAN = planOf(flowOf([agent("a")]))
const shellOf = (models: readonly string[] = ["p/m"], more: StartOptions = {}): Shell =>
  new Shell(PLAN, { ...more, started: { pinned: pinned(models), ...more.started } })

const KEY = "a/1/0/model"
/** Returns its time. */
function pace(shell: Shell, ms: number, more: { ahead?: number; other?: boolean } = {}): number {
  const until = shell.now + ms
  shell.tell({ type: "model.paced", key: KEY, until, ahead: 4, ...more })
  return until
}
/** Returns when the provider takes calls again. */
function refuse(shell: Shell, stops: number, more: { retryAfter?: number } = {}): number {
  const until = shell.now + stops
  shell.fail("a", { status: 429, stops, ...more })
  return until
}

const kindsOf = (shell: Shell): string[] => shell.log.map((e) => e.type)

describe("a call that waits for its turn", () => {
  test("[R29, R30] ends its attempt: nothing is under way, everyone is told `running`, and it is asked again at its time", () => {
    const shell = shellOf()
    const until = pace(shell, 14_000)
    expect(kindsOf(shell).slice(-2)).toEqual(["model.paced", "run.waiting"])
    expect(shell.events("model.paced")).toMatchObject([{ step: "a", key: KEY, turn: 0, model: "p/m", until, ahead: 4 }])
    expect(shell.events("run.waiting").map(({ reason }) => reason)).toEqual(["pace"])
    expect([shell.run.status, shownStatus(shell.run), shell.run.notices]).toEqual(["waiting", "running", []])
    expect(shell.keys()).toEqual([])
    expect(shell.nextDue()).toBe(until)
    shell.pass(shell.nextDue() ?? 0)
    expect(shell.keys()).toEqual([KEY])
    shell.reply("a", finish())
    expect(shell.run.status).toBe("succeeded")
  })

  test("[R29] is no try, however often it waits, and no model call", () => {
    const shell = shellOf(["p/m", "q/n"])
    for (let i = 0; i < 30; i++) {
      pace(shell, 14_000)
      shell.pass(shell.nextDue() ?? 0)
    }
    expect(shell.events("action.begun").map(({ attempt }) => attempt)).toEqual(Array.from({ length: 31 }, () => 1))
    for (let i = 1; i < TRIES_BEFORE_FALLBACK; i++) {
      shell.fail("a")
      shell.pass(shell.nextDue() ?? 0)
      pace(shell, 14_000)
      shell.pass(shell.nextDue() ?? 0)
    }
    expect(shell.state("a").session?.model).toBe("p/m")
    shell.reply("a", finish())
    expect(view(shell.run).steps["a"]).toMatchObject({ attempts: TRIES_BEFORE_FALLBACK })
  })

  test("[R30] the view has what it waits for while it waits, and how long the pass has waited in all; a token sees neither", () => {
    const shell = shellOf()
    const until = new Date(pace(shell, 14_000)).toISOString()
    expect(view(shell.run).steps["a"]).toMatchObject({ status: "waiting", paced: { model: "p/m", until, ahead: 4 } })
    expect(Object.keys(publicRun(runView(shell.run)).steps["a"] ?? {})).not.toContain("paced")
    shell.pass(shell.nextDue() ?? 0)
    expect(view(shell.run).steps["a"]).not.toHaveProperty("paced")
    // In the line, and then told of a later time.
    shell.now += 3_000
    pace(shell, 2_000)
    shell.pass(shell.nextDue() ?? 0)
    shell.reply("a", finish())
    const events = shell.log.filter(({ type }) => type === "model.paced" || type === "action.begun")
    const waited = events.slice(1).reduce((sum, e, i) => sum + e.at - (events[i]?.at ?? 0), 0)
    expect(view(shell.run).steps["a"]).toMatchObject({ status: "complete", paced_ms: waited - (events[1]?.at ?? 0) + (events[0]?.at ?? 0) })
  })

  test("[B1] gives its reservation back", () => {
    const shell = shellOf(["p/m"], { started: { budget: { tokens: 100_000 } } })
    expect(Object.keys(shell.run.budget.holds)).toEqual([KEY])
    pace(shell, 14_000)
    expect(Object.keys(shell.run.budget.holds)).toEqual([])
    expect(shell.events("budget.settled").map(({ amount }) => amount)).toEqual([{ tokens: 0 }])
  })

  test("[R29] changes its model only where it may, and only if the agent has another", () => {
    const other = shellOf(["p/m", "q/n"])
    pace(other, 14_000, { other: true })
    expect(other.events("model.paced")).toMatchObject([{ model: "p/m", fallback: "q/n" }])
    expect([other.state("a").session?.model, other.keys()]).toEqual(["q/n", [KEY]])
    const last = shellOf(["p/m"])
    const until = pace(last, 14_000, { other: true })
    expect([last.state("a").session?.model, last.keys(), last.nextDue()]).toEqual(["p/m", [], until])
  })

  test("[J6] replays to the byte", () => {
    const shell = shellOf(["p/m", "q/n"], { started: { budget: { tokens: 100_000 } } })
    pace(shell, 14_000)
    shell.pass(shell.nextDue() ?? 0)
    refuse(shell, 7_000)
    shell.pass(shell.nextDue() ?? 0)
    refuse(shell, 800)
    shell.pass(shell.nextDue() ?? 0)
    pace(shell, 3_000, { other: true })
    shell.reply("a", call("look"))
    shell.returns("a", "c0")
    shell.reply("a", finish())
    expect(shell.run.status).toBe("succeeded")
    // The shell's hash of an event is its number.
    expect(replay(PLAN, shell.log, (text) => String(JSON.parse(text).seq)).fault).toBeUndefined()
  })
})

describe("a refusal with a time", () => {
  test("[R31] waits like the others and is no try, twice at most in a turn", () => {
    const shell = shellOf()
    for (let i = 0; i < MOST_REFUSALS; i++) {
      const until = refuse(shell, 7_000)
      expect(shell.nextDue()).toBe(until)
      shell.pass(shell.nextDue() ?? 0)
    }
    expect(shell.events("model.failed").map(({ attempt, paced }) => [attempt, paced])).toEqual([
      [1, true],
      [1, true],
    ])
    expect(shell.events("model.paced")).toHaveLength(MOST_REFUSALS)
    expect(shell.state("a").session).toMatchObject({ turnFailures: 0 })
    refuse(shell, 7_000, { retryAfter: 7_000 })
    expect(shell.state("a").session).toMatchObject({ turnFailures: 1 })
    shell.pass(shell.nextDue() ?? 0)
    shell.reply("a", call("look"))
    shell.returns("a", "c0")
    refuse(shell, 7_000)
    expect(shell.state("a").session).toMatchObject({ turnFailures: 0 })
  })

  test("[R29] up to a second passes in silence", () => {
    const shell = shellOf()
    const until = refuse(shell, 1_000)
    expect([shell.events("model.paced"), shell.nextDue()]).toEqual([[], until])
  })

  test("[R31] of more than two minutes sends the call to the agent's next model", () => {
    const shell = shellOf(["p/m", "q/n"])
    refuse(shell, 120_000)
    expect(shell.state("a").session?.model).toBe("p/m")
    shell.pass(shell.nextDue() ?? 0)
    refuse(shell, 121_000)
    expect([shell.state("a").session?.model, shell.keys()]).toEqual(["q/n", [KEY]])
  })
})
