// Days of a plot: those between two, each with what was used on it, also where nothing was.

import type { Usage } from "../../../../src/api/doc/insight.doc.ts"
import type { PlotSlice } from "../../../../web/plot/plot.ts"
import { age, duration } from "../../parts/figures.ts"

export type Sum = Usage["total"]
export type NamedUsage = Usage["data"][number]

const DAY_MS = 86_400_000

export const NOTHING: Sum = {
  runs: 0,
  failed: 0,
  children: 0,
  input: 0,
  cached: 0,
  output: 0,
  usd: null,
  unpriced: 0,
  model_calls: 0,
  tool_calls: 0,
  tool_errors: 0,
  lost: { calls: 0, tokens: 0 },
  questions: 0,
  approvals: 0,
  answered: 0,
  waited_ms: 0,
}

export const today = (): string => new Date().toISOString().slice(0, 10)

export const daysBefore = (day: string, count: number): string => new Date(Date.parse(day) - count * DAY_MS).toISOString().slice(0, 10)

export function everyDay({ from, to, data }: Usage): NamedUsage[] {
  const known = new Map(data.map((row) => [row.key, row]))
  const days: NamedUsage[] = []
  for (let day = from; day <= to; day = daysBefore(day, -1)) days.push(known.get(day) ?? { key: day, ...NOTHING })
  return days
}

/** `Nov 18`. */
export const dayName = (day: string): string =>
  new Date(`${day}T00:00:00Z`).toLocaleDateString("en-US", { month: "short", day: "numeric", timeZone: "UTC" })

/** Without the run's own day sums: what is plotted, in parts from below. */
export interface Measure {
  readonly name: string
  readonly label: string
  readonly parts: readonly { readonly label: string; readonly of: (row: NamedUsage) => number }[]
  readonly words: (value: number) => string
  /** Its parts are flows, whose names are said also where there is one. */
  readonly isByFlow?: true
}

const whole = (value: number): string =>
  value.toLocaleString("en-US", { maximumFractionDigits: 1, notation: value >= 100_000 ? "compact" : "standard" })
function axisDollars(value: number): string {
  const [cents, exact] = [value.toFixed(2), Number(value.toPrecision(2))]
  return `$${value >= 100 || Number.isInteger(value) ? value.toFixed(0) : value >= 1 || Number(cents) === exact ? cents : String(exact)}`
}

const SPEND: Measure = { name: "usd", label: "Spend", words: axisDollars, parts: [{ label: "US dollars", of: ({ usd }) => usd ?? 0 }] }

export const MEASURES: readonly [Measure, ...Measure[]] = [
  SPEND,
  {
    name: "tokens",
    label: "Tokens",
    words: whole,
    parts: [
      { label: "Output", of: ({ output }) => output },
      { label: "Input, read anew", of: ({ input, cached }) => input - cached },
      { label: "Input from cache", of: ({ cached }) => cached },
    ],
  },
  {
    name: "runs",
    label: "Runs",
    words: whole,
    parts: [
      { label: "Succeeded or canceled", of: ({ runs, failed }) => runs - failed },
      { label: "Failed", of: ({ failed }) => failed },
    ],
  },
  {
    name: "calls",
    label: "Calls",
    words: whole,
    parts: [
      { label: "Model calls", of: ({ model_calls }) => model_calls },
      { label: "Tool calls", of: ({ tool_calls, tool_errors }) => tool_calls - tool_errors },
      { label: "Tool calls that failed", of: ({ tool_errors }) => tool_errors },
    ],
  },
  {
    name: "asked",
    label: "Asked",
    words: whole,
    parts: [
      { label: "Approvals", of: ({ approvals }) => approvals },
      { label: "Questions", of: ({ questions }) => questions },
    ],
  },
]

/** How long an answer took on average. */
export function tookOf({ answered, waited_ms }: Sum): string {
  const ms = waited_ms / answered
  return answered === 0 ? "–" : ms < 60_000 ? duration(ms) : age(0, ms)
}

export const totalOf = ({ parts }: Measure, row: NamedUsage): number => parts.reduce((total, { of }) => total + of(row), 0)

/** What no call had a price for is not known, and is not 0. */
export const shownTotal = (measure: Measure, row: NamedUsage): string =>
  measure.name === SPEND.name && row.usd === null ? "–" : measure.words(totalOf(measure, row))

/** What a plot shows side by side: a row for each slice, also where nothing was used. */
export interface Slots {
  readonly each: "hour" | "day"
  readonly slices: readonly PlotSlice[]
  readonly rows: readonly NamedUsage[]
}

const HOUR_MS = 3_600_000

/** Each hour of the days that has begun, also where nothing was used. */
export function hourSlots({ from, to }: Usage, hours: readonly (NamedUsage & { readonly slot: string })[], now: number): Slots {
  const known = new Map(hours.map((row) => [Date.parse(row.slot), row]))
  const end = Math.min(Date.parse(daysBefore(to, -1)), (Math.floor(now / HOUR_MS) + 1) * HOUR_MS)
  const slices: PlotSlice[] = []
  for (let at = Date.parse(from); at < end; at += HOUR_MS) slices.push({ from: at, to: at + HOUR_MS, isPartial: at + HOUR_MS > now })
  const rows = slices.map((slice) => {
    const hour = new Date(slice.from).toISOString()
    return { ...(known.get(slice.from) ?? { ...NOTHING, key: hour.slice(0, 10) }), hour }
  })
  return { each: "hour", slices, rows }
}

/** A day in UTC stands under its name, wherever the reader is. */
export function daySlots(all: Usage, now: string): Slots {
  const rows = everyDay(all)
  const midnight = (day: string): number => new Date(`${day}T00:00:00`).getTime()
  const slices = rows.map(({ key }) => ({ from: midnight(key), to: midnight(key) + DAY_MS, isPartial: key === now }))
  return { each: "day", slices, rows }
}
