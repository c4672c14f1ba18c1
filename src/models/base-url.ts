// Where a provider may live [N5]: https by host name; in the local environment also loopback and private addresses over http.

/** undefined: fine. Else what is wrong and what to write, for the settings route and for the call itself. */
export function checkBaseUrl(url: string, environment: string): string | undefined {
  const local = environment === "local"
  let parsed: URL
  try {
    parsed = new URL(url)
  } catch {
    return `baseUrl is no URL: write the whole address, such as https://api.example.com/v1`
  }
  if (parsed.protocol !== "https:" && parsed.protocol !== "http:") return `baseUrl begins with ${parsed.protocol}//: only https:// is asked`
  if (parsed.username !== "" || parsed.password !== "") return "baseUrl holds a user name or password: give the key as apiKey"
  if (parsed.search !== "" || parsed.hash !== "") return "baseUrl ends with a query or a fragment: write the address up to its path"
  // The parser has written every spelling of an IPv4 address (hex, octal, one number) as four decimal parts.
  const host = parsed.hostname.toLowerCase().replace(/\.$/, "")
  if (local) {
    if (parsed.protocol === "https:" || isPrivate(host)) return undefined
    return `baseUrl is http:// to ${host}: plain http is only for loopback and private addresses, write https://`
  }
  if (parsed.protocol === "http:") return "baseUrl is http://: write https:// (plain http exists only in the local environment)"
  if (isAddress(host)) return `baseUrl names the address ${host}: write a host name`
  if (isPrivate(host) || /\.(internal|local)$/.test(host)) return `baseUrl names ${host}, which is not on the public internet`
  return undefined
}

const isAddress = (host: string): boolean => host.startsWith("[") || /^\d+\.\d+\.\d+\.\d+$/.test(host)

const isPrivate = (host: string): boolean =>
  host === "localhost" ||
  host.endsWith(".localhost") ||
  host === "[::1]" ||
  /^\[f[cd]/.test(host) ||
  /^(127|10)\.\d+\.\d+\.\d+$/.test(host) ||
  /^192\.168\.\d+\.\d+$/.test(host) ||
  /^172\.(1[6-9]|2\d|3[01])\.\d+\.\d+$/.test(host)
