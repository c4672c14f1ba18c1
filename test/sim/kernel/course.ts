// Course: a random run of the kernel, as a seed draws it: its flow, its world, and what happens to it.

import fc from "fast-check"
import type { Flow } from "../../../src/core/flow/flow.ts"
import { planOf } from "../../support/kernel/builders.ts"
import { CAST, flows } from "../../support/kernel/generate.ts"
import { meddler, pauses } from "../../support/kernel/noise.ts"
import { BUDGET, liveRich, richFlows, RULES } from "../../support/kernel/rich-world.ts"
import type { Shell } from "../../support/kernel/shell.ts"
import { diceOf, live, type World } from "../../support/kernel/world.ts"

export interface Course {
  /** Rich: with maps, child runs, code, waits, approvals and budgets. */
  readonly isRich: boolean
  readonly flow: Flow
  readonly world: number
  /** The luck of everything that is not the world's. */
  readonly luck: number
  /** Chance of a crash before each event. */
  readonly crash: number
  /** People steer, pause, resume and cancel. */
  readonly isMeddled: boolean
  /** Steps and the run have time limits that pass. */
  readonly isTimed: boolean
  readonly hasBudget: boolean
  /** Events between snapshots; 0: none. */
  readonly snapshotEvery: number
  /** Its journal is played again through the kernel [K18]: half as much work as everything else. */
  readonly isReplayed: boolean
}

/** Neither crashes nor the order of events change how such a course ends [J10, F14]. A call that is not repeated may be lost in a crash. */
export const isComparable = ({ isRich, isMeddled, isTimed }: Course): boolean => !isRich && !isMeddled && !isTimed
const worldOf = (course: Course): World => ({ seed: course.world, post: !isComparable(course) || course.crash === 0 })

const seeds = fc.nat(2 ** 31)
const CRASHES = [0, 0, 0.02, 0.05, 0.15]

/** What a seed draws. A failing one shrinks to fewer steps and less trouble. */
export const courses: fc.Arbitrary<Course> = fc
  .tuple(
    fc.integer({ min: 0, max: 2 }).map((n) => n === 2),
    flows(8),
    richFlows(6),
    seeds,
    seeds,
    fc.record({
      crash: fc.constantFrom(...CRASHES),
      isMeddled: fc.boolean(),
      isTimed: fc.boolean(),
      hasBudget: fc.boolean(),
      snapshotEvery: fc.constantFrom(0, 0, 7, 25),
      isReplayed: fc.integer({ min: 0, max: 3 }).map((n) => n === 3),
    }),
  )
  .map(([isRich, plain, rich, world, luck, rest]) => ({ isRich, flow: isRich ? rich : plain, world, luck, ...rest }))

/** Plays it to its end. */
export function run(course: Course, watch: (shell: Shell) => void = () => {}): Shell {
  const { flow, luck, crash, snapshotEvery, isMeddled } = course
  const [order, fall, stop] = [diceOf(`order:${luck}`), diceOf(`crash:${luck}`), diceOf(`pause:${luck}`)]
  const life = {
    world: worldOf(course),
    snapshotEvery,
    order: (n: number) => Math.floor(order() * n),
    crash: () => fall() < crash,
  }
  if (!course.isRich) {
    const meddle = isMeddled ? meddler(luck) : () => {}
    return live(planOf(course.isTimed ? timed(flow, luck) : flow, CAST), {
      ...life,
      meddle: (shell) => {
        watch(shell)
        meddle(shell)
      },
    })
  }
  return liveRich(planOf(flow, CAST), {
    ...life,
    rules: RULES,
    started: course.hasBudget ? { budget: BUDGET } : {},
    meddle: (shell) => {
      watch(shell)
      if (isMeddled) pauses(shell, stop())
    },
  })
}

/** The same flow and world, in order and undisturbed. */
export const calm = (course: Course): Shell => live(planOf(course.flow, CAST), { world: worldOf(course) })

/** One step of three has a time limit, and one run of four. */
function timed(flow: Flow, luck: number): Flow {
  const steps = flow.steps.map((step, i) => (i % 3 === luck % 3 && step.type !== "conditional" ? { ...step, timeout: 20 } : step))
  return { ...flow, steps, ...(luck % 4 === 0 ? { timeout: 400 } : {}) }
}
