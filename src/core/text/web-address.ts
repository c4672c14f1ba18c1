// Parses web addresses for both judges [G11, T21]: the guard before a call, and the address guard before a request, so the host that a
// policy allows is the host that is contacted.

/** Parses an address; undefined: it is not an absolute URL, or other parsers read it differently. */
export const parseAddress = (text: string): URL | undefined => (AMBIGUOUS.test(text) || !URL.canParse(text) ? undefined : new URL(text))

/** `new URL` takes a backslash for a slash and drops tabs and line breaks. Some parsers do neither. */
const AMBIGUOUS = /[\\\t\r\n]/

/** Tells whether `parseAddress` refuses the text for its characters alone. */
export const isAmbiguous = (text: string): boolean => AMBIGUOUS.test(text)

/** The host that the guard's lists are compared with; undefined: no list allows the address. */
export function hostOf(text: string): { readonly host: string; readonly port: number } | undefined {
  const url = parseAddress(text)
  if (!url || (url.protocol !== "http:" && url.protocol !== "https:") || url.username !== "" || url.password !== "") return undefined
  // `example.com.` and `example.com` are one name.
  const host = url.hostname.replace(/\.$/, "")
  if (host === "") return undefined
  return { host, port: url.port === "" ? (url.protocol === "http:" ? 80 : 443) : Number(url.port) }
}
