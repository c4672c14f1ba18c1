// [K16] The property of fork-property.test.ts over histories that have everything: loops, maps, children, handlers, waits, approvals, budgets
// that ask, compacted conversations, pauses and crashes. At every seq: no cut and the nearest ones, or a fork that ends as its source did, with
// people who answer as they did, and who are asked again about what they had let go [K9].

import fc from "fast-check"
import { expect, test } from "vitest"
import type { Flow } from "../../../../src/core/flow/flow.ts"
import type { RunEvent } from "../../../../src/core/run/event.ts"
import { CutFinder } from "../../../../src/core/run/fork/cut.ts"
import { amount } from "../../../support/amount.ts"
import { planOf } from "../../../support/kernel/builders.ts"
import { CAST } from "../../../support/kernel/generate.ts"
import { pauses } from "../../../support/kernel/noise.ts"
import { digestsOf } from "../../../support/kernel/fork-digests.ts"
import { BUDGET, liveRich, richFlows, RULES } from "../../../support/kernel/rich-world.ts"
import type { Shell } from "../../../support/kernel/shell.ts"
import { diceOf, outcomeOf, type World } from "../../../support/kernel/world.ts"

const seeds = fc.nat(2 ** 31)

/** What the histories have had, so that the test cannot pass by drawing none of it. */
const seen = new Map<string, number>()
const note = (what: string): void => void seen.set(what, (seen.get(what) ?? 0) + 1)

function forkAt(source: Shell, cut: number, world: World, crash: () => boolean): Shell {
  const prefix = source.log.slice(0, cut)
  const at = prefix.at(-1)?.at ?? 0
  const forked = {
    type: "run.forked",
    run: "run_2",
    source: { run: "run_1", seq: cut, head: String(cut), at },
    by: "ann",
    effects: "live",
  } as const
  const digests = digestsOf(source.plan, prefix)
  return liveRich(source.plan, {
    world,
    crash,
    fork: { prefix, signal: { type: "fork", at: at + 100_000, forked, rules: RULES, digests } },
  })
}

/** [K9] Calls that needed a person, and began in the fork though nobody in the fork let them go. */
function unasked(log: readonly RunEvent[], cut: number): string[] {
  const approved = new Set<string>()
  for (const e of log.slice(cut)) {
    if (e.type !== "interaction.answered" || (e.decision !== "approve" && e.decision !== "edit")) continue
    const asked = log.find((one) => one.type === "interaction.asked" && one.id === e.id)
    if (asked?.type === "interaction.asked") approved.add(`${asked.step}/${asked.callId ?? ""}`)
  }
  return log
    .slice(cut)
    .flatMap((e) => (e.type === "tool.called" && e.tool === "put" && !approved.has(`${e.step}/${e.callId}`) ? [e.callId] : []))
}

/** Which calls ran: step, pass, turn and call. */
const ran = (log: readonly RunEvent[]): Set<string> =>
  new Set(log.flatMap((e) => (e.type === "action.begun" && e.kind === "tool" ? [e.key] : [])))

function laws(source: Shell, world: World, crash: () => boolean): void {
  const head = JSON.stringify(source.log)
  const allowed = ran(source.log)
  const finder = new CutFinder()
  for (const e of source.log) {
    finder.take(e)
    note(e.type === "interaction.asked" ? `asked ${e.kind}` : e.type)
  }
  for (const { seq } of source.log) {
    // At other places in each history.
    if ((seq + source.log.length) % amount(1, 4) !== 0) continue
    const found = finder.find({ seq }, source.cuts)
    if (!found.ok) {
      expect(found.why).toMatchObject({ before: expect.anything() })
      const { before, after } = found.why as { before: number; after: number | null }
      expect([before < seq, after === null || after > seq]).toEqual([true, true])
      continue
    }
    const fork = forkAt(source, seq, world, crash)
    expect([seq, timeless(fork)]).toEqual([seq, timeless(source)])
    expect([...ran(fork.log)].filter((key) => !allowed.has(key))).toEqual([])
    expect([seq, unasked(fork.log, seq)]).toEqual([seq, []])
    if (fork.log.slice(seq).some((e) => e.type === "interaction.asked" && e.at === fork.log[seq]?.at)) note("asked anew")
    expect(JSON.stringify(fork.log.slice(0, seq))).toBe(JSON.stringify(source.log.slice(0, seq)))
    note("forks")
  }
  expect(JSON.stringify(source.log)).toBe(head)
}

/** A wait says when it ended, and a fork waits later. */
const timeless = (shell: Shell): unknown => JSON.parse(JSON.stringify(outcomeOf(shell)).replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "~"))

const lifeOf = (seed: number) => ({ world: { seed, post: false }, rules: RULES, started: { budget: BUDGET } })

test("[K16] at any seq of a history with everything, a fork ends as its source did", () => {
  fc.assert(
    fc.property(richFlows(6), seeds, (flow: Flow, seed) => {
      const life = lifeOf(seed)
      laws(liveRich(planOf(flow, CAST), life), life.world, () => false)
    }),
    { numRuns: 40 },
  )
})

test("[K16] also when source and fork crash, and the source is paused in between", () => {
  fc.assert(
    fc.property(richFlows(5), seeds, seeds, (flow: Flow, seed, luck) => {
      // What a crash loses is paid for, so a limit would be met elsewhere.
      const life = { ...lifeOf(seed), started: {} }
      const [crashes, stops, falls] = [diceOf(`crash:${luck}`), diceOf(`pause:${luck}`), diceOf(`fall:${luck}`)]
      const source = liveRich(planOf(flow, CAST), { ...life, crash: () => crashes() < 0.1, meddle: (shell) => pauses(shell, stops()) })
      laws(source, life.world, () => falls() < 0.05)
    }),
    { numRuns: 30 },
  )
})

test("[K16] the histories had everything", () => {
  const kinds = [
    "child.started",
    "child.ended",
    "code.logged",
    "context.compacted",
    "asked approval.tool",
    "asked ask_user",
    "asked budget",
    "asked fork",
    "signal.received",
    "step.reopened",
    "step.skipped",
    "run.paused",
    "action.lost",
    "model.failed",
  ]
  expect(kinds.filter((kind) => (seen.get(kind) ?? 0) === 0)).toEqual([])
  expect(seen.get("asked anew") ?? 0).toBeGreaterThan(amount(10, 2))
  expect(seen.get("forks") ?? 0).toBeGreaterThan(amount(500, 125))
})
