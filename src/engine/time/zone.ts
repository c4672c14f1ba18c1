// Computes the wall clock of a time zone, and resolves times that it shows twice or never. Zone data comes from the runtime; a wall time is
// in milliseconds as if the zone were UTC.

import { nearest } from "../../core/text/nearest.ts"

const DAY_MS = 86_400_000

/** Creating a formatter costs more than a thousand lookups with it. */
const formats = new Map<string, Intl.DateTimeFormat>()
const MAX_FORMATS = 64 // limit: time zones in memory → the cache is emptied

/** An IANA name that this runtime knows. Offsets such as "+01:00" are refused: they have no daylight saving time. */
export function isZone(name: string): boolean {
  if (!/^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/.test(name)) return false
  try {
    return formatOf(name) !== undefined
  } catch {
    return false
  }
}

/** The zone that was probably meant. */
export const nearestZone = (name: string): string | undefined => nearest(name, Intl.supportedValuesOf("timeZone"))

/** The wall time at this instant. */
export const wallAt = (zone: string, instant: number): number => instant + offsetAt(zone, instant)

/** The first instant with the wall time `wall`; if it falls in a gap, the first instant after the gap [W5]. */
export function instantOf(zone: string, wall: number): number {
  const [before, after] = [offsetAt(zone, wall - DAY_MS), offsetAt(zone, wall + DAY_MS)]
  const shown = [...new Set([before, after, offsetAt(zone, wall)])].map((offset) => wall - offset).filter((at) => wallAt(zone, at) === wall)
  if (shown.length > 0) return Math.min(...shown)
  let [early, late] = [wall - Math.max(before, after), wall - Math.min(before, after)]
  // The clock skips `wall` between the two: find the first instant after it.
  while (late - early > 1) {
    const middle = Math.floor((early + late) / 2)
    if (wallAt(zone, middle) < wall) early = middle
    else late = middle
  }
  return late
}

/** The change of the clock within a day of this instant; nearly always 0. */
export function shiftAround(zone: string, instant: number): number {
  const offsets = [instant - DAY_MS, instant, instant + DAY_MS].map((at) => offsetAt(zone, at))
  return Math.max(...offsets) - Math.min(...offsets)
}

function offsetAt(zone: string, instant: number): number {
  const fields: Record<string, number> = {}
  for (const { type, value } of formatOf(zone).formatToParts(instant)) if (type !== "literal") fields[type] = Number(value)
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = fields
  const wall = Date.UTC(year, month - 1, day, hour, minute, second)
  return wall - Math.floor(instant / 1_000) * 1_000
}

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone)
  if (known) return known
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    calendar: "iso8601",
    numberingSystem: "latn",
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  })
  if (formats.size >= MAX_FORMATS) formats.clear()
  formats.set(zone, format)
  return format
}
