// Answers what runs have used by the hour [H13], in all or by flow, from the sums of hours [H16]: for the flows that used most of the range, and for
// all others together.

import { endedIn } from "../../../core/run/usage/measures.ts"
import type { Asks, Sum } from "../../../core/run/usage/sum.ts"
import { OTHER } from "../../../core/run/usage/tally.ts"
import { isoTime } from "../../../core/text/iso-time.ts"
import { tidy } from "../../../core/money/tidy.ts"
import type { UsagePort, UsageQuery, UsageRow, UsageSum } from "../../../ports/tenant/usage.ts"
import type { SumReader } from "./sum-reader.ts"
import { MOST_DAILY, type UsageStore } from "./usage-store.ts"

const HOUR_MS = 3_600_000
const DAY_HOURS = 24

type Summed = Awaited<ReturnType<UsagePort["sums"]>>

export function hourlyUsage({ usage, sums }: { readonly usage: UsageStore; readonly sums: SumReader }, query: UsageQuery): Summed {
  const { from, to, rehearsed } = query
  const range = [from * DAY_HOURS, to * DAY_HOURS + DAY_HOURS - 1] as const
  const hoursOf = (flow?: string): Map<number, Sum> => {
    const { heads } = sums.read({ unit: "hour", rehearsed, whole: [0, -1], heads: [range], ...(flow === undefined ? {} : { flow }) })
    return new Map(heads.map(({ at, text }) => [at, JSON.parse(text)]))
  }
  const all = hoursOf()
  const { data: names, total } = usage.sums({ by: query.by, from, to, rehearsed })
  const rowOf = (at: number, key: string, sum: UsageSum): UsageRow => ({ hour: isoTime(at * HOUR_MS), key, ...sum })
  if (query.by !== "flow")
    return { data: [...all].map(([at, sum]) => rowOf(at, isoTime(at * HOUR_MS).slice(0, 10), usageOf(sum))), total, complete: true }
  const largest = names
    .map(({ key }) => key)
    .filter((key) => key !== OTHER)
    .slice(0, MOST_DAILY)
  const byFlow = largest.map((flow) => [flow, hoursOf(flow)] as const)
  const data = [...all].flatMap(([at, sum]) => {
    const own = byFlow.flatMap(([flow, hours]) => {
      const of = hours.get(at)
      return of ? [rowOf(at, flow, usageOf(of))] : []
    })
    const rest = own.reduce(less, usageOf(sum))
    return isNothing(rest) ? own : [...own, rowOf(at, OTHER, rest)]
  })
  return { data, total, complete: largest.length === names.length }
}

const answeredIn = ({ approved = 0, edited = 0, rejected = 0, answered = 0 }: Asks = {}): number => approved + edited + rejected + answered

function usageOf(sum: Sum): UsageSum {
  const { runs, children, input = 0, cached = 0, output = 0, usd, unpriced = 0, model_calls = 0, tool_calls = 0, tool_errors = 0 } = sum
  return {
    runs: endedIn(runs),
    failed: runs?.failed ?? 0,
    children: endedIn(children),
    input,
    cached,
    output,
    usd: usd ?? null,
    unpriced,
    model_calls,
    tool_calls,
    tool_errors,
    lost: { calls: sum.lost_calls ?? 0, tokens: sum.lost_tokens ?? 0 },
    questions: sum.questions?.n ?? 0,
    approvals: sum.approvals?.n ?? 0,
    answered: answeredIn(sum.questions) + answeredIn(sum.approvals),
    waited_ms: (sum.questions?.ms?.sum ?? 0) + (sum.approvals?.ms?.sum ?? 0),
  }
}

/** A sum without a part of it. */
function less(all: UsageSum, { lost, usd, ...part }: UsageSum): UsageSum {
  const rest: Record<string, number> = {}
  for (const name of Object.keys(part) as (keyof typeof part)[]) if (typeof part[name] === "number") rest[name] = all[name] - part[name]
  const dollars = all.usd === null ? null : tidy(all.usd - (usd ?? 0))
  return { ...all, ...rest, usd: dollars, lost: { calls: all.lost.calls - lost.calls, tokens: all.lost.tokens - lost.tokens } }
}

const isNothing = ({ runs, children, input, output, model_calls, tool_calls }: UsageSum): boolean =>
  runs + children + input + output + model_calls + tool_calls === 0
