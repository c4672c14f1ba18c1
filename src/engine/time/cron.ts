// Computes the next times of a cron expression in a time zone [W5]. croner reads the five fields and steps through a calendar without
// zones; where the zone's clock changes, zone.ts resolves the time (docs/decisions/0016): a time that does not exist fires at the first
// instant after the gap, and a time that occurs twice fires only the first time.

import { Cron } from "croner"
import { err, ok, type Result } from "../../core/result.ts"
import { messageOf } from "../../core/text/fault-text.ts"
import { instantOf, isZone, nearestZone, shiftAround, wallAt } from "./zone.ts"

/** Allows the names of months and days, but no other letters of croner's syntax. */
const FIELD = /^(?:[\d*/,-]|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|sun|mon|tue|wed|thu|fri|sat)+$/i
const MAX_LENGTH = 200 // limit: characters of a cron expression → 422 at `/cron`
/** The fields with the values that each may have. croner's own messages count some of them from 0, and call others NaN. */
const RANGES = [
  ["minute", 0, 59],
  ["hour", 0, 23],
  ["day of the month", 1, 31],
  ["month", 1, 12],
  ["day of the week", 0, 7],
] as const

export interface CronFault {
  readonly field: "cron" | "zone"
  readonly message: string
  readonly suggestion?: string
}

/** The faults of both values, checked separately. */
export function cronFaults(cron: string, zone: string): readonly CronFault[] {
  const read = patternOf(cron)
  return [...(read.ok ? [] : [{ field: "cron" as const, message: read.error }]), ...(isZone(zone) ? [] : [zoneFault(zone)])]
}

function zoneFault(zone: string): CronFault {
  const near = nearestZone(zone)
  const suggestion = near === undefined ? {} : { suggestion: `did you mean "${near}"?` }
  return { field: "zone", message: "is not an IANA time zone, such as Europe/Berlin or UTC", ...suggestion }
}

/** The next `count` instants after `from`, in milliseconds; fewer if the expression ends. `cron` and `zone` must be valid. */
export function nextFires(cron: string, zone: string, from: number, count: number): number[] {
  const read = patternOf(cron)
  if (!read.ok) throw new Error(`not a cron expression: ${cron}`)
  const fires: number[] = []
  // Near a clock change, the wall clock may already have shown later times, or may show earlier times again.
  let wall = new Date(wallAt(zone, from) - shiftAround(zone, from) - 1)
  while (fires.length < count) {
    const next = read.value.nextRun(wall)
    if (next === null) break
    wall = next
    const at = instantOf(zone, next.getTime())
    // All times in a gap map to one instant.
    if (at > (fires.at(-1) ?? from)) fires.push(at)
  }
  return fires
}

function patternOf(cron: string): Result<Cron, string> {
  const fields = cron.trim().split(/\s+/)
  if (cron.length > MAX_LENGTH) return err(`has more than ${MAX_LENGTH} characters`)
  if (fields.length !== 5) return err("must have five fields: minute, hour, day of the month, month, day of the week")
  const odd = fields.find((field) => !FIELD.test(field))
  if (odd !== undefined) return err(`"${odd}" is not a valid field: use numbers, names of months and days, "*", "-", "," and "/"`)
  for (const [i, [name, least, most]] of RANGES.entries()) {
    const part = fields[i]?.split(",").find((one) => !/^(?:\*|[0-9a-z]+(?:-[0-9a-z]+)?)(?:\/[0-9]+)?$/i.test(one))
    if (part !== undefined)
      return err(`"${part}" is not a valid ${name}: use a number, a range such as 1-5, or "*", and a step such as */2`)
    const wrong = fields[i]
      ?.replace(/\/[0-9]+/g, "")
      .match(/[0-9]+/g)
      ?.find((value) => Number(value) < least || Number(value) > most)
    if (wrong !== undefined) return err(`${wrong} is not a valid ${name}: it is a number from ${least} to ${most}`)
  }
  try {
    const pattern = new Cron(fields.join(" "), { timezone: "UTC", mode: "5-part", paused: true })
    return pattern.nextRun(new Date(0)) === null ? err("never occurs: no month has such a day") : ok(pattern)
  } catch (e) {
    return err(`is not a cron expression: ${messageOf(e).replace(/^CronPattern: /, "")}`)
  }
}
