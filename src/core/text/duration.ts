// Reads and writes durations: integer milliseconds, or a number with a unit.

const UNITS: ReadonlyMap<string, number> = new Map([
  ["ms", 1],
  ["s", 1000],
  ["m", 60_000],
  ["h", 3_600_000],
  ["d", 86_400_000],
])

/** Milliseconds of `1500`, `"500ms"`, `"30s"`, `"5m"`, `"2h"`, `"3d"`; undefined for anything else, including negative numbers. */
export function parseDuration(x: unknown): number | undefined {
  if (typeof x === "number") return Number.isSafeInteger(x) && x >= 0 ? x : undefined
  if (typeof x !== "string") return undefined
  const match = /^(\d{1,15})(ms|s|m|h|d)?$/.exec(x.trim())
  if (match === null) return undefined
  const ms = Number(match[1]) * (UNITS.get(match[2] ?? "ms") ?? 1)
  return Number.isSafeInteger(ms) ? ms : undefined
}

const LARGEST_FIRST = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1_000],
] as const

/** The duration in the largest unit that gives a whole number. */
export function durationText(ms: number): string {
  const [unit, size] = LARGEST_FIRST.find(([, size]) => ms >= size && ms % size === 0) ?? ["ms", 1]
  return `${ms / size}${unit}`
}
