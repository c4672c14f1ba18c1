// The days or hours of a plot, each parted by name: the names that have the most of what is plotted, and the others as one.

import { visible } from "../../../../web/chat/wording.ts"
import { totalOf, type Measure, type NamedUsage } from "./usage-days.ts"
import type { By, SlotUsage } from "./use-usage.ts"

/** Names with a part of their own. */
const MOST = 4
/** What a run did with several models counts with each of them: these alone add up. */
const ADDING: Readonly<Partial<Record<By, readonly string[]>>> = {
  model: ["usd", "tokens", "calls"],
  agent: ["usd", "tokens", "calls"],
  tool: ["calls"],
  key: ["usd", "runs"],
  tag: [],
}
const OTHERS: Readonly<Record<By, string>> = {
  day: "Other days",
  flow: "Other flows",
  model: "Other models",
  agent: "Other agents",
  tool: "Other tools",
  key: "All others",
  tag: "Other tags",
}

/** `slots`: sums by name, for each day or hour. undefined: they would not add up, or there are none. */
export function stackedBy(slots: readonly SlotUsage[], by: By, measure: Measure): Measure | undefined {
  const adding = ADDING[by]
  if (adding !== undefined && !adding.includes(measure.name)) return undefined
  const times = new Map<string, Map<string, number>>()
  const names = new Map<string, number>()
  for (const row of slots) {
    const value = totalOf(measure, row)
    if (value === 0) continue
    const time = times.get(row.slot) ?? new Map<string, number>()
    times.set(row.slot, time.set(row.key, value))
    names.set(row.key, (names.get(row.key) ?? 0) + value)
  }
  if (names.size === 0) return undefined
  const own = [...names.keys()]
    .filter((name) => name !== "(other)")
    .sort((a, b) => (names.get(b) ?? 0) - (names.get(a) ?? 0))
    .slice(0, MOST)
  const at = (row: NamedUsage): Map<string, number> | undefined => times.get(row.hour ?? row.key)
  const parts = own.map((name) => ({ label: visible(name), of: (row: NamedUsage) => at(row)?.get(name) ?? 0 }))
  if (names.size <= own.length && by !== "key") return { ...measure, parts, isByFlow: true }
  // Runs that no key started, and what is in no part, are in the total alone.
  const rest = (row: NamedUsage): number =>
    Math.max(0, totalOf(measure, row) - own.reduce((sum, name) => sum + (at(row)?.get(name) ?? 0), 0))
  return { ...measure, parts: [...parts, { label: OTHERS[by], of: rest }], isByFlow: true }
}
