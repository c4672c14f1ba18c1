// Schedules of 200 branches under a limit [B1], in two kinds. *At every await*: one world is lived through, and at each await of its shell
// the process dies once; a separate life then continues from the journal and the bill left behind. *At random*: each seed has its own
// world, in which the process dies at any await, repeatedly, including during recovery.

import { admit } from "../../src/core/run/admit.ts"
import { apply } from "../../src/core/run/apply.ts"
import type { RunEvent } from "../../src/core/run/event.ts"
import { newRun } from "../../src/core/run/state.ts"
import { Dice } from "./dice.ts"
import { AWAITS, Life, type Await, type LifeOptions, type Remains } from "./life.ts"
import { worldOf, type World } from "./world.ts"

export interface Tally {
  schedules: number
  /** By await: how often a process died there. */
  deaths: Record<Await, number>
  calls: number
  events: number
  /** Runs in which a person was asked for more money. */
  asked: number
  /** Schedules that billed, or could have billed, more than the limit; and the largest excess, in dollars. */
  overshot: number
  most: number
  /** Violations, with their seeds. */
  breaches: string[]
}

export const newTally = (): Tally => ({
  schedules: 0,
  deaths: { answered: 0, decided: 0, committed: 0, leaving: 0, "under way": 0 },
  calls: 0,
  events: 0,
  asked: 0,
  overshot: 0,
  most: 0,
  breaches: [],
})

export function add(to: Tally, other: Tally): void {
  for (const at of AWAITS) to.deaths[at] += other.deaths[at]
  for (const what of ["schedules", "calls", "events", "asked", "overshot"] as const) to[what] += other[what]
  to.most = Math.max(to.most, other.most)
  to.breaches.push(...other.breaches)
}

/** The start is durable, and nothing more: whatever follows from it happens first. */
function begun(world: World): Remains {
  let run = newRun(world.plan)
  const journal: RunEvent[] = []
  const started = admit(run, { type: "start", started: world.started, ...(world.lease ? { lease: world.lease } : {}) })
  if (!started.ok) throw new Error(started.error.code)
  for (const fact of started.value) {
    const event: RunEvent = { seq: run.seq + 1, at: 1_000_000, v: 1, prev: "", ...fact }
    run = apply(run, event)
    journal.push(event)
  }
  return { journal, billed: { usd: 0, tokens: 0 }, slices: new Map(), now: 1_000_001, dice: world.seed }
}

function count(tally: Tally, life: Life, name: string): void {
  tally.schedules += 1
  tally.calls += life.calls
  tally.events += life.journal.length
  if (life.journal.some((e) => e.type === "budget.exhausted")) tally.asked += 1
  if (life.overshoot > 0) tally.overshot += 1
  tally.most = Math.max(tally.most, life.overshoot)
  if (life.breach !== undefined) tally.breaches.push(`${name}: ${life.breach}`)
}

/** Limits for the worlds that die at every await: their runs are short, and every await is covered. */
const SWEPT = 60

/** How often the process dies at an await, at random: often enough that it does, rarely enough that the run ends. */
const DEATHS = [0, 0.002, 0.01, 0.03] as const

/** A world from its seed; the process dies at random. */
export function byChance(seed: number, tally: Tally, check: LifeOptions["check"] = "before"): Life {
  // Checking only after the call must reach the limit to miss it.
  const world = check === "after" ? worldOf(seed, check, SWEPT) : worldOf(seed, check)
  const fate = new Dice(seed ^ 0x5eed)
  const often = DEATHS[Math.floor(fate.roll() * DEATHS.length)] ?? 0
  // A run that loses everything immediately each time is not a schedule.
  const most = 1 + Math.floor(fate.roll() * 12)
  const dies = (at: Await, life: Life): boolean => {
    if (life.deaths >= most || fate.roll() >= often) return false
    tally.deaths[at] += 1
    return true
  }
  const life = new Life(world, begun(world), { dies, check }).live(false)
  count(tally, life, `at random, seed ${seed}`)
  return life
}

/** One world, and a death at each of its awaits: one schedule per await. In every second schedule the recovery also dies, at one
 *  of its first awaits. */
export function atEveryAwait(seed: number, tally: Tally): void {
  const world = worldOf(seed, "before", SWEPT)
  const points: { readonly at: Await; readonly remains: Remains }[] = []
  const whole = new Life(world, begun(world), {
    check: "before",
    dies(at, life) {
      points.push({ at, remains: life.remains })
      return false
    },
  }).live(false)
  count(tally, whole, `world ${seed}, no death`)
  for (const [i, { at, remains }] of points.entries()) {
    tally.deaths[at] += 1
    let left = i % 2 === 0 ? Infinity : (i >> 1) % 12
    const dies = (again: Await): boolean => {
      if (left-- !== 0) return false
      tally.deaths[again] += 1
      return true
    }
    count(tally, new Life(world, remains, { check: "before", dies }).live(true), `world ${seed}, dead at await ${i} (${at})`)
  }
}
