// Milliseconds since 1970 as ISO 8601 UTC. Core may not touch `Date` (it has no clock), so the calendar is worked out here.

const DAY = 86_400_000

/** Proleptic Gregorian calendar; the days-to-civil arithmetic counts years from March, so leap days come last. */
export function isoTime(ms: number): string {
  const days = Math.floor(ms / DAY)
  const rest = ms - days * DAY
  const z = days + 719_468
  const era = Math.floor(z / 146_097)
  const doe = z - era * 146_097
  const yoe = Math.floor((doe - Math.floor(doe / 1_460) + Math.floor(doe / 36_524) - Math.floor(doe / 146_096)) / 365)
  const doy = doe - (365 * yoe + Math.floor(yoe / 4) - Math.floor(yoe / 100))
  const mp = Math.floor((5 * doy + 2) / 153)
  const day = doy - Math.floor((153 * mp + 2) / 5) + 1
  const month = mp < 10 ? mp + 3 : mp - 9
  const year = yoe + era * 400 + (month <= 2 ? 1 : 0)
  const two = (n: number): string => String(n).padStart(2, "0")
  const clock = `${two(Math.floor(rest / 3_600_000))}:${two(Math.floor(rest / 60_000) % 60)}:${two(Math.floor(rest / 1_000) % 60)}`
  return `${String(year).padStart(4, "0")}-${two(month)}-${two(day)}T${clock}.${String(Math.floor(rest) % 1_000).padStart(3, "0")}Z`
}
