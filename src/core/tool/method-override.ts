// Requests that look like a GET and act as another method [G11]. Many frameworks let a header or a parameter replace the method, so a GET
// that carries one counts as a write, whatever method it names.
//
// Names are compared by their letters alone: servers take `-`, `_`, `.` and upper case for one another.

import { parseAddress } from "../text/web-address.ts"

/** X-HTTP-Method-Override (Rails, Express, Google), X-HTTP-Method (OData), X-Method-Override (Jersey), _method (Rails, Symfony,
 *  WordPress), _HttpMethod, http_method, and their likes. */
const NAME = /^x?(?:http)?(?:original|request|requested)?(?:method|verb)(?:override|overwrite)?$/

/** `method=…` is an override at some servers (Restlet), and an ordinary parameter at many others: its value decides. */
const PLAIN = /^(?:method|verb)$/i
const WRITING = /^\s*(?:post|put|patch|delete|merge|move|copy|mkcol|proppatch|lock|unlock|link|unlink|purge)\s*$/i

const lettersOf = (name: string): string => name.replace(/[^A-Za-z0-9]/g, "").toLowerCase()

export const isOverrideHeader = (name: string): boolean => NAME.test(lettersOf(name))

/** Does the query of this URL replace the method? */
export const overridesByQuery = (url: string): boolean => queryOverrides(parseAddress(url)?.search.slice(1) ?? "")

/** `query` without its `?`; it may be the template of a query. */
export function queryOverrides(query: string): boolean {
  return query.split(/[&;]/).some((pair) => {
    const equals = pair.indexOf("=")
    const [name, value] = equals < 0 ? [pair, ""] : [pair.slice(0, equals), pair.slice(equals + 1)]
    // In a template, an argument could make the name.
    if (equals >= 0 && name.includes("${{")) return true
    // `_method[]` is `_method` to PHP.
    const base = decoded(name).replace(/\[.*$/s, "")
    if (!NAME.test(lettersOf(base))) return false
    return !PLAIN.test(base) || value.includes("${{") || WRITING.test(decoded(value))
  })
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "))
  } catch {
    return text
  }
}
