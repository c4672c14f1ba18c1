// Checks the base URL of a provider [N5]: https with a host name; in the local environment also http to loopback and private addresses.

import type { ProviderSettings } from "../ports/tenant/providers.ts"
import { closedName, zoneFault, type Zones } from "../core/tool/policy/closed-hosts.ts"

/** The fault of a base URL with its remedy, for the settings route and for the call itself; undefined: it is valid. */
export function checkBaseUrl(url: string, environment: string, zones: Zones = {}): string | undefined {
  const local = environment === "local"
  let parsed: URL
  try {
    parsed = new URL(url)
  } catch {
    return `baseUrl is not a URL: write the full address, such as https://api.example.com/v1`
  }
  if (parsed.protocol !== "https:" && parsed.protocol !== "http:") return `baseUrl starts with ${parsed.protocol}//: use https://`
  if (parsed.username !== "" || parsed.password !== "") return "baseUrl contains a user name or password: give the key as apiKey"
  if (parsed.search !== "" || parsed.hash !== "") return "baseUrl ends with a query or a fragment: write the address up to its path"
  // The URL parser has turned every spelling of an IPv4 address (hex, octal, one number) into four decimal parts.
  const host = parsed.hostname.toLowerCase().replace(/\.$/, "")
  const zone = zoneFault(host, zones)
  if (zone !== undefined) return `baseUrl leads back to this instance: ${zone}`
  if (local) {
    if (parsed.protocol === "https:" || isPrivate(host)) return undefined
    return `baseUrl is http:// to ${host}: plain http is only for loopback and private addresses, write https://`
  }
  if (parsed.protocol === "http:") return "baseUrl is http://: write https:// (plain http exists only in the local environment)"
  if (isAddress(host)) return `baseUrl uses the address ${host}: use a host name`
  if (closedName(host, zones) !== undefined) return `baseUrl uses the host ${host}, which is not on the public internet`
  return undefined
}

/** The address of each kind that has one of its own. */
export const OWN_BASE_URLS = {
  anthropic: "https://api.anthropic.com/v1",
  google: "https://generativelanguage.googleapis.com/v1beta",
  openai: "https://api.openai.com/v1",
} as const

/** undefined: the kind calls no server, or lacks its address. */
export const baseUrlOf = ({ kind, baseUrl }: Pick<ProviderSettings, "kind" | "baseUrl">): string | undefined =>
  baseUrl ?? (kind in OWN_BASE_URLS ? OWN_BASE_URLS[kind as keyof typeof OWN_BASE_URLS] : undefined)

const isAddress = (host: string): boolean => host.startsWith("[") || /^\d+\.\d+\.\d+\.\d+$/.test(host)

const isPrivate = (host: string): boolean =>
  host === "localhost" ||
  host.endsWith(".localhost") ||
  host === "[::1]" ||
  /^\[f[cd]/.test(host) ||
  /^(127|10)\.\d+\.\d+\.\d+$/.test(host) ||
  /^192\.168\.\d+\.\d+$/.test(host) ||
  /^172\.(1[6-9]|2\d|3[01])\.\d+\.\d+$/.test(host)
