// The days of a plot, each parted by flow: the flows that have the most of what is plotted, and the others as one.

import type { Usage } from "../../../../src/api/doc/insight.doc.ts"
import { visible } from "../../../../web/chat/wording.ts"
import { totalOf, type Measure } from "./usage-days.ts"

/** Flows with a part of their own. */
const MOST = 4

/** `daily`: sums by flow, for each day. */
export function stackedBy(daily: Usage, measure: Measure): Measure {
  const days = new Map<string, Map<string, number>>()
  const flows = new Map<string, number>()
  for (const row of daily.data) {
    const value = totalOf(measure, row)
    if (value === 0 || row.day === undefined) continue
    const day = days.get(row.day) ?? new Map<string, number>()
    days.set(row.day, day.set(row.key, value))
    flows.set(row.key, (flows.get(row.key) ?? 0) + value)
  }
  const own = [...flows.keys()]
    .filter((flow) => flow !== "(other)")
    .sort((a, b) => (flows.get(b) ?? 0) - (flows.get(a) ?? 0))
    .slice(0, MOST)
  const parts = own.map((flow) => ({ label: visible(flow), of: ({ key }: { readonly key: string }) => days.get(key)?.get(flow) ?? 0 }))
  if (flows.size <= own.length) return { ...measure, parts, isByFlow: true }
  const rest = ({ key }: { readonly key: string }): number =>
    [...(days.get(key) ?? [])].reduce((sum, [flow, value]) => sum + (own.includes(flow) ? 0 : value), 0)
  return { ...measure, parts: [...parts, { label: "Other flows", of: rest }], isByFlow: true }
}
