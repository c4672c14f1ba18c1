// Makes the time axis of a run. Time in which nothing works is a gap of one width, however long it is, so that a run of days shows its minutes of
// work.

import type { RunOutline } from "../../src/core/run/views/outline.ts"
import { barsOf, isWork } from "./bars.ts"

/** In ms: a shorter stretch without work keeps its length. */
export const LEAST_GAP = 30_000
/** In percent of the axis: of one gap, and of all gaps. */
const [GAP_WIDTH, GAPS_WIDTH] = [6, 40]
/** In percent: what two marks leave between them at least. */
const BETWEEN_MARKS = 12

export interface Stretch {
  readonly from: number
  readonly to: number
}
export interface Gap extends Stretch {
  /** In percent of the axis. */
  readonly left: number
  readonly width: number
}
export interface Axis {
  /** The time that counts as 0:00. */
  readonly zero: number
  readonly from: number
  readonly until: number
  readonly gaps: readonly Gap[]
  /** `at`: milliseconds since zero. */
  readonly marks: readonly { readonly at: number; readonly left: number }[]
  /** In percent; below 0 or above 100 outside the axis. */
  readonly place: (at: number) => number
  /** The time at a place in percent. */
  readonly timeAt: (left: number) => number
}

/** The time at which a run begins as its own: of a fork, when it was made; of a queued run, whose journal is empty, `otherwise`. */
export const zeroOf = ({ began, forkedTime }: Pick<RunOutline, "began" | "forkedTime">, otherwise: number): number =>
  forkedTime ?? (began === 0 ? otherwise : began)

/**
 * Stretches in which a model, a tool, code or a child run works, in chronological order, without overlap; and the moments at which a wait or a
 * question begins or ends, for these are no part of a gap.
 */
export function workOf({ steps }: Pick<RunOutline, "steps">, now: number): Stretch[] {
  const all = [...steps.values()]
    .flatMap(({ passes }) => passes.flatMap(barsOf))
    .flatMap(({ kind, from, to }) => {
      if (isWork(kind)) return [{ from, to: Math.max(from, to ?? now) }]
      return [from, ...(to === undefined ? [] : [to])].map((at) => ({ from: at, to: at }))
    })
    .sort((a, b) => a.from - b.from)
  const work: { from: number; to: number }[] = []
  for (const { from, to } of all) {
    const last = work.at(-1)
    if (last && from <= last.to) last.to = Math.max(last.to, to)
    else work.push({ from, to })
  }
  return work
}

/** An axis from one time to another. */
export function axisOf({ zero, from, until, work }: { readonly zero: number; readonly work: readonly Stretch[] } & Span): Axis {
  const idle = idleIn(work, from, until)
  const worked = Math.max(0, until - from - idle.reduce((sum, gap) => sum + gap.to - gap.from, 0))
  const each = worked === 0 && idle.length > 0 ? 100 / idle.length : Math.min(GAP_WIDTH, GAPS_WIDTH / Math.max(1, idle.length))
  const scale = worked === 0 ? 0 : (100 - each * idle.length) / worked
  const pieces: (Gap & { readonly isGap: boolean })[] = []
  let [at, left] = [from, 0]
  const add = (to: number, width: number, isGap: boolean): void => {
    if (to > at) pieces.push({ from: at, to, left, width, isGap })
    ;[at, left] = [to, left + width]
  }
  for (const gap of idle) {
    add(gap.from, (gap.from - at) * scale, false)
    add(gap.to, each, true)
  }
  add(until, (until - at) * scale, false)
  const place = (time: number): number => {
    const piece = pieces[lastAt(pieces, (one) => one.from <= time)] ?? pieces[0]
    if (!piece) return time < from ? -1 : time > until ? 101 : 0
    if (time < from) return -1
    if (time > until) return 101
    return piece.left + ((time - piece.from) / (piece.to - piece.from)) * piece.width
  }
  const timeAt = (percent: number): number => {
    const piece = pieces[lastAt(pieces, (one) => one.left <= percent)] ?? pieces[0]
    if (!piece) return from
    const share = piece.width === 0 ? 0 : (percent - piece.left) / piece.width
    return Math.min(until, Math.max(from, piece.from + share * (piece.to - piece.from)))
  }
  const gaps = pieces.filter(({ isGap }) => isGap)
  return { zero, from, until, gaps, marks: marksOf(pieces, zero, scale), place, timeAt }
}

interface Span {
  readonly from: number
  readonly until: number
}

/** Stretches of at least {@link LEAST_GAP} between works. */
function idleIn(work: readonly Stretch[], from: number, until: number): Stretch[] {
  const idle: Stretch[] = []
  let free = from
  const end = (to: number): void => {
    const until_ = Math.min(to, until)
    if (until_ - free >= LEAST_GAP) idle.push({ from: free, to: until_ })
  }
  for (const one of work) {
    if (one.from >= until) break
    end(one.from)
    free = Math.max(free, one.to)
  }
  end(until)
  return idle
}

/** In seconds: what lies between two marks. */
const STEPS = [
  0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 43_200, 86_400, 172_800,
  604_800,
].map((seconds) => seconds * 1_000)

/** Round times where something works, and the time at which each gap ends. */
function marksOf(pieces: readonly (Gap & { readonly isGap: boolean })[], zero: number, scale: number): { at: number; left: number }[] {
  const step = STEPS.find((one) => one * scale >= BETWEEN_MARKS) ?? STEPS.at(-1) ?? 1
  const marks: { at: number; left: number; isAfterGap: boolean }[] = []
  const add = (at: number, left: number, isAfterGap: boolean): void => {
    if (left > 100 - BETWEEN_MARKS / 2) return
    const isClose = left - (marks.at(-1)?.left ?? -BETWEEN_MARKS) < BETWEEN_MARKS
    // How long a gap was is read at its end.
    if (isClose && (!isAfterGap || marks.at(-1)?.isAfterGap === true || marks.length === 1)) return
    if (isClose) marks.pop()
    marks.push({ at, left, isAfterGap })
  }
  for (const [i, { from, to, left, isGap }] of pieces.entries()) {
    if (isGap) continue
    if (i > 0) add(from - zero, left, true)
    const first = Math.ceil((from - zero) / step) * step
    for (let at = first; at <= to - zero && marks.length < 16; at += step) add(at, left + (at + zero - from) * scale, false)
  }
  return marks.map(({ at, left }) => ({ at, left }))
}

/** The last index that fits; the list begins with those that fit. */
function lastAt<Item>(list: readonly Item[], fits: (item: Item) => boolean): number {
  let [low, high] = [-1, list.length - 1]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    const item = list[middle]
    if (item !== undefined && fits(item)) low = middle
    else high = middle - 1
  }
  return low
}
