// Detects a GET that acts as another method [G11]. Many frameworks let a header or a parameter replace the method, so a GET with such a
// member counts as a write, whatever method it names. Only the letters of names are compared, because servers treat `-`, `_`, `.`, case,
// brackets and percent signs in different ways.

import { parseAddress } from "../text/web-address.ts"

/** X-HTTP-Method-Override (Rails, Express, Google), X-HTTP-Method (OData), X-Method-Override (Jersey), _method (Rails, Symfony,
 *  WordPress), _HttpMethod, http_method, X-Override-Method, X-Action-Method, and their likes. */
const NAME = /^x?(?:http|rest)?(?:original|request|requested|override|overwrite|action|real|actual)?(?:method|verb)(?:override|overwrite)?$/

/** X-Original-URL and X-Rewrite-URL (IIS, Symfony) replace the address, and so whatever the call does. */
const ADDRESS = /^x(?:original|rewrite|override)(?:url|uri)$/

/** `method=…` is an override at some servers (Restlet), and an ordinary parameter at many others: its value decides. */
const PLAIN = /^(?:method|verb)$/i
const WRITING = /^\s*(?:post|put|patch|delete|merge|move|copy|mkcol|proppatch|lock|unlock|link|unlink|purge)\s*$/i

const lettersOf = (name: string): string => name.replace(/[^A-Za-z0-9]/g, "").toLowerCase()

export const isOverrideHeader = (name: string): boolean => {
  const letters = lettersOf(name)
  return NAME.test(letters) || ADDRESS.test(letters)
}

/** Tells whether these headers replace the method. Some servers read a cookie as a parameter. */
export const overridesByHeader = (headers: Readonly<Record<string, unknown>>): boolean =>
  Object.entries(headers).some(
    ([name, value]) => isOverrideHeader(name) || (lettersOf(name) === "cookie" && typeof value === "string" && queryOverrides(value)),
  )

/** Tells whether the query of this URL replaces the method. */
export const overridesByQuery = (url: string): boolean => queryOverrides(parseAddress(url)?.search.slice(1) ?? "")

/** `query` without its `?`; it may be the template of a query. */
export function queryOverrides(query: string): boolean {
  return query.split(/[&;]/).some((pair) => {
    const equals = pair.indexOf("=")
    const [name, value] = equals < 0 ? [pair, ""] : [pair.slice(0, equals), pair.slice(equals + 1)]
    // In a template, an argument could make the name.
    if (equals >= 0 && name.includes("${{")) return true
    return decoded(name)
      .split(/[&;]/)
      .some((one) => {
        // `_method[]` is `_method` to PHP; to others `[_method]` is.
        const base = one.replace(/^\s*\[/, "").replace(/[[\]].*$/s, "")
        if (!NAME.test(lettersOf(base))) return false
        return !PLAIN.test(base) || value.includes("${{") || WRITING.test(decoded(value))
      })
  })
}

/** Decoded as often as it is encoded: a proxy in front of the server may have decoded it already. */
function decoded(text: string): string {
  let now = text.replaceAll("+", " ")
  for (let n = 0; n < MOST_DECODED && now.includes("%"); n++) {
    const next = now.replaceAll(/%[0-7][0-9a-f]/gi, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)))
    if (next === now) break
    now = next
  }
  return now
}
const MOST_DECODED = 5
