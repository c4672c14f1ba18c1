// Reads a time as people write it in a search, in their own time zone: `7d`, `Nov 18`, `Wed`, `yesterday`, `11:40`, `2026-11-18 09:00`.

const DAY_MS = 86_400_000
const SPAN = /^(\d{1,6})\s*(m|h|d|w)$/
const WEEKDAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

/** `since`: a day is its beginning. `until`: its end. */
export type Edge = "since" | "until"

/** What the API is asked: a span back from now as it is, anything else as an instant; undefined: this is no time. */
export function momentOf(text: string, edge: Edge, now: number): string | undefined {
  const given = text.trim().toLowerCase()
  const span = spanOf(given)
  if (span !== undefined) return span
  const at = /^\d{4}-\d\d-\d\dt/.test(given) ? Date.parse(text) : localTime(given, edge, now)
  return at === undefined || Number.isNaN(at) ? undefined : new Date(at).toISOString()
}

/** The API has no weeks. */
function spanOf(given: string): string | undefined {
  const [, count, unit] = SPAN.exec(given) ?? []
  return count === undefined ? undefined : unit === "w" ? `${Number(count) * 7}d` : `${Number(count)}${unit}`
}

const UNIT_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: DAY_MS }

/** When it is, of what `momentOf` gives. */
export function instantOf(moment: string, now: number): number {
  const [, count, unit = ""] = SPAN.exec(moment) ?? []
  return count === undefined ? Date.parse(moment) : now - Number(count) * (UNIT_MS[unit] ?? 0)
}

function localTime(given: string, edge: Edge, now: number): number | undefined {
  const [, dayText = "", clock] = /^(.*?)[\s,]*(\d{1,2}:\d{2}(?:\s*[ap]m)?|\d{1,2}\s*[ap]m)?$/.exec(given) ?? []
  const minutes = clock === undefined ? undefined : minutesOf(clock)
  if (clock !== undefined && minutes === undefined) return undefined
  if (dayText === "" && minutes !== undefined) {
    const today = at(new Date(now), minutes)
    return today > now ? at(new Date(now - DAY_MS), minutes) : today
  }
  const day = dayOf(dayText, new Date(now))
  if (day === undefined) return undefined
  return minutes === undefined && edge === "until"
    ? new Date(day.getFullYear(), day.getMonth(), day.getDate() + 1).getTime()
    : at(day, minutes ?? 0)
}

const at = (day: Date, minutes: number): number =>
  new Date(day.getFullYear(), day.getMonth(), day.getDate(), Math.floor(minutes / 60), minutes % 60).getTime()

function minutesOf(clock: string): number | undefined {
  const [, hour = "", minute = "0", half] = /^(\d{1,2})(?::(\d{2}))?\s*([ap]m)?$/.exec(clock) ?? []
  const [hours, minutes] = [Number(hour), Number(minute)]
  if (minutes > 59 || (half === undefined ? hours > 23 : hours < 1 || hours > 12)) return undefined
  return ((half === undefined ? hours : (hours % 12) + (half === "pm" ? 12 : 0)) * 60 + minutes) % 1_440
}

/** The last such day that is not to come. */
function dayOf(text: string, today: Date): Date | undefined {
  if (text === "today") return today
  if (text === "yesterday") return new Date(today.getFullYear(), today.getMonth(), today.getDate() - 1)
  const weekday = WEEKDAYS.findIndex((name) => text.length >= 3 && `${name}${REST[name]}`.startsWith(text))
  if (weekday >= 0) return new Date(today.getFullYear(), today.getMonth(), today.getDate() - ((today.getDay() - weekday + 7) % 7))
  const [, year, month = "", date = ""] = /^(\d{4})-(\d{1,2})-(\d{1,2})$/.exec(text) ?? []
  if (year !== undefined) return real(Number(year), Number(month) - 1, Number(date))
  const [, name = "", of = "", ofYear] =
    /^([a-z]{3,9})\.? (\d{1,2})(?:,? (\d{4}))?$/.exec(text.replace(/^(\d{1,2})\.? ([a-z]{3,9})/, "$2 $1")) ?? []
  const number = MONTHS.findIndex((one) => `${one}${REST[one]}`.startsWith(name) && name !== "")
  if (number < 0) return undefined
  const thisYear = real(ofYear === undefined ? today.getFullYear() : Number(ofYear), number, Number(of))
  return thisYear !== undefined && ofYear === undefined && thisYear > today ? real(today.getFullYear() - 1, number, Number(of)) : thisYear
}

const REST: Readonly<Record<string, string>> = {
  sun: "day",
  mon: "day",
  tue: "sday",
  wed: "nesday",
  thu: "rsday",
  fri: "day",
  sat: "urday",
  jan: "uary",
  feb: "ruary",
  mar: "ch",
  apr: "il",
  may: "",
  jun: "e",
  jul: "y",
  aug: "ust",
  sep: "tember",
  oct: "ober",
  nov: "ember",
  dec: "ember",
}

/** undefined: no month has such a day. */
function real(year: number, month: number, date: number): Date | undefined {
  const day = new Date(year, month, date)
  return day.getMonth() === month && day.getDate() === date ? day : undefined
}

/** How a time of the address is shown: an instant in local time, anything else as it was written. */
export function shownMoment(text: string): string {
  const day = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text)
  if (day)
    return new Date(Number(day[1]), Number(day[2]) - 1, Number(day[3])).toLocaleDateString("en-US", { month: "short", day: "numeric" })
  if (!/^\d{4}-\d\d-\d\dT/i.test(text)) return text
  return new Date(text).toLocaleString("en-US", { month: "short", day: "numeric", hour: "numeric", minute: "2-digit" })
}

const SPANS: Readonly<Record<string, string>> = { m: "minute", h: "hour", d: "day", w: "week" }

/** The range in words, for the button that changes it. */
export function rangeWords(since: string | undefined, until: string | undefined): string {
  const [, count, unit = ""] = SPAN.exec(since ?? "") ?? []
  if (count !== undefined && until === undefined) return count === "1" ? `Last ${SPANS[unit]}` : `Last ${Number(count)} ${SPANS[unit]}s`
  if (since === undefined) return until === undefined ? "Any time" : `Until ${shownMoment(until)}`
  return `${shownMoment(since)} to ${until === undefined ? "now" : shownMoment(until)}`
}
