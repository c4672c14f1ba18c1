// Where a model provider may live: a public https host by name, or this machine's loopback when the instance is a local one [N5].
//
// Numeric hosts are refused whole: a public provider has a name, and every private, loopback and metadata address is a number.

import { judgeAddress } from "../../engine/net/address-guard.ts"

/** What is wrong with a base URL, or undefined. Judged on the parsed host name: the parser has undone every odd spelling. */
export function faultOfBaseUrl(text: string, local: boolean): string | undefined {
  if (!URL.canParse(text)) return "is no URL"
  const url = new URL(text)
  if (url.username !== "" || url.password !== "") return "must not carry credentials; give the key as apiKey"
  if (url.search !== "" || url.hash !== "") return "must end with its path: no query and no fragment"
  const host = url.hostname.replace(/\.$/, "")
  if (local && loopback(host) && (url.protocol === "http:" || url.protocol === "https:")) return undefined
  if (url.protocol !== "https:") return local ? "must be https, or http to a loopback address" : "must be https"
  if (inward(host) || !judgeAddress(`https://${host}/`, { allowPrivate: [] }).ok) return "must be a public host, by its name"
  return undefined
}

const loopback = (host: string): boolean => host === "localhost" || host === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(host)

const inward = (host: string): boolean =>
  host.startsWith("[") || /^[\d.]+$/.test(host) || !host.includes(".") || /\.(localhost|local|internal|home\.arpa)$/.test(host)
