// What a run says about its usage [H13]: each event that costs something once, by model, agent and tool; and over a day of random runs, sums that
// equal the sum over their journals.

import fc from "fast-check"
import { expect, test } from "vitest"
import { apply } from "../../../../src/core/run/apply.ts"
import type { RunEvent } from "../../../../src/core/run/event.ts"
import { restore, takeSnapshot } from "../../../../src/core/run/snapshot.ts"
import { newRun, type Run } from "../../../../src/core/run/state.ts"
import { add, EARLIER, usageOf } from "../../../../src/core/run/usage/run-usage.ts"
import { noFigures, type Figures } from "../../../../src/core/run/usage/figures.ts"
import { MOST_TALLIED, OTHER, toolTallied } from "../../../../src/core/run/usage/tally.ts"
import { agent, flowOf, planOf } from "../../../support/kernel/builders.ts"
import { CAST, flows } from "../../../support/kernel/generate.ts"
import { call, finish, roundTrip, Shell } from "../../../support/kernel/shell.ts"
import { diceOf, live } from "../../../support/kernel/world.ts"

const DAY_RUNS = 5_000

/** The same sum, read from the journal alone. */
function journalSum(events: readonly RunEvent[]): Figures {
  const sum = noFigures()
  for (const e of events) {
    if ((e.type === "model.replied" && e.by === undefined) || (e.type === "context.compacted" && e.usage !== undefined)) {
      const usage = e.usage ?? { input: 0, output: 0 }
      sum.input += usage.input
      sum.cached += usage.cacheRead ?? 0
      sum.output += usage.output
      sum.model_calls += 1
      if (typeof e.cost === "number") sum.usd = (sum.usd ?? 0) + e.cost
      else sum.unpriced += 1
    }
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

const rounded = ({ usd, ...rest }: Figures) => ({ ...rest, usd: usd === null ? null : Number(usd.toFixed(9)) })

test("[H13] the sums of a seeded day of 5,000 runs equal the sum over their journals", () => {
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

test("[H13] a snapshot in the middle changes nothing; what an earlier build counted is one line of its own", () => {
  const { log, plan, run } = over()
  const half = Math.ceil(log.length * 0.8)
  const fold = (events: readonly RunEvent[], from: Run): Run => events.reduce(apply, from)
  const parts = roundTrip(takeSnapshot(fold(log.slice(0, half), newRun(plan))))
  expect(usageOf(fold(log.slice(half), restore(plan, parts)))).toEqual(usageOf(run))
  const { tally: _tally, ...head } = parts.head
  const later = usageOf(fold(log.slice(half), restore(plan, { ...parts, head })))
  const total = usageOf(run)?.lines[0]
  expect(later?.lines[0]).toMatchObject({ input: total?.input, output: total?.output })
  expect(later?.lines.some(({ name }) => name === EARLIER)).toBe(true)
})

test("[H13] of more names than a run may have, the rest is counted together", () => {
  const { run } = begun()
  for (let n = 0; n < MOST_TALLIED + 50; n++) toolTallied(run, "a", `tool${n}`)
  expect(Object.keys(run.tally ?? {}).length).toBeLessThanOrEqual(MOST_TALLIED + 1)
  expect(run.tally?.[`tool ${OTHER}`]?.tool_calls).toBeGreaterThan(50)
})
