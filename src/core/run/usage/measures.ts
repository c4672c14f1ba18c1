// Says what a sum of runs tells: counts, shares and percentiles.

import { percentile, spreadOf, type Histogram, type Spread } from "./histogram.ts"
import type { Asks, Ends, ModelPart, Sum, UsePart } from "./sum.ts"

/** Durations in milliseconds. */
export interface Times {
  readonly n: number
  readonly sum: number
  readonly p50: number
  readonly p95: number
  readonly spread?: Spread
}

export const timesOf = (ms: Histogram | undefined): Times | null =>
  ms === undefined || ms.n === 0 ? null : { n: ms.n, sum: ms.sum, p50: percentile(ms, 0.5) ?? 0, p95: percentile(ms, 0.95) ?? 0 }

/** With how many took how long, which a slice would be too long with. */
export const spreadTimes = (ms: Histogram | undefined): Times | null => {
  const times = timesOf(ms)
  return times && ms ? { ...times, spread: spreadOf(ms) } : null
}

export const endsOf = ({ succeeded = 0, failed = 0, canceled = 0 }: Ends = {}): Required<Ends> => ({ succeeded, failed, canceled })

export const endedIn = (ends: Ends = {}): number => (ends.succeeded ?? 0) + (ends.failed ?? 0) + (ends.canceled ?? 0)

/** The share of runs that did not fail; null: none has succeeded or failed. */
export function successIn({ succeeded = 0, failed = 0 }: Ends = {}): number | null {
  return succeeded + failed === 0 ? null : succeeded / (succeeded + failed)
}

/** Of an hour, a day, or several. */
export function measuresOf(sum: Sum) {
  const { began = 0, runs, children, usd, unpriced = 0, input = 0, cached = 0, output = 0, ms, waited } = sum
  return {
    began,
    runs: endsOf(runs),
    children: endsOf(children),
    success: successIn(runs),
    usd: usd ?? null,
    unpriced,
    input,
    cached,
    output,
    ms: timesOf(ms),
    waited: timesOf(waited),
  }
}

export const asksIn = ({ n = 0, approved = 0, edited = 0, rejected = 0, answered = 0, expired = 0, ms }: Asks = {}) => ({
  n,
  approved,
  edited,
  rejected,
  answered,
  expired,
  ms: timesOf(ms),
})

const modelIn = ({ calls = 0, failed = 0, limited = 0, input = 0, cached = 0, output = 0, usd }: ModelPart) => ({
  calls,
  failed,
  limited,
  input,
  cached,
  output,
  usd: usd ?? null,
})

const useIn = (name: string, { input = 0, output = 0, usd, ...ends }: UsePart) => ({
  name,
  runs: endsOf(ends),
  input,
  output,
  usd: usd ?? null,
})

/** By name, in the order in which they came; `step`: in file order, where a run had reached all. */
export function namesIn({ by = {} }: Sum, times = timesOf) {
  return {
    models: Object.entries(by.model ?? {}).map(([model, part]) => ({ model, ...modelIn(part), ms: times(part.ms) })),
    tools: Object.entries(by.tool ?? {}).map(([tool, { calls = 0, errors = 0, refused = {}, asks, ms }]) => ({
      tool,
      calls,
      errors,
      refused,
      approvals: asksIn(asks),
      ms: times(ms),
    })),
    people: Object.entries(by.person ?? {}).map(([person, { answered = 0, ms }]) => ({ person, answered, ms: timesOf(ms) })),
    keys: Object.entries(by.key ?? {}).map(([name, part]) => useIn(name, part)),
    tags: Object.entries(by.tag ?? {}).map(([name, part]) => useIn(name, part)),
  }
}

/** What only the sums of one flow have. A revision's runs are all of it, children too. */
export function flowNamesIn({ by = {} }: Sum) {
  return {
    revisions: Object.entries(by.revision ?? {})
      .map(([revision, part]) => ({
        revision: Number.isSafeInteger(Number(revision)) ? Number(revision) : revision,
        runs: endsOf(part),
        success: successIn(part),
        usd: part.usd ?? null,
        ms: timesOf(part.ms),
      }))
      .toSorted((a, b) => Number(b.revision) - Number(a.revision) || (typeof a.revision === "string" ? 1 : -1)),
    steps: Object.entries(by.step ?? {}).map(([step, { reached = 0, skipped = 0, failed = 0, left = 0, usd, ms }]) => ({
      step,
      reached,
      skipped,
      failed,
      left,
      usd: usd ?? null,
      ms: spreadTimes(ms),
    })),
  }
}
