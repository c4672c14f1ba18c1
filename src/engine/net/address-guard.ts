// address-guard: decides whether this URL may be requested. A pure check of the parsed URL, not of its text [T21]. `new URL` has already
// turned decimal, octal, hex, short and full-width spellings of an IPv4 address into the standard form; the rest is refused here: the hosts
// of core/tool/policy/closed-hosts.ts, every range that is not public unicast, and every IPv6 address that embeds an IPv4 address.
//
// A host is judged by its name only: a Worker can neither see nor pin the address it resolves to. See docs/decisions/0014.

import ipaddr from "ipaddr.js"
import type { Result } from "../../core/result.ts"
import { err, ok } from "../../core/result.ts"
import { closedName, METADATA_ADDRESSES, zoneFault, type Zones } from "../../core/tool/policy/closed-hosts.ts"
import { isAmbiguous, parseAddress } from "../../core/text/web-address.ts"

export interface Exempt extends Zones {
  /** `host` or `host:port`, as in a parsed URL: exempt only from the rules on ranges, names and ports. */
  readonly allowPrivate: readonly string[]
}

const PORTS: ReadonlySet<string> = new Set(["", "80", "443", "8080", "8443"])

const metadata = () => (ranges ??= METADATA_ADDRESSES.map(({ place }) => ipaddr.parseCIDR(place)))
let ranges: ReturnType<typeof ipaddr.parseCIDR>[] | undefined

/** The parsed URL, or the refusal as the end of a sentence: "127.0.0.1 is not a public address (loopback)". */
export function judgeAddress(text: string | URL, { allowPrivate, ...zones }: Exempt): Result<URL, string> {
  if (typeof text === "string" && isAmbiguous(text) && URL.canParse(text)) return err(`${shown(text)} contains a backslash or a line break`)
  const url = typeof text === "string" ? parseAddress(text) : text
  if (!url) return err(`${shown(String(text))} is not a URL`)
  if (url.protocol !== "http:" && url.protocol !== "https:") return err(`${url.protocol} is not allowed: use http: or https:`)
  if (url.username !== "" || url.password !== "") return err("a URL with a user name or password is not allowed")
  if (url.hostname === "") return err(`${shown(String(text))} names no host`)
  if (isExempt(url, allowPrivate)) return ok(url)
  if (!PORTS.has(url.port)) return err(`port ${url.port} is not allowed: use 80, 443, 8080 or 8443`)
  const isAddress = url.hostname.startsWith("[") || ipaddr.IPv4.isValidFourPartDecimal(url.hostname)
  const wrong = isAddress ? (wrongAddress(url.hostname) ?? zoneFault(url.hostname, zones)) : closedName(url.hostname, zones)
  return wrong === undefined ? ok(url) : err(wrong)
}

/** The refusal of an address that only its host or its port closes, with what allows it on a local server. */
export function withWayOut(text: string, why: string, isLocal: boolean): string {
  if (!isLocal || !URL.canParse(text)) return why
  const { host } = new URL(text)
  return judgeAddress(text, { allowPrivate: [host] }).ok
    ? `${why}; on this local server ALLOWED_PRIVATE_HOSTS=${host} allows it, in the environment or .dev.vars, from the next start on`
    : why
}

/** Exempt hosts exist in local development only: in production no variable can open private networks. */
export function allowedPrivateHosts(env: { readonly ENVIRONMENT: string; readonly ALLOWED_PRIVATE_HOSTS?: string }): readonly string[] {
  if (env.ENVIRONMENT !== "local") return []
  return listed(env.ALLOWED_PRIVATE_HOSTS)
}

/** The instance's own zone: PUBLIC_URL's host, what the operator adds, and outside local development the address that a caller used. A host
 *  that is not public is closed, or exempt, without being listed here: the local server's PUBLIC_URL is its loopback address. */
export function zonesOf(env: ZoneEnv, here = ""): Required<Zones> {
  const known = here === "" ? zones.get(env) : undefined
  if (known !== undefined) return known
  const own = zonesFrom(env, here)
  if (here === "") zones.set(env, own)
  return own
}

/** An isolate's environment never changes, and each request and model call asks for its zones. */
const zones = new WeakMap<ZoneEnv, Required<Zones>>()

function zonesFrom(env: ZoneEnv, here: string): Required<Zones> {
  const urls = [env.PUBLIC_URL ?? "", env.ENVIRONMENT === "local" ? "" : here].filter((url) => URL.canParse(url))
  const hosts = urls.map((url) => bare(new URL(url).hostname))
  return {
    own: [
      ...hosts.filter((host) => judgeAddress(`https://${host}/`, { allowPrivate: [], open: [host] }).ok),
      ...listed(env.CLOSED_HOSTS).map(bare),
    ],
    open: listed(env.OPEN_HOSTS).map(bare),
  }
}

interface ZoneEnv {
  readonly ENVIRONMENT: string
  readonly PUBLIC_URL?: string
  readonly CLOSED_HOSTS?: string
  readonly OPEN_HOSTS?: string
}

const bare = (host: string): string => host.replace(/\.$/, "")

const listed = (hosts = ""): string[] => hosts.split(",").flatMap((part) => (part.trim() === "" ? [] : [part.trim().toLowerCase()]))

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
  const isMetadata = metadata().some(([place, bits]) => place.kind() === address.kind() && address.match(place, bits))
  return isMetadata ? `${host} is the metadata service of a cloud` : undefined
}

/** Texts from a model may be long. */
/** Of a long address only the origin: no part of what follows is cut in two [T32]. */
const shown = (text: string): string =>
  text.length <= 200 ? JSON.stringify(text) : URL.canParse(text) ? `"${new URL(text).origin}/…"` : `a text of ${text.length} characters`
