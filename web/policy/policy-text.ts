// The policy as people edit it: durations in the unit they are said in, where the server tells milliseconds.

import { isObject } from "../../src/core/json.ts"
import { parseDuration } from "../../src/core/text/duration.ts"
import { at, withAt, type Path } from "../setup/json-face.ts"

const DURATIONS: readonly Path[] = [["approvals", "expires"], ["max_timeout"]]
const UNITS = [
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1_000],
] as const

/** `86400000` → `24h`; what has no whole unit stays. */
export function spoken(ms: number): string | number {
  const unit = UNITS.find(([, size]) => ms >= size && ms % size === 0)
  return unit === undefined ? ms : `${ms / unit[1]}${unit[0]}`
}

export const spokenPolicy = (policy: unknown): unknown =>
  DURATIONS.reduce<unknown>((now, path) => {
    const value = at(now, path)
    return typeof value === "number" ? withAt(now, path, spoken(value)) : now
  }, policy)

/** undefined: it says none, or none that can be read. */
export function hoursOf(value: unknown): number | undefined {
  const ms = parseDuration(value)
  return ms === undefined ? undefined : ms / 3_600_000
}

export const ofHours = (hours: number): string | number => (Number.isInteger(hours) ? `${hours}h` : Math.round(hours * 3_600_000))

/** `never`, `always`, or `when` with its condition. */
export function approvalOf(value: unknown): { readonly kind: "never" | "always" | "when" | "inherit"; readonly condition: string } {
  if (value === "never" || value === "always") return { kind: value, condition: "" }
  if (isObject(value) && value["kind"] === "dynamic")
    return { kind: "when", condition: typeof value["value"] === "string" ? value["value"] : "" }
  return { kind: "inherit", condition: "" }
}
