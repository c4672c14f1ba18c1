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

const TIME = /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(Z|z|[+-]\d{2}:?\d{2})?)?$/

/** ISO 8601 with a date and, if it has a time, its offset; without an offset it is UTC. undefined: it is no time that exists. */
export function parseIsoTime(text: string): number | undefined {
  const m = TIME.exec(text)
  if (!m) return undefined
  const part = (i: number): number => Number(m[i] ?? "0")
  const [year, month, day, hour, minute, second] = [part(1), part(2), part(3), part(4), part(5), part(6)]
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
  const days = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] ?? 0
  if (day < 1 || day > days || hour > 23 || minute > 59 || second > 59) return undefined
  const zone = m[8] ?? "Z"
  const sign = zone.startsWith("-") ? -1 : 1
  const [hours, minutes] = /^[zZ]$/.test(zone) ? [0, 0] : [Number(zone.slice(1, 3)), Number(zone.slice(-2))]
  if (hours > 23 || minutes > 59) return undefined
  const offset = sign * (hours * 60 + minutes)
  const ms = Number((m[7] ?? "").padEnd(3, "0").slice(0, 3))
  return daysFrom(year, month, day) * DAY + hour * 3_600_000 + (minute - offset) * 60_000 + second * 1_000 + ms
}

/** Days since 1970-01-01, the same calendar backwards. */
function daysFrom(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year
  const era = Math.floor(y / 400)
  const yoe = y - era * 400
  const doy = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1
  return era * 146_097 + yoe * 365 + Math.floor(yoe / 4) - Math.floor(yoe / 100) + doy - 719_468
}
