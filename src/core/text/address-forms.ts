// Lists the forms in which a rule may name the address of a request [T30]. `http://127.1/`, `http://2130706433/` and `http://１２７.0.0.1/`
// are the same address, so a rule that names the host in any form must match all of them.

import { unicodeOf } from "./punycode.ts"

/** Addresses inside a longer text. `new URL` takes any number of slashes, of either kind, after the scheme. */
const WITHIN = /\b(?:https?|wss?|ftp):[\\/]*[^\s"'`<>|]+/gi
/** The beginning of one that other signs follow, such as `$(curl http://127.1)`. */
const HOST = /^[a-z]+:[\\/]*(?:[^/\\?#@]*@)?(?:\[[\da-f:.]+\]|[^/\\?#@()[\]{},;&!*$^=]+)(?::\d+)?/i
const SCHEMED = /^\s*(?:https?|wss?|ftp):/i
/** Addresses within one text. One that stood behind so many others must not get past a rule. */
const MAX_ADDRESSES = 5_000 // limit: addresses in one text of a call that a rule of the denylist judges → the call is refused
const PORTS: Readonly<Record<string, string>> = { "http:": "80", "https:": "443", "ws:": "80", "wss:": "443", "ftp:": "21" }

/** Without a name or a password, and without the dot that ends a name: neither changes who is asked. */
interface Address {
  readonly protocol: string
  readonly host: string
  readonly port: string
  readonly rest: string
}

type Form = (address: Address) => string

/** The forms of an address: as a request has it, as people read it, and with its port. */
export const ADDRESS_FORMS: readonly Form[] = [
  (address) => written(address),
  (address) => written({ ...address, host: readable(address.host), rest: plain(address.rest) }),
  (address) => written({ ...address, port: address.port || (PORTS[address.protocol] ?? "") }),
]
export const originForm: Form = (address) => written({ ...address, host: readable(address.host), rest: "/" })

/** The text with each address in this form; undefined: it has no address. Throws if it has too many. */
export function inForm(text: string, form: Form): string | undefined {
  if (!SCHEMED.test(text) && !text.includes(":")) return undefined
  const whole = SCHEMED.test(text) ? read(text) : undefined
  if (whole !== undefined && !/\s/.test(text.trim())) return form(whole)
  let found = 0
  const said = text.replace(WITHIN, (match) => {
    // To `new URL`, `127.1;ls` is the name of a host.
    const own = isName(read(match)) ? match : (HOST.exec(match)?.[0] ?? match)
    const address = read(own)
    if (address === undefined) return match
    if (++found > MAX_ADDRESSES) throw new Error(`a text has more than ${MAX_ADDRESSES} addresses to compare with the denylist: give fewer`)
    return form(address) + match.slice(own.length)
  })
  // `new URL` takes white space too: such a text is one address, and may hold others.
  if (whole !== undefined) return `${form(whole)} ${said}`
  return found > 0 ? said : undefined
}

const isName = (address: Address | undefined): boolean => address !== undefined && /^[\w.:[\]-]*$/.test(address.host)

function read(text: string): Address | undefined {
  if (!URL.canParse(text)) return undefined
  const { protocol, hostname, port, pathname, search, hash } = new URL(text)
  return { protocol, host: hostname.replace(/(?<=[^.])\.+$/, ""), port, rest: pathname + search + hash }
}

const written = ({ protocol, host, port, rest }: Address): string => `${protocol}//${host}${port === "" ? "" : `:${port}`}${rest}`

/** An IPv4 address that stands in an IPv6 one (mapped, compatible, NAT64), and names with other letters than ASCII. */
function readable(host: string): string {
  const [, high, low] = /^\[(?:::ffff:|::|64:ff9b::)([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/.exec(host) ?? []
  if (high === undefined || low === undefined) return host.split(".").map(unicodeOf).join(".")
  const [a, b] = [Number.parseInt(high, 16), Number.parseInt(low, 16)]
  return [a >> 8, a & 255, b >> 8, b & 255].join(".")
}

/** Letters that are percent-encoded for no reason. */
const plain = (text: string): string =>
  text.replaceAll(/%[2-7][0-9a-f]/gi, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)))
