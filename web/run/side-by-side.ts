// Two runs on one axis: each step of both in a row, and one place at which they part.

import { barsOf, isWork, type Bar } from "./bars.ts"
import { axisOf, type Axis, type Stretch } from "./axis.ts"
import type { Pass, RunOutline } from "../../src/core/run/views/outline.ts"

/** A pass that one of the runs has, or both. */
export interface Pair {
  readonly step: string
  readonly pass: number
  readonly same: boolean
}

export interface ComparedRun {
  readonly story: RunOutline
  /** Of a fork: when the event happened after which it goes on. */
  readonly source: number | undefined
}

export interface Side {
  readonly axis: Axis
  readonly passOf: (pair: Pair) => Pass | undefined
  /** On the axis. */
  readonly barsOf: (pair: Pair) => readonly Bar[]
  /** In ms: at work and waiting, without the time between a source and its fork. */
  readonly took: number
}

export interface SideBySide {
  readonly a: Side
  readonly b: Side
  /** In percent of the axis; undefined: they do not part. */
  readonly parts: number | undefined
}

/** Both begin where their first difference meets: what is alike ends at one place. */
export function sideBySide(one: ComparedRun, other: ComparedRun, pairs: readonly Pair[], first: Pair | undefined): SideBySide {
  const sides = [one, other].map((compared) => ({ ...compared, time: timeIn(compared), part: first && partOf(compared, pairs, first) }))
  const latest = Math.max(0, ...sides.map(({ part = 0 }) => part))
  const shifted = sides.map(({ story, time, part = 0 }) => ({
    story,
    shift: latest - part,
    at: (when: number) => time(when) + latest - part,
  }))
  const until = Math.max(1, ...shifted.map(({ story, at }) => at(endOf(story))))
  const work = shifted
    .flatMap(({ story, at }) =>
      [...story.steps.values()].flatMap(({ passes }) => passes.flatMap((pass) => movedBars(pass, at, endOf(story)))),
    )
    .flatMap(({ kind, from, to = until }): Stretch[] =>
      isWork(kind)
        ? [{ from, to }]
        : [
            { from, to: from },
            { from: to, to },
          ],
    )
    .toSorted((x, y) => x.from - y.from)
  const [a, b] = shifted.map(({ story, shift, at }): Side => {
    const passOf = ({ step, pass }: Pair): Pass | undefined => story.steps.get(step)?.passes.find((each) => each.pass === pass)
    return {
      axis: axisOf({ zero: shift, from: 0, until, work: merged(work) }),
      passOf,
      barsOf(pair) {
        const pass = passOf(pair)
        return pass === undefined ? [] : movedBars(pass, at, endOf(story))
      },
      took: at(endOf(story)) - shift,
    }
  })
  if (!a || !b) throw new Error("there are two sides")
  return { a, b, parts: first === undefined ? undefined : a.axis.place(latest) }
}

const endOf = ({ ended, at }: RunOutline): number => ended ?? at

/** Since the run began; a fork goes on without the time that lay before it. */
function timeIn({ story: { began, forkedTime }, source }: ComparedRun): (at: number) => number {
  const between = forkedTime === undefined || source === undefined ? 0 : Math.max(0, forkedTime - source)
  return (at) => at - began - (forkedTime !== undefined && at >= forkedTime ? between : 0)
}

/** When what is other begins, or what is alike ends where the other run alone goes on. */
function partOf(compared: ComparedRun, pairs: readonly Pair[], first: Pair): number {
  const time = timeIn(compared)
  const passOf = ({ step, pass }: Pair): Pass | undefined => compared.story.steps.get(step)?.passes.find((each) => each.pass === pass)
  const begins = passOf(first)?.begun
  if (begins !== undefined) return time(begins)
  const before = pairs.slice(
    0,
    Math.max(
      0,
      pairs.findIndex(({ step, pass }) => step === first.step && pass === first.pass),
    ),
  )
  return Math.max(0, ...before.flatMap((pair) => (pair.same ? [time(passOf(pair)?.ended ?? compared.story.began)] : [])))
}

const movedBars = (pass: Pass, at: (when: number) => number, end: number): Bar[] =>
  barsOf(pass).map(({ kind, from, to }) => ({ kind, from: at(from), to: at(to ?? end) }))

function merged(work: readonly Stretch[]): Stretch[] {
  const all: { from: number; to: number }[] = []
  for (const { from, to } of work) {
    const last = all.at(-1)
    if (last && from <= last.to) last.to = Math.max(last.to, to)
    else all.push({ from, to })
  }
  return all
}

export interface Fold<P extends Pair> {
  readonly key: string
  readonly pairs: readonly P[]
}

/** Equal rows that follow each other are one. */
export function foldsOf<P extends Pair>(pairs: readonly P[]): Fold<P>[] {
  const folds: { key: string; pairs: P[] }[] = []
  for (const pair of pairs) {
    const last = folds.at(-1)
    if (pair.same && last?.pairs.at(-1)?.same === true) last.pairs.push(pair)
    else folds.push({ key: `${pair.step} ${pair.pass}`, pairs: [pair] })
  }
  return folds
}
