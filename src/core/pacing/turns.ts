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

/** What each family got in the last minute, and how many calls were let go before: every fifth one goes by its wait. */
export interface Got {
  readonly families: ReadonlyMap<string, number>
  readonly turns: number
}

/** The calls in the order of their turns. */
export function inTurn(waiting: readonly WaitingCall[], { families, turns }: Got): WaitingCall[] {
  const byTime = waiting.toSorted((a, b) => a.since - b.since || (a.key < b.key ? -1 : 1))
  const lines = linesOf(byTime, families)
  const gone = new Set<string>()
  const order: WaitingCall[] = []
  let oldest = 0
  for (let n = turns; order.length < Math.min(byTime.length, MOST_ORDERED); n++) {
    while (gone.has(byTime[oldest]?.key ?? "")) oldest += 1
    const next = n % FIFTH === FIFTH - 1 ? byTime[oldest] : bestOf(lines, gone)
    if (!next) break
    gone.add(next.key)
    order.push(next)
    // It got one more at every rank.
    for (const line of lines) if (line.family === next.family) line.got += 1
  }
  return order
}

/** The calls of one family and rank, oldest first. */
interface Line {
  readonly rank: number
  readonly family: string
  readonly calls: WaitingCall[]
  got: number
  at: number
}

function linesOf(byTime: readonly WaitingCall[], families: ReadonlyMap<string, number>): Line[] {
  const lines = new Map<string, Line>()
  for (const call of byTime) {
    const rank = RANKS.indexOf(call.rank)
    const name = `${rank} ${call.family}`
    const line = lines.get(name) ?? { rank, family: call.family, calls: [], got: families.get(call.family) ?? 0, at: 0 }
    lines.set(name, line)
    line.calls.push(call)
  }
  return [...lines.values()]
}

/** The first call of the line that comes first: by rank, by what the family got, and among equals by time, in which the lines are ordered. */
function bestOf(lines: readonly Line[], gone: ReadonlySet<string>): WaitingCall | undefined {
  let best: Line | undefined
  let first: WaitingCall | undefined
  for (const line of lines) {
    while (gone.has(line.calls[line.at]?.key ?? "")) line.at += 1
    const call = line.calls[line.at]
    if (!call) continue
    const isBefore =
      !best || !first || line.rank - best.rank < 0 || (line.rank === best.rank && (line.got - best.got || call.since - first.since) < 0)
    if (!isBefore) continue
    best = line
    first = call
  }
  return first
}
