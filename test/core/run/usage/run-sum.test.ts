// The sum of a run [H16]: over random runs, with crashes, lost calls and refusals, it equals a fold of their journals that shares nothing with the
// kernel's.

import fc from "fast-check"
import { expect, test } from "vitest"
import { apply } from "../../../../src/core/run/apply.ts"
import type { RunEvent } from "../../../../src/core/run/event.ts"
import { newRun, type Interaction, type Run } from "../../../../src/core/run/state.ts"
import { mergeDurations, noDurations, observe, type Histogram } from "../../../../src/core/run/usage/histogram.ts"
import { runSumOf, withoutFlow } from "../../../../src/core/run/usage/run-sum.ts"
import { usageOf } from "../../../../src/core/run/usage/run-usage.ts"
import { sumOfAll, type Sum } from "../../../../src/core/run/usage/sum.ts"
import { amount } from "../../../support/amount.ts"
import { agent, flowOf, planOf } from "../../../support/kernel/builders.ts"
import { CAST, flows } from "../../../support/kernel/generate.ts"
import { diceOf, live } from "../../../support/kernel/world.ts"

const LIVES = amount(200, 60)

interface Totals {
  models: { calls: number; failed: number; limited: number; ms: Histogram }
  tools: { calls: number; errors: number; refused: number; ms: Histogram }
  steps: Record<string, { reached: boolean; skipped: boolean; failed: boolean; left: boolean; ms: Histogram }>
  asked: number
  /** Without pauses. */
  ms: number
}

/** The same from the journal alone. */
function journalTotals(events: readonly RunEvent[]): Totals {
  const models = { calls: 0, failed: 0, limited: 0, ms: noDurations() }
  const tools = { calls: 0, errors: 0, refused: 0, ms: noDurations() }
  const steps: Totals["steps"] = {}
  const began = new Map<string, number>()
  const opened = new Map<string, number>()
  let asked = 0
  /** Time that passed outside of pauses. */
  let clock = 0
  let isPaused = false
  let last = events[0]?.at ?? 0
  const stepOf = (id: string) => (steps[id] ??= { reached: false, skipped: false, failed: false, left: false, ms: noDurations() })
  for (const e of events) {
    if (!isPaused) clock += e.at - last
    last = e.at
    if (e.type === "run.paused") isPaused = true
    if (e.type === "run.resumed") isPaused = false
    if (e.type === "action.begun") began.set(e.key, e.at)
    if (e.type === "action.lost") began.delete(e.key)
    const took = (key: string | undefined, into: Histogram): void => {
      const since = key === undefined ? undefined : began.get(key)
      if (since !== undefined) observe(into, e.at - since)
      if (key !== undefined) began.delete(key)
    }
    const keyOf = (step: string, end: string): string | undefined =>
      [...began.keys()].filter((key) => key.startsWith(`${step}/`) && key.endsWith(end)).at(-1)
    if (e.type === "model.replied" && e.by === undefined) {
      models.calls++
      took(e.key, models.ms)
    }
    if (e.type === "context.compacted" && e.usage !== undefined) {
      models.calls++
      took(keyOf(e.step, "/compact"), models.ms)
    }
    if (e.type === "model.failed") {
      models.failed++
      if (e.status === 429) models.limited++
      began.delete(e.key)
    }
    if (e.type === "tool.called") tools.calls++
    if (e.type === "tool.uncertain" || (e.type === "tool.returned" && e.isError)) tools.errors++
    if (e.type === "tool.returned") took(keyOf(e.step, `/tool/${e.callId}`), tools.ms)
    if (e.type === "tool.refused") tools.refused++
    if (e.type === "interaction.asked") asked++
    if (e.type === "step.opened") {
      opened.set(e.step, clock)
      Object.assign(stepOf(e.step), { reached: true, skipped: false, failed: false, left: true })
    }
    if (e.type === "step.finished") {
      const step = stepOf(e.step)
      Object.assign(step, { left: false, failed: e.status !== "complete" })
      const since = opened.get(e.step)
      if (since !== undefined) observe(step.ms, clock - since)
    }
    if (e.type === "step.skipped") Object.assign(stepOf(e.step), { skipped: true, failed: false, left: false })
    // It is to be entered again.
    if (e.type === "step.reopened") Object.assign(stepOf(e.step), { skipped: false, failed: false, left: stepOf(e.step).reached })
  }
  return { models, tools, steps, asked, ms: clock }
}

const all = (parts: readonly (Histogram | undefined)[]): Histogram => {
  const sum = noDurations()
  for (const part of parts) if (part) mergeDurations(sum, part)
  return sum
}

function totalsOf({ by = {}, questions, approvals }: Sum, ms: number): Totals {
  const [models, tools] = [Object.values(by.model ?? {}), Object.values(by.tool ?? {})]
  const total = (ns: readonly (number | undefined)[]): number => ns.reduce<number>((sum, n = 0) => sum + n, 0)
  return {
    models: {
      calls: total(models.map((m) => m.calls)),
      failed: total(models.map((m) => m.failed)),
      limited: total(models.map((m) => m.limited)),
      ms: all(models.map((m) => m.ms)),
    },
    tools: {
      calls: total(tools.map((t) => t.calls)),
      errors: total(tools.map((t) => t.errors)),
      refused: total(tools.flatMap((t) => Object.values(t.refused ?? {}))),
      ms: all(tools.map((t) => t.ms)),
    },
    steps: Object.fromEntries(
      Object.entries(by.step ?? {}).map(([id, { reached = 0, skipped = 0, failed = 0, left = 0, ms: took }]) => [
        id,
        { reached: reached === 1, skipped: skipped === 1, failed: failed === 1, left: left === 1, ms: took ?? noDurations() },
      ]),
    ),
    asked: (questions?.n ?? 0) + (approvals?.n ?? 0),
    ms,
  }
}

test("[H16] the sums of random runs equal a fold of their journals", () => {
  const sums: Sum[] = []
  const seen = { models: 0, failed: 0, refused: 0, errors: 0, steps: 0, skipped: 0, left: 0, ends: new Set<string>() }
  for (const [seed, flow] of fc.sample(flows(), { seed: 1_600, numRuns: LIVES }).entries()) {
    const roll = diceOf(`sums:${seed}`)
    const plan = planOf(flow, CAST)
    const base = live(plan, { world: { seed, post: true }, crash: () => roll() < 0.1 })
    // Time passes between all events, and providers refuse now and then.
    let at = 1_000
    const log = base.log.map((e): RunEvent => {
      at += Math.floor(roll() ** 4 * 100_000)
      return e.type === "model.failed" && roll() < 0.5 ? { ...e, at, status: 429 } : { ...e, at }
    })
    const run = log.reduce(apply, newRun(plan))
    const sum = runSumOf(run, usageOf(run))?.sum
    if (sum === undefined) continue
    sums.push(sum)
    const journal = journalTotals(log)
    expect(totalsOf(sum, (sum.ms?.sum ?? 0) + (sum.waited?.sum ?? 0)), `seed ${seed}`).toEqual(journal)
    expect(sum.runs).toEqual({ [run.status]: 1 })
    seen.ends.add(run.status)
    seen.models += journal.models.calls
    seen.failed += journal.models.limited
    seen.refused += journal.tools.refused
    seen.errors += journal.tools.errors
    for (const { skipped, left } of Object.values(journal.steps)) {
      seen.steps++
      seen.skipped += skipped ? 1 : 0
      seen.left += left ? 1 : 0
    }
  }
  // It has seen all of it.
  expect(seen.ends.size).toBeGreaterThanOrEqual(2)
  for (const [what, n] of Object.entries(seen)) if (typeof n === "number") expect(n, what).toBeGreaterThan(0)
  // However they are merged.
  const half = Math.floor(sums.length / 2)
  const merged = sumOfAll([sumOfAll(sums.slice(half)), sumOfAll(sums.slice(0, half))])
  const whole = sumOfAll(sums)
  expect(merged.ms).toEqual(whole.ms)
  expect(merged.runs).toEqual(whole.runs)
})

function askedRun(asked: readonly Partial<Interaction>[]): Run {
  const run = newRun(planOf(flowOf([agent("a")]), CAST))
  Object.assign(run, { status: "succeeded", flow: "f", started: 1_000, ended: 90_000, askedFor: 4_000 })
  for (const [n, one] of asked.entries())
    run.interactions[n] = {
      id: `${n}`,
      kind: "approval.tool",
      step: "a",
      pass: 1,
      status: "answered",
      payload: {},
      schema: {},
      created: 2_000,
      decided: 5_000,
      ...one,
    }
  return run
}
const sumOf = (run: Run): Sum => runSumOf(run, usageOf(run))?.sum ?? {}

test("[H16] what people were asked: how they decided, by tool and by person, and how long they took", () => {
  const run = askedRun([
    { payload: { tool: "mail" }, by: "ana", answer: { decision: "approve" } },
    { payload: { tool: "mail" }, by: "ana", answer: { decision: "reject" }, decided: 4_000 },
    { payload: { tool: "mail" }, status: "expired" },
    { kind: "ask_user", by: "jo", answer: { answer: "yes" } },
  ])
  const { questions, approvals, by, waited, ms } = sumOf(run)
  const timed = (...times: number[]) => {
    const h = noDurations()
    for (const t of times) observe(h, t)
    return h
  }
  expect(approvals).toEqual({ n: 3, approved: 1, rejected: 1, expired: 1, ms: timed(3_000, 2_000) })
  expect(questions).toEqual({ n: 1, answered: 1, ms: timed(3_000) })
  expect(by?.tool?.["mail"]?.asks).toEqual(approvals)
  expect(by?.person).toEqual({ ana: { answered: 2, ms: timed(3_000, 2_000) }, jo: { answered: 1, ms: timed(3_000) } })
  expect([waited, ms]).toEqual([timed(4_000), timed(85_000)])
})

test("[H16] of a person's name the first 100 characters count", () => {
  const { by } = sumOf(askedRun([{ by: "x".repeat(150), answer: { decision: "approve" } }]))
  expect(Object.keys(by?.person ?? {})).toEqual(["x".repeat(100)])
})

test("[H16] a run counts with the key that started it and with each of its tags, with what its children used; a child with none", () => {
  const used = { trigger: { kind: "api", key: "desk" }, tags: ["eu", "x".repeat(150)] } as const
  const run = Object.assign(askedRun([]), used)
  Object.assign(run.usage, { input: 900, output: 90, usd: 0.5 })
  const part = { succeeded: 1, input: 900, output: 90, usd: 0.5 }
  const { by } = sumOf(run)
  expect([by?.key, by?.tag]).toEqual([{ desk: part }, { eu: part, ["x".repeat(100)]: part }])
  const child = sumOf(Object.assign(run, { parent: { run: "r", step: "a", pass: 1, index: 0, depth: 1 } }))
  expect([child.by?.key, child.by?.tag]).toEqual([undefined, undefined])
})

test("[H16] a child counts as one, and the tenant's row has no times, steps and revisions of it", () => {
  const run = Object.assign(askedRun([]), { parent: { run: "r", step: "a", pass: 1, index: 0, depth: 1 }, pins: { revision: 7 } })
  const sum = sumOf(run)
  expect([sum.runs, sum.children]).toEqual([undefined, { succeeded: 1 }])
  expect(sum.by?.revision).toEqual({ 7: { succeeded: 1, ms: sum.ms } })
  expect(withoutFlow(sum)).toEqual({ children: { succeeded: 1 }, by: {} })
})

test("[H16] a fork's sum has nothing that its source did", () => {
  const run = askedRun([{ by: "ana", answer: { decision: "approve" } }])
  Object.assign(run, { fork: { run: "run_1", seq: 9 }, started: 6_000 })
  Object.assign(run.steps, { a: { ...run.steps["a"], pass: 1, status: "complete", opened: 2_000, ended: 5_500 } })
  const { approvals, by } = sumOf(run)
  expect([approvals, by?.step, by?.person]).toEqual([undefined, undefined, undefined])
})
