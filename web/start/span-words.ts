// Writes a time as a sentence about starts has it: `20 s`, `1 h`, `7 days`; and as a rate has it: `an hour`, `in 10 min`.

const [SECOND, MINUTE, HOUR, DAY] = [1_000, 60_000, 3_600_000, 86_400_000]

/** The largest unit in which it is a whole number. */
export function spanWords(ms: number): string {
  if (ms >= DAY && ms % DAY === 0) return ms === DAY ? "1 day" : `${ms / DAY} days`
  if (ms >= HOUR && ms % HOUR === 0) return `${ms / HOUR} h`
  if (ms >= MINUTE && ms % MINUTE === 0) return `${ms / MINUTE} min`
  return `${ms / SECOND} s`
}

const RATES: ReadonlyMap<number, string> = new Map([
  [SECOND, "a second"],
  [MINUTE, "a minute"],
  [HOUR, "an hour"],
  [DAY, "a day"],
])

export const rateWords = (ms: number): string => RATES.get(ms) ?? `in ${spanWords(ms)}`
