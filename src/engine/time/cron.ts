// When a cron expression comes next in a time zone [W5]. croner reads the five fields and steps over a calendar without zones; where the
// zone's clock is set, zone.ts says what becomes of the time (docs/decisions/0016): one that does not exist fires at the first instant
// after the gap, one that comes twice fires the first time only.

import { Cron } from "croner"
import { err, ok, type Result } from "../../core/result.ts"
import { instantOf, isZone, shiftAround, wallAt } from "./zone.ts"

/** Names of months and days are letters; nothing else of croner's own language is. */
const FIELD = /^(?:[\d*/,-]|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|sun|mon|tue|wed|thu|fri|sat)+$/i
const LONGEST = 200

export interface CronFault {
  readonly field: "cron" | "zone"
  readonly message: string
}

/** What is wrong with the two, each by itself. */
export function cronFaults(cron: string, zone: string): readonly CronFault[] {
  const read = patternOf(cron)
  return [
    ...(read.ok ? [] : [{ field: "cron" as const, message: read.error }]),
    ...(isZone(zone) ? [] : [{ field: "zone" as const, message: "is no IANA time zone, such as Europe/Berlin or UTC" }]),
  ]
}

/** The next `count` instants after `from`, in milliseconds; fewer when the expression ends. Both must be free of faults. */
export function nextFires(cron: string, zone: string, from: number, count: number): number[] {
  const read = patternOf(cron)
  if (!read.ok) throw new Error(`not a cron expression: ${cron}`)
  const fires: number[] = []
  // Near a change of the clock the wall has shown later times than it does now, or will show earlier ones.
  let wall = new Date(wallAt(zone, from) - shiftAround(zone, from) - 1)
  while (fires.length < count) {
    const next = read.value.nextRun(wall)
    if (next === null) break
    wall = next
    const at = instantOf(zone, next.getTime())
    // All times of one gap fall on one instant.
    if (at > (fires.at(-1) ?? from)) fires.push(at)
  }
  return fires
}

function patternOf(cron: string): Result<Cron, string> {
  const fields = cron.trim().split(/\s+/)
  if (cron.length > LONGEST) return err(`has more than ${LONGEST} characters`)
  if (fields.length !== 5) return err("must have five fields: minute, hour, day of the month, month, day of the week")
  const odd = fields.find((field) => !FIELD.test(field))
  if (odd !== undefined) return err(`"${odd}" is no field: numbers, names of months and days, "*", "-", "," and "/" are what it may hold`)
  try {
    const pattern = new Cron(fields.join(" "), { timezone: "UTC", mode: "5-part", paused: true })
    return pattern.nextRun(new Date(0)) === null ? err("never comes: no month has such a day") : ok(pattern)
  } catch (e) {
    return err(`is no cron expression: ${e instanceof Error ? e.message.replace(/^CronPattern: /, "") : String(e)}`)
  }
}
