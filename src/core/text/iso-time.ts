// Converts between milliseconds since 1970 and ISO 8601. Uses only the calendar of `Date`: core has no clock.

/** The time in UTC. After the year 9999, the year has a sign and six digits. */
export function isoTime(ms: number): IsoTime
export function isoTime(ms: number | undefined): IsoTime | undefined
export function isoTime(ms: number | undefined): IsoTime | undefined {
  return ms === undefined ? undefined : new Date(Math.max(-LAST, Math.min(LAST, ms))).toISOString()
}

/** A text that the compiler recognizes as a time. */
export type IsoTime = string & { readonly iso?: true }

/** The row with the named times as text. */
export const isoTimes = <const R extends object, const Name extends keyof R>(row: R, ...names: readonly Name[]): IsoTimes<R, Name> => {
  const told = names.map((name) => [name, typeof row[name] === "number" ? isoTime(row[name]) : row[name]])
  return { ...row, ...Object.fromEntries(told) } as IsoTimes<R, Name>
}
type IsoTimes<R, Name> = {
  readonly [Key in keyof R]: Key extends Name ? (R[Key] extends infer T ? (T extends number ? IsoTime : T) : never) : R[Key]
}

/** A `Date` reaches so far in both directions, to the year 275760. */
const LAST = 8.64e15

const TIME = /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(Z|z|[+-]\d{2}:?\d{2})?)?$/

/** ISO 8601 with a date and, if it has a time, its offset; without an offset it is UTC. undefined: no such time exists. */
export function parseIsoTime(text: string): number | undefined {
  const m = TIME.exec(text)
  if (!m) return undefined
  const part = (i: number): number => Number(m[i] ?? "0")
  const [year, month, day, hour, minute, second] = [part(1), part(2), part(3), part(4), part(5), part(6)]
  const midnight = new Date(0)
  // `Date.UTC` takes the years 0 to 99 for 1900 to 1999.
  midnight.setUTCFullYear(year, month - 1, day)
  const exists = midnight.getUTCMonth() === month - 1 && midnight.getUTCDate() === day
  if (!exists || hour > 23 || minute > 59 || second > 59) return undefined
  const zone = m[8] ?? "Z"
  const sign = zone.startsWith("-") ? -1 : 1
  const [hours, minutes] = /^[zZ]$/.test(zone) ? [0, 0] : [Number(zone.slice(1, 3)), Number(zone.slice(-2))]
  if (hours > 23 || minutes > 59) return undefined
  const offset = sign * (hours * 60 + minutes)
  const ms = Number((m[7] ?? "").padEnd(3, "0").slice(0, 3))
  return midnight.getTime() + hour * 3_600_000 + (minute - offset) * 60_000 + second * 1_000 + ms
}
