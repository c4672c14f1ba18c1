// Numbers as the console writes them: the unit is in the header or beside them, and what is not known is a dash, never 0.

import { dollars } from "../../../web/chat/wording.ts"
import { clockTime } from "../../../web/clock.ts"

export { duration, money } from "../../../web/chat/wording.ts"

/** Under a header that says USD. */
export const usd = (amount: number | null | undefined): string => (amount === null || amount === undefined ? "–" : dollars(amount))

/** `950`, `12.6k`, `1.2M`. */
export function tokens(count: number): string {
  if (count < 1_000) return String(count)
  return count < 1_000_000 ? `${(count / 1_000).toFixed(1)}k` : `${(count / 1_000_000).toFixed(1)}M`
}

/** `now`, `5 min`, `2 h`, `3 d`. */
export function age(from: number, now: number): string {
  const minutes = Math.floor((now - from) / 60_000)
  if (minutes < 1) return "now"
  if (minutes < 60) return `${minutes} min`
  return minutes < 48 * 60 ? `${Math.floor(minutes / 60)} h` : `${Math.floor(minutes / 1_440)} d`
}

/** `45 s`, `12 min`, `20 h`, `3 d`. */
export function shortDuration(ms: number): string {
  if (ms < 60_000) return `${Math.round(ms / 1_000)} s`
  if (ms < 3_600_000) return `${Math.round(ms / 60_000)} min`
  return ms < 172_800_000 ? `${Math.round(ms / 3_600_000)} h` : `${Math.round(ms / 86_400_000)} d`
}

/** `Sat 9:05 PM`; the day with its date, from a week on. */
export function shortTime(at: number | string): string {
  const time = new Date(at)
  const isNear = Math.abs(Date.now() - time.getTime()) < 6 * 86_400_000
  const day = isNear ? { weekday: "short" as const } : { month: "short" as const, day: "numeric" as const }
  return `${time.toLocaleDateString("en-US", day)} ${clockTime(time)}`
}

/** `9:05 PM` if it is today, else as `shortTime`. */
export function timeOfDay(at: number | string, now: number): string {
  const time = new Date(at)
  return time.toDateString() === new Date(now).toDateString() ? clockTime(time) : shortTime(at)
}

/** The whole time, for who points at a short one. */
export const fullTime = (at: number | string): string => new Date(at).toLocaleString("en-US", { dateStyle: "medium", timeStyle: "medium" })

export function bytes(size: number): string {
  if (size < 1_000) return `${size} B`
  return size < 1_000_000 ? `${(size / 1_000).toFixed(1)} KB` : `${(size / 1_000_000).toFixed(1)} MB`
}

/** `1 step`, `1,200 steps`. Small numbers do not wait for the browser's tables of languages, whose first use takes 10 ms and more. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count < 1_000 ? String(count) : count.toLocaleString()} ${count === 1 ? one : many}`
