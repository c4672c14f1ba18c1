// Checks the formats of JSON Schema 2020-12 that this project enforces; any other `format` is an annotation. Each check takes linear time.

/** The check of a format; undefined: there is no such format. */
export const formatOf = (name: string): ((text: string) => boolean) | undefined => FORMATS.get(name)

/** A `Date` moves February 30th to March; the day that comes back is then another. */
function isDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false
  const day = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text)
}

const DAY_MINUTES = 24 * 60

function isTime(text: string): boolean {
  const [found, hour = "", minute = "", second = "", sign, offHour = "0", offMinute = "0"] =
    /^(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:z|([+-])(\d\d):(\d\d))$/i.exec(text) ?? []
  if (found === undefined || +hour > 23 || +minute > 59 || +second > 60 || +offHour > 23 || +offMinute > 59) return false
  // A leap second is the last one of a day in UTC.
  const ahead = (sign === "-" ? -1 : 1) * (+offHour * 60 + +offMinute)
  return +second < 60 || (+hour * 60 + +minute - ahead + DAY_MINUTES) % DAY_MINUTES === DAY_MINUTES - 1
}

function isDateTime(text: string): boolean {
  const [date = "", time = "", ...more] = text.split(/[t\s]/i)
  return more.length === 0 && isDate(date) && isTime(time)
}

const CLOCK = "T(?:\\d+H(?:\\d+M(?:\\d+S)?)?|\\d+M(?:\\d+S)?|\\d+S)"
const CALENDAR = "(?:\\d+Y(?:\\d+M(?:\\d+D)?)?|\\d+M(?:\\d+D)?|\\d+D)"
const DURATION = new RegExp(`^P(?:\\d+W|${CALENDAR}(?:${CLOCK})?|${CLOCK})$`)

const isHostname = (text: string): boolean =>
  text.length <= 253 && text.split(".").every((label) => /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i.test(label))

/** No leading zeros: some readers take them for octal. */
const isIpv4 = (text: string): boolean => {
  const parts = text.split(".")
  return parts.length === 4 && parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255)
}

function isIpv6(text: string): boolean {
  const halves = text.split("::")
  const groups = halves.flatMap((half) => (half === "" ? [] : half.split(":")))
  const last = groups.at(-1)
  const endsInIpv4 = last !== undefined && isIpv4(last) && text.endsWith(last)
  if (endsInIpv4) groups.splice(-1, 1, "0", "0")
  const count = groups.length
  return (halves.length === 1 ? count === 8 : halves.length === 2 && count < 8) && groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))
}

function isEmail(text: string): boolean {
  const at = text.lastIndexOf("@")
  const local = text.slice(0, at)
  const host = text.slice(at + 1)
  if (at < 1 || local.length > 64) return false
  const isLocal =
    /^"(?:[ !#-[\]-~]|\\[ -~])*"$/.test(local) || /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/i.test(local)
  const [, address] = /^\[(.*)\]$/.exec(host) ?? []
  if (address !== undefined) return isLocal && (/^ipv6:/i.test(address) ? isIpv6(address.slice(5)) : isIpv4(address))
  return isLocal && isHostname(host)
}

const SCHEME = /^[a-z][a-z0-9+.-]*:/i

/** RFC 3986: scheme, authority, path, query and fragment, each with its characters. */
function isUriReference(text: string): boolean {
  const [, scheme, authority, path = "", query = "", fragment = ""] =
    /^(?:([^:/?#]*):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s.exec(text) ?? []
  if (scheme !== undefined && !SCHEME.test(`${scheme}:`)) return false
  if (![path, query, fragment].every((part) => /^(?:[\w.~!$&'()*+,;=:@/?-]|%[0-9a-f]{2})*$/i.test(part))) return false
  if (authority === undefined) return true
  const [found, , literal] =
    /^(?:((?:[\w.~!$&'()*+,;=:-]|%[0-9a-f]{2})*)@)?(?:\[([^\]]*)\]|(?:[\w.~!$&'()*+,;=-]|%[0-9a-f]{2})*)(?::\d*)?$/i.exec(authority) ?? []
  return found !== undefined && (literal === undefined || isIpv6(literal) || /^v[0-9a-f]+\.[\w.~!$&'()*+,;=:-]+$/i.test(literal))
}

const NAME = "(?:\\w|%[0-9a-f]{2})+(?:\\.(?:\\w|%[0-9a-f]{2})+)*(?::[1-9]\\d{0,3}|\\*)?"
const URI_TEMPLATE = new RegExp(`^(?:[^\\s\\x00-\\x1f\\x7f"<>%\\\\^\`{|}]|%[0-9a-f]{2}|\\{[+#./;?&=,!@|]?${NAME}(?:,${NAME})*\\})*$`, "i")

const POINTER = "(?:/(?:[^~/]|~[01])*)*"
const isPointer = (text: string): boolean => new RegExp(`^${POINTER}$`).test(text)

function isRegex(text: string): boolean {
  try {
    return new RegExp(text, "u") instanceof RegExp
  } catch {
    return false
  }
}

function isPointerFragment(text: string): boolean {
  if (!isUriReference(text) || !text.startsWith("#")) return false
  try {
    return isPointer(decodeURIComponent(text.slice(1)))
  } catch {
    return false
  }
}

const FORMATS: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ["date", isDate],
  ["time", isTime],
  ["date-time", isDateTime],
  ["duration", (text) => DURATION.test(text)],
  ["email", isEmail],
  ["hostname", isHostname],
  ["ipv4", isIpv4],
  ["ipv6", isIpv6],
  ["uri", (text) => SCHEME.test(text) && isUriReference(text)],
  ["uri-reference", isUriReference],
  ["uri-template", (text) => URI_TEMPLATE.test(text)],
  ["uuid", (text) => /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(text)],
  ["json-pointer", isPointer],
  ["json-pointer-uri-fragment", isPointerFragment],
  ["relative-json-pointer", (text) => new RegExp(`^(?:0|[1-9]\\d*)(?:#|${POINTER})$`).test(text)],
  ["regex", isRegex],
])
