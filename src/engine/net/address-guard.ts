// address-guard: may this URL be requested? A pure check of the parsed URL, not of its text [T21]. `new URL` has already turned
// decimal, octal, hex, short and full-width spellings of an IPv4 address into the standard form; the rest is refused here: names
// of private networks, every range that is not public unicast, and every IPv6 address that embeds an IPv4 address.
//
// A host is judged by its name only: a Worker can neither see nor pin the address it resolves to. See docs/decisions/0014.

import ipaddr from "ipaddr.js"
import type { Result } from "../../core/result.ts"
import { err, ok } from "../../core/result.ts"
import { isAmbiguous, parseAddress } from "../../core/text/web-address.ts"

export interface Exempt {
  /** `host` or `host:port`, as in a parsed URL: exempt only from the rules on ranges, names and ports. */
  readonly allowPrivate: readonly string[]
}

const PORTS: ReadonlySet<string> = new Set(["", "80", "443", "8080", "8443"])

/** Top-level names that no public resolver answers [RFC 6761, 6762, 8375], and names that routers and companies use internally. */
const INSIDE = ["localhost", "local", "localdomain", "internal", "home.arpa", "lan", "home", "corp", "intranet", "private"]

/** Public names that resolve to private addresses by design. Not a complete list: see above. */
const REBINDERS = ["localtest.me", "lvh.me", "vcap.me", "lacolhost.com", "nip.io", "sslip.io", "xip.io", "1u.ms", "rbndr.us"]

/** The parsed URL, or why it is refused, as the end of a sentence: "127.0.0.1 is not a public address (loopback)". */
export function judgeAddress(text: string | URL, { allowPrivate }: Exempt): Result<URL, string> {
  if (typeof text === "string" && isAmbiguous(text) && URL.canParse(text)) return err(`${shown(text)} contains a backslash or a line break`)
  const url = typeof text === "string" ? parseAddress(text) : text
  if (!url) return err(`${shown(String(text))} is not a URL`)
  if (url.protocol !== "http:" && url.protocol !== "https:") return err(`${url.protocol} is not allowed: use http: or https:`)
  if (url.username !== "" || url.password !== "") return err("a URL with a user name or password is not allowed")
  if (url.hostname === "") return err(`${shown(String(text))} names no host`)
  if (isExempt(url, allowPrivate)) return ok(url)
  if (!PORTS.has(url.port)) return err(`port ${url.port} is not allowed: use 80, 443, 8080 or 8443`)
  const wrong =
    url.hostname.startsWith("[") || ipaddr.IPv4.isValidFourPartDecimal(url.hostname) ? wrongAddress(url.hostname) : wrongName(url.hostname)
  return wrong === undefined ? ok(url) : err(wrong)
}

/** Exempt hosts exist in local development only: in production no variable can open private networks. */
export function allowedPrivateHosts(env: { readonly ENVIRONMENT: string; readonly ALLOWED_PRIVATE_HOSTS?: string }): readonly string[] {
  if (env.ENVIRONMENT !== "local") return []
  return (env.ALLOWED_PRIVATE_HOSTS ?? "").split(",").flatMap((part) => (part.trim() === "" ? [] : [part.trim().toLowerCase()]))
}

/** Works for `[::1]:8080` and `127.0.0.1`, since the URL parser splits host and port. */
function isExempt(url: URL, allowed: readonly string[]): boolean {
  const port = url.port || (url.protocol === "https:" ? "443" : "80")
  return allowed.some((entry) => entry === url.hostname || entry === `${url.hostname}:${port}`)
}

function wrongAddress(host: string): string | undefined {
  const bare = host.replace(/^\[|\]$/g, "")
  if (!ipaddr.isValid(bare)) return `${host} is not a public address`
  const address = ipaddr.parse(bare)
  const range = address.range()
  if (range !== "unicast") return `${host} is not a public address (${range})`
  // Only 2000::/3 is global unicast [RFC 4291]; addresses that embed IPv4, such as ::7f00:1, are below it.
  if (address.kind() === "ipv6" && ((address.toByteArray()[0] ?? 0) & 0xe0) !== 0x20) return `${host} is not a public address (reserved)`
  return undefined
}

function wrongName(host: string): string | undefined {
  // `localhost.` and `localhost` are the same name.
  const name = host.replace(/\.+$/, "")
  if (name === "") return "the URL names no host"
  if (INSIDE.some((suffix) => name === suffix || name.endsWith(`.${suffix}`))) return `${host} is a name of the private network`
  if (!name.includes(".")) return `${host} is a name of the private network: public names have a dot`
  if (REBINDERS.some((suffix) => name === suffix || name.endsWith(`.${suffix}`))) return `${host} leads to private addresses`
  return undefined
}

/** Texts from a model may be long. */
const shown = (text: string): string => JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text)
