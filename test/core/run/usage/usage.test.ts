// What a run says about its usage [H13]: each event that costs something once, by model, agent and tool; and over a day of random runs, sums that
// equal the sum over their journals.

import fc from "fast-check"
import { expect, test } from "vitest"
import { apply } from "../../../../src/core/run/apply.ts"
import type { RunEvent } from "../../../../src/core/run/event.ts"
import { restore, takeSnapshot } from "../../../../src/core/run/snapshot.ts"
import { newRun, type Interaction, type Run } from "../../../../src/core/run/state.ts"
import { MAX_OUTPUT_TOKENS } from "../../../../src/core/run/budget/worst-case.ts"
import { runView } from "../../../../src/core/run/views/view.ts"
import { add, usageOf } from "../../../../src/core/run/usage/run-usage.ts"
import { noFigures, type Figures } from "../../../../src/core/run/usage/figures.ts"
import { MOST_TALLIED, OTHER, toolTallied } from "../../../../src/core/run/usage/tally.ts"
import { amount } from "../../../support/amount.ts"
import { agent, flowOf, planOf } from "../../../support/kernel/builders.ts"
import { CAST, flows } from "../../../support/kernel/generate.ts"
import { call, finish, roundTrip, Shell } from "../../../support/kernel/shell.ts"
import { diceOf, live } from "../../../support/kernel/world.ts"

const DAY_RUNS = amount(5_000, 1_500)

/** The same sum, read from the journal alone. */
function journalSum(events: readonly RunEvent[]): Figures {
  const sum = noFigures()
  /** Calls of models that are under way: key → step. */
  const open = new Map<string, string>()
  const lose = (): void => void (sum.lost = { calls: (sum.lost?.calls ?? 0) + 1, tokens: 0 })
  for (const e of events) {
    if (e.type === "action.begun" && (e.kind === "model" || e.kind === "compact")) open.set(e.key, e.step ?? "")
    else if (e.type === "action.lost" || e.type === "model.replied" || e.type === "model.failed") open.delete(e.key)
    else if (e.type === "context.compacted")
      for (const [key, step] of open) if (step === e.step && key.endsWith("/compact")) open.delete(key)
    // Whoever ends does not wait for them.
    if (e.type === "step.finished" || e.type === "run.ended")
      for (const [key, step] of open) {
        if (e.type === "step.finished" && step !== e.step) continue
        open.delete(key)
        lose()
      }
    if ((e.type === "model.replied" && e.by === undefined) || (e.type === "context.compacted" && e.usage !== undefined)) {
      const usage = e.usage ?? { input: 0, output: 0 }
      sum.input += usage.input
      sum.cached += usage.cacheRead ?? 0
      sum.output += usage.output
      sum.model_calls += 1
      if (typeof e.cost === "number") sum.usd = (sum.usd ?? 0) + e.cost
      else sum.unpriced += 1
    }
    const mayBeLost = e.type === "model.failed" || e.type === "context.compacted"
    const isLost = e.type === "action.lost" ? e.kind === "model" || e.kind === "compact" : mayBeLost && e.lost === true
    if (isLost) lose()
    if (e.type === "tool.called") sum.tool_calls += 1
    if (e.type === "tool.uncertain" || (e.type === "tool.returned" && e.isError)) sum.tool_errors += 1
  }
  return sum
}

/** A call in ten is lost with the process. */
const crashes = (seed: number): (() => boolean) => {
  const roll = diceOf(`crash:${seed}`)
  return () => roll() < 0.1
}

const rounded = ({ usd, lost, ...rest }: Figures) => ({ ...rest, lost: lost?.calls, usd: usd === null ? null : Number(usd.toFixed(9)) })

test("[H13] what people were asked, by flow, agent and tool: how much of it they answered, and how long they took", () => {
  const asked = (
    id: string,
    kind: Interaction["kind"],
    status: Interaction["status"],
    times: readonly [number, number?],
    payload = {},
  ): Interaction => ({
    id,
    kind,
    step: "a",
    pass: 1,
    status,
    payload,
    schema: {},
    created: times[0],
    ...(times[1] === undefined ? {} : { decided: times[1] }),
  })
  const run = newRun(planOf(flowOf([agent("a")]), CAST))
  Object.assign(run, { status: "succeeded", flow: "f", ended: 90_000, started: 1_000 })
  const add = (i: Interaction): void => void (run.interactions[i.id] = i)
  add(asked("1", "ask_user", "answered", [2_000, 5_000]))
  add(asked("2", "approval.tool", "answered", [2_000, 4_000], { tool: "mail" }))
  add(asked("3", "approval.tool", "expired", [2_000, 80_000], { tool: "mail" }))
  add(asked("4", "budget", "withdrawn", [2_000, 90_000]))
  add(asked("5", "approval.plan", "pending", [2_000]))
  const lines = usageOf(run)?.lines ?? []
  const all = { questions: 2, approvals: 3, answered: 2, waited_ms: 5_000 }
  expect(lines.map(({ kind, asked: of }) => [kind, of])).toEqual([
    ["flow", all],
    ["agent", all],
    ["tool", { questions: 0, approvals: 2, answered: 1, waited_ms: 2_000 }],
  ])
  // [K11] What was decided before the fork is the source's; what was still open waits from the fork on.
  Object.assign(run, { fork: { run: "run_1", seq: 9 }, started: 4_500 })
  expect(usageOf(run)?.lines[0]?.asked).toEqual({ questions: 2, approvals: 2, answered: 1, waited_ms: 500 })
  run.interactions = {}
  expect(usageOf(run)?.lines).toEqual([{ kind: "flow", name: "f", ...noFigures() }])
})

test("[H13] the sums of a seeded day of runs equal the sum over their journals", () => {
  const [sums, journals] = [noFigures(), noFigures()]
  const byKind: Record<string, Figures> = {}
  const lives = fc
    .sample(flows(), { seed: 5_000, numRuns: 100 })
    .map((flow, seed) => live(planOf(flow, CAST), { world: { seed, post: true }, crash: crashes(seed) }))
  const roll = diceOf("a day of usage")
  const upTo = (most: number): number => Math.floor(roll() * most)
  /** As it could have been billed. */
  const billed = (event: RunEvent): RunEvent => {
    if (event.type !== "model.replied" && event.type !== "context.compacted") return event
    const input = upTo(200_000)
    const usage = { input, output: upTo(20_000), ...(upTo(2) ? { cacheRead: upTo(input) } : {}) }
    const cost = upTo(9) ? upTo(2_000_000) / 1e6 : null
    return event.type === "model.replied" ? { ...event, usage, cost } : { ...event, usage, cost }
  }
  let ended = 0
  for (let n = 0; n < DAY_RUNS; n++) {
    const base = lives[n % lives.length]
    if (base === undefined) throw new Error("no life")
    const log = base.log.map(billed)
    const run = log.reduce(apply, newRun(base.plan))
    const usage = usageOf(run)
    if (usage === undefined) continue
    ended += 1
    add(journals, journalSum(log))
    for (const line of usage.lines) {
      if (line.kind === "flow") add(sums, line)
      add((byKind[line.kind] ??= noFigures()), line)
    }
  }
  expect(ended).toBeGreaterThan(DAY_RUNS / 2)
  expect(journals.model_calls).toBeGreaterThan(DAY_RUNS)
  expect(rounded(sums)).toEqual(rounded(journals))
  expect(journals.lost?.calls).toBeGreaterThan(DAY_RUNS / 50)
  const { input, output, model_calls, usd } = rounded(journals)
  for (const kind of ["model", "agent"]) expect(rounded(byKind[kind] ?? noFigures())).toMatchObject({ input, output, model_calls, usd })
  expect(byKind["tool"]).toMatchObject({ tool_calls: journals.tool_calls, tool_errors: journals.tool_errors })
})

const begun = (): Shell => new Shell(planOf(flowOf([agent("a")])), {})
function over(shell = begun()): Shell {
  shell.reply("a", call("look"))
  shell.returns("a", shell.events("tool.called")[0]?.callId ?? "")
  shell.reply("a", finish())
  return shell
}

test("[H13] a run says nothing before its end, and nothing if it is a test's", () => {
  expect(usageOf(begun().run)).toBeUndefined()
  const { run } = over()
  expect(
    usageOf(run)
      ?.lines.map(({ kind }) => kind)
      .toSorted(),
  ).toEqual(["agent", "flow", "model", "tool"])
  expect(usageOf({ ...run, trigger: { kind: "test" } })).toBeUndefined()
  expect(usageOf({ ...run, trigger: { ...run.trigger, test: true } })).toBeUndefined()
})

test("[H13] a snapshot in the middle changes nothing", () => {
  const { log, plan, run } = over()
  const half = Math.ceil(log.length * 0.8)
  const fold = (events: readonly RunEvent[], from: Run): Run => events.reduce(apply, from)
  const parts = roundTrip(takeSnapshot(fold(log.slice(0, half), newRun(plan))))
  expect(usageOf(fold(log.slice(half), restore(plan, parts)))).toEqual(usageOf(run))
})

test("[H13] of more names than a run may have, the rest is counted together", () => {
  const { run } = begun()
  for (let n = 0; n < MOST_TALLIED + 50; n++) toolTallied(run, "a", `tool${n}`)
  expect(Object.keys(run.tally ?? {}).length).toBeLessThanOrEqual(MOST_TALLIED + 1)
  expect(run.tally?.[`tool ${OTHER}`]?.tool_calls).toBeGreaterThan(50)
})

/** A model that is asked again and again until a process lives long enough. */
function losing(times: number, options: ConstructorParameters<typeof Shell>[1] = {}): Shell {
  const pinned = { revision: 1, flow: { id: "f", hash: "h" }, agents: {}, skills: {}, models: { worker: "acme/big" } }
  const shell = new Shell(planOf(flowOf([agent("a")])), { ...options, started: { pinned, ...options?.started } })
  for (let n = 0; n < times; n++) shell.crash()
  return shell
}

test("[B3] calls whose answers were lost are counted beside the usage, in the run and by model and agent, with what they could use at most", () => {
  const shell = losing(3)
  shell.reply("a", finish())
  const { run } = shell
  const { lost, tokens } = runView(run).usage
  expect(lost?.calls).toBe(3)
  // Each request has its bytes as tokens at the most, and each reply the limit of its agent.
  expect(lost?.tokens).toBeGreaterThan(3 * MAX_OUTPUT_TOKENS)
  expect(runView(run).steps["a"]?.model_calls).toBe(4)
  const lines = usageOf(run)?.lines ?? []
  expect(tokens).toBe((lines[0]?.input ?? 0) + (lines[0]?.output ?? 0))
  expect(lines.filter(({ kind }) => kind !== "tool").map((line) => [line.kind, line.model_calls, line.lost])).toEqual([
    ["flow", 1, lost],
    ["model", 1, lost],
    ["agent", 1, lost],
  ])
})

test("[B3] of a call that had a reservation, all of it is counted, and equals what the budget spent for it", () => {
  const shell = losing(2, { started: { budget: { tokens: 100_000 } } })
  const { run } = shell
  expect(run.usage.lost).toEqual({ calls: 2, tokens: run.budget.run?.spent.tokens })
  shell.reply("a", finish())
  expect((run.usage.lost?.tokens ?? 0) + run.usage.input + run.usage.output).toBe(run.budget.run?.spent.tokens)
})

test("[B3] a run that lost nothing, and a tool call that was lost, say nothing of it", () => {
  expect(runView(over().run).usage).not.toHaveProperty("lost")
  const shell = begun()
  shell.reply("a", call("look"))
  shell.crash()
  expect(shell.run.usage.lost).toBeUndefined()
})
