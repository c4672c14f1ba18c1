// Checks the address of a model provider: a public https host by name, or this machine's loopback if the instance is local [N5].
//
// Numeric hosts are refused whole: a public provider has a name, and every private, loopback and metadata address is a number.

import { zoneFault, type Zones } from "../../core/tool/policy/closed-hosts.ts"
import { judgeAddress } from "./address-guard.ts"

/** The fault of a base URL, or undefined. It judges the parsed host name, because the parser undoes odd spellings. */
export function faultOfBaseUrl(text: string, local: boolean, zones: Zones = {}): string | undefined {
  if (!URL.canParse(text)) return "must be a URL"
  const url = new URL(text)
  if (url.username !== "" || url.password !== "") return "must not contain credentials; send the key as apiKey"
  if (url.search !== "" || url.hash !== "") return "must not have a query or a fragment"
  const host = url.hostname.replace(/\.$/, "")
  if (local && loopback(host) && (url.protocol === "http:" || url.protocol === "https:")) return undefined
  if (url.protocol !== "https:") return local ? "must be https, or http to a loopback address" : "must be https"
  const zone = zoneFault(host, zones)
  if (zone !== undefined) return `must not lead back to this instance: ${zone}`
  if (inward(host) || !judgeAddress(`https://${host}/`, { allowPrivate: [], ...zones }).ok)
    return "must be a public host name, not an IP address"
  return undefined
}

const loopback = (host: string): boolean => host === "localhost" || host === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(host)

const inward = (host: string): boolean =>
  host.startsWith("[") || /^[\d.]+$/.test(host) || !host.includes(".") || /\.(localhost|local|internal|home\.arpa)$/.test(host)
