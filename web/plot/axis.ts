// The marks of an axis, and the names of slices of time: local, and at most a few.

import { clockTime, hourName } from "../clock.ts"
import type { AxisKind, Plot, PlotSlice } from "./plot.ts"

/** The marks of an axis that begins at 0 and has at most five of them; the last is its end. */
export function ticksOf(highest: number, kind: AxisKind): number[] {
  const step = stepOf(highest / MOST_STEPS, kind)
  const n = Math.max(1, Math.ceil(highest / step - HAIR))
  return Array.from({ length: n + 1 }, (_, i) => Number((i * step).toPrecision(12)))
}
const MOST_STEPS = 4
/** What a division left in the last digit is no reason for one more mark. */
const HAIR = 1e-9

const [SECOND, MINUTE, HOUR, DAY] = [1_000, 60_000, 3_600_000, 86_400_000]
const TIME_STEPS = [
  ...[1, 2, 5, 10, 15, 30].map((n) => n * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((n) => n * MINUTE),
  ...[1, 2, 3, 6, 12].map((n) => n * HOUR),
]

function stepOf(share: number, kind: AxisKind): number {
  if (share <= 0) return kind === "count" ? 1 : kind === "time" ? SECOND : kind === "percent" ? 25 : 0.25
  if (kind === "time" && share > 0.5 * SECOND) {
    const step = TIME_STEPS.find((one) => one >= share * (1 - HAIR))
    return step ?? tenfold(share / DAY) * DAY
  }
  const step = tenfold(share)
  return kind === "count" ? Math.max(1, step) : kind === "percent" ? Math.min(25, step) : step
}

/** The next 1, 2, 2.5 or 5 of a power of ten. */
function tenfold(share: number): number {
  const power = 10 ** Math.floor(Math.log10(share) + HAIR)
  return [1, 2, 5, 10].map((times) => times * power).find((one) => one >= share * (1 - HAIR)) ?? share
}

/** `2 PM`, `Nov 24`; at midnight the hour has the day's name. */
export function sliceName({ from }: Pick<PlotSlice, "from">, each: Plot["each"]): string {
  const time = new Date(from)
  if (each === "day") return time.toLocaleDateString("en-US", { month: "short", day: "numeric" })
  return time.getHours() === 0 && time.getMinutes() === 0 ? time.toLocaleDateString("en-US", { weekday: "short" }) : hourName(time)
}

/** The whole name, for a table and for who hears it. */
export function sliceTitle({ from }: Pick<PlotSlice, "from">, each: Plot["each"]): string {
  const time = new Date(from)
  const day = time.toLocaleDateString("en-US", { weekday: "short", month: "short", day: "numeric" })
  return each === "day" ? day : `${day}, ${clockTime(time)}`
}

/** Which slices have their name below: at most `most`, at even distances, of hours those that divide the day. */
export function namedSlices({ slices, each }: Pick<Plot, "slices" | "each">, most: number): number[] {
  const every = (each === "hour" ? HOUR_STEPS : DAY_STEPS).find((n) => slices.length / n <= most) ?? Math.ceil(slices.length / most)
  const first = each === "hour" ? slices.findIndex(({ from }) => new Date(from).getHours() % every === 0) : (slices.length - 1) % every
  return slices.flatMap((_, i) => (i >= first && (i - first) % every === 0 ? [i] : []))
}
const HOUR_STEPS = [1, 2, 3, 6, 12, 24, 48, 96, 168]
const DAY_STEPS = [1, 2, 3, 7, 14, 30, 60, 90]
