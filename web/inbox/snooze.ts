// Snoozes an ask for one person: it leaves their list until a time, and others still see it.

import { clockTime } from "../clock.ts"
import { nameOf, type OpenAsk } from "./ask.ts"

/** Name of an ask → when it comes back, in milliseconds. */
export type Snoozed = Readonly<Record<string, number>>

export interface SnoozeChoice {
  readonly key: string
  readonly label: string
  /** undefined: it cannot be chosen, and `note` says why. */
  readonly until: number | undefined
  readonly note: string
}

const HOUR = 3_600_000
const [EVENING, MORNING] = [18, 9]
/** Nearer to the evening than this, hours are counted. */
const LATEST = 17
/** Rows that a browser keeps. */
const MAX_KEPT = 500

export function snoozeChoices({ expires }: Pick<OpenAsk, "expires">, now: number): readonly SnoozeChoice[] {
  const at = new Date(now)
  const clock = (day: number, hour: number): number => new Date(at.getFullYear(), at.getMonth(), at.getDate() + day, hour).getTime()
  const evening = at.getHours() < LATEST ? clock(0, EVENING) : now + 4 * HOUR
  const urgent = expires === undefined ? undefined : Date.parse(expires) - HOUR
  const isUrgent = urgent !== undefined && urgent <= now
  return [
    { key: "1", label: "1 hour", until: now + HOUR, note: until(now + HOUR, now) },
    { key: "2", label: at.getHours() < LATEST ? "This evening" : "4 hours", until: evening, note: until(evening, now) },
    { key: "3", label: "Tomorrow", until: clock(1, MORNING), note: until(clock(1, MORNING), now) },
    {
      key: "4",
      label: "Until it is urgent",
      until: isUrgent ? undefined : urgent,
      note:
        urgent === undefined
          ? "It waits until answered"
          : isUrgent
            ? "It is urgent now"
            : `${until(urgent, now)}, 1 hour before it is refused`,
    },
  ]
}

function until(time: number, now: number): string {
  const [then, today] = [new Date(time), new Date(now)]
  const hour = clockTime(then)
  return then.toDateString() === today.toDateString()
    ? `until ${hour}`
    : `until ${then.toLocaleDateString("en-US", { weekday: "short" })} ${hour}`
}

export const isSnoozed = (snoozed: Snoozed, ask: Pick<OpenAsk, "run" | "id">, now: number): boolean => (snoozed[nameOf(ask)] ?? 0) > now

/** With this ask; `until` undefined: it is back. Those that are over go. */
export function snoozedWith(snoozed: Snoozed, ask: Pick<OpenAsk, "run" | "id">, until: number | undefined, now: number): Snoozed {
  const others = Object.entries(snoozed).filter(([name, time]) => name !== nameOf(ask) && time > now)
  return Object.fromEntries([...(until === undefined ? [] : [[nameOf(ask), until] as const]), ...others].slice(0, MAX_KEPT))
}

/** A browser's storage may have anything. */
export function readSnoozed(text: string | null): Snoozed {
  try {
    const read: unknown = JSON.parse(text ?? "{}")
    if (typeof read !== "object" || read === null) return {}
    return Object.fromEntries(Object.entries(read).filter((entry): entry is [string, number] => typeof entry[1] === "number"))
  } catch {
    return {}
  }
}
