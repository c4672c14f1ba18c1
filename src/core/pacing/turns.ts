// Says who goes first at a paced model [R27]. Pure: the same calls and the same last minute give the same order.

import type { Amounts } from "./gauge.ts"

/** A person waits for the run, or its start's priority [R1]. */
export const RANKS = ["attended", "high", "normal", "low"] as const
export type Rank = (typeof RANKS)[number]

export interface WaitingCall {
  /** Of the run and the call: the same however often it asks. */
  readonly key: string
  /** The run without a parent above it. */
  readonly family: string
  readonly rank: Rank
  /** When it first asked (ms). */
  readonly since: number
  readonly cost: Amounts
}

/** Every fifth call is the one that has waited longest. */
const FIFTH = 5
const MOST_ORDERED = 1_000 // limit: waiting calls of a model whose turn is foretold → the others are told the last one's

/** Calls that have waited almost as long as the longest: a family's calls that began together are not one after another the longest. */
const ALMOST = 1 / 10

/** What each family got in the last minute, and how many calls were let go before: every fifth one goes by its wait until now. */
export interface Got {
  readonly families: ReadonlyMap<string, number>
  readonly turns: number
  readonly now: number
}

/** The calls in the order of their turns. */
export function inTurn(waiting: readonly WaitingCall[], { families, turns, now }: Got): WaitingCall[] {
  const byTime = waiting.toSorted((a, b) => a.since - b.since || (a.key < b.key ? -1 : 1))
  const got = new Map(families)
  const lines = linesOf(byTime)
  const gone = new Set<string>()
  const order: WaitingCall[] = []
  let oldest = 0
  for (let n = turns; order.length < Math.min(byTime.length, MOST_ORDERED); n++) {
    while (gone.has(byTime[oldest]?.key ?? "")) oldest += 1
    const next = isFifth(n) ? longestOf(byTime, { oldest, got, gone, now }) : bestOf(lines, got, gone)
    if (!next) break
    gone.add(next.key)
    order.push(next)
    got.set(next.family, (got.get(next.family) ?? 0) + 1)
  }
  return order
}

/** Whether this turn goes by the wait alone. */
export const isFifth = (turn: number): boolean => turn % FIFTH === FIFTH - 1

/** Of the calls that have waited longest, one of the family that got least. */
function longestOf(
  byTime: readonly WaitingCall[],
  {
    oldest,
    got,
    gone,
    now,
  }: Pick<Got, "now"> & { readonly oldest: number; readonly got: Got["families"]; readonly gone: ReadonlySet<string> },
): WaitingCall | undefined {
  let best = byTime[oldest]
  const until = best === undefined ? now : best.since + Math.max(0, now - best.since) * ALMOST
  for (let i = oldest; best !== undefined; i++) {
    const call = byTime[i]
    if (!call || call.since > until) break
    if (!gone.has(call.key) && (got.get(call.family) ?? 0) < (got.get(best.family) ?? 0)) best = call
  }
  return best
}

/** The calls of one family and rank, oldest first. */
interface Line {
  readonly rank: number
  readonly family: string
  readonly calls: WaitingCall[]
  at: number
}

function linesOf(byTime: readonly WaitingCall[]): Line[] {
  const lines = new Map<string, Line>()
  for (const call of byTime) {
    const rank = RANKS.indexOf(call.rank)
    const name = `${rank} ${call.family}`
    const line = lines.get(name) ?? { rank, family: call.family, calls: [], at: 0 }
    lines.set(name, line)
    line.calls.push(call)
  }
  return [...lines.values()]
}

/** The first call of the line that comes first: by rank, by what the family got, and among equals by time, in which the lines are ordered. */
function bestOf(lines: readonly Line[], got: ReadonlyMap<string, number>, gone: ReadonlySet<string>): WaitingCall | undefined {
  let best: Line | undefined
  let first: WaitingCall | undefined
  const gotBy = ({ family }: Line): number => got.get(family) ?? 0
  for (const line of lines) {
    while (gone.has(line.calls[line.at]?.key ?? "")) line.at += 1
    const call = line.calls[line.at]
    if (!call) continue
    const isBefore =
      !best ||
      !first ||
      line.rank - best.rank < 0 ||
      (line.rank === best.rank && (gotBy(line) - gotBy(best) || call.since - first.since) < 0)
    if (!isBefore) continue
    best = line
    first = call
  }
  return first
}

/** Whether a call of the first rank goes before one of the second, whatever their families got. */
export const goesBefore = (one: Rank, other: Rank): boolean => RANKS.indexOf(one) < RANKS.indexOf(other)
