// Reads what a provider's answer says of its limits [R25]: of each kind the limit, what is left of it, and when all of it is back.

import type { Unit } from "./gauge.ts"

export interface RateSeen {
  readonly unit: Unit
  readonly limit: number
  readonly remaining: number
  /** Until the bucket is full again (ms). */
  readonly fullIn: number
}

/** Limits above are no numbers that a provider has. */
const MOST = 1_000_000_000
/** A bucket that takes longer than a month to fill is none. */
const LONGEST_MS = 31 * 86_400_000

const NAMES: readonly (readonly [prefix: string, kind: string, unit: Unit])[] = [
  ["x-ratelimit", "requests", "requests"],
  ["x-ratelimit", "tokens", "tokens"],
  ["anthropic-ratelimit", "requests", "requests"],
  ["anthropic-ratelimit", "tokens", "tokens"],
  ["anthropic-ratelimit", "input-tokens", "input"],
  ["anthropic-ratelimit", "output-tokens", "output"],
]

/** `header`: the value of a header by its lowercase name. What is missing or impossible teaches nothing. */
export function ratesIn(header: (name: string) => string | undefined, now: number): RateSeen[] {
  return NAMES.flatMap(([prefix, kind, unit]) => {
    // One provider names the kind last, the other in the middle.
    const of = (what: string): string | undefined =>
      header(prefix === "x-ratelimit" ? `${prefix}-${what}-${kind}` : `${prefix}-${kind}-${what}`)
    const [limit, remaining, fullIn] = [countIn(of("limit")), countIn(of("remaining")), durationIn(of("reset"), now)]
    if (limit === undefined || remaining === undefined || fullIn === undefined || limit === 0 || remaining > limit) return []
    return [{ unit, limit, remaining, fullIn }]
  })
}

function countIn(text: string | undefined): number | undefined {
  if (text === undefined || !/^\d{1,10}$/.test(text.trim())) return undefined
  const n = Number(text)
  return n <= MOST ? n : undefined
}

const PARTS = /^(?:(\d{1,6})d)?(?:(\d{1,6})h)?(?:(\d{1,6})m(?!s))?(?:(\d{1,9}(?:\.\d{1,9})?)s)?(?:(\d{1,9}(?:\.\d{1,9})?)ms)?$/

/** `6m0s`, `20ms`, a number of seconds, or a time as RFC 3339 has it: milliseconds from now. */
function durationIn(text: string | undefined, now: number): number | undefined {
  const said = text?.trim() ?? ""
  if (said === "") return undefined
  const ms = /^\d{1,9}(?:\.\d{1,9})?$/.test(said)
    ? Number(said) * 1_000
    : /^\d{4}-\d\d-\d\dT[\d:.]{5,18}(?:Z|[+-]\d\d:\d\d)$/.test(said)
      ? Date.parse(said) - now
      : partsIn(said)
  return ms !== undefined && Number.isFinite(ms) && ms <= LONGEST_MS ? Math.max(0, ms) : undefined
}

function partsIn(text: string): number | undefined {
  const found = PARTS.exec(text)
  if (!found) return undefined
  const [days = 0, hours = 0, minutes = 0, seconds = 0, ms = 0] = found.slice(1).map((part) => Number(part ?? 0))
  return (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1_000 + ms
}
