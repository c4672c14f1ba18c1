// Checks that a request with a cookie comes from a page of this origin [H13]. The browser sends a cookie whoever wrote the page;
// SameSite=Strict keeps other sites out, and this check also the other hosts of the same site.
//
// Browsers say `Sec-Fetch-Site` on HTTPS and on loopback, and `Origin` with every request that changes something; no script can write either. A
// request that changes something must have one of them.

import type { Call } from "./call.ts"
import type { Refusal } from "./problem.ts"

const CHANGES_NOTHING: ReadonlySet<string> = new Set(["GET", "HEAD"])

export const FOREIGN: Refusal = {
  code: "forbidden",
  detail:
    "A session counts only for pages of this origin: the request needs Sec-Fetch-Site: same-origin, or this origin in Origin. Other programs send a key.",
}

export function isForeign(c: Call): boolean {
  const changes = !CHANGES_NOTHING.has(c.req.method)
  const site = c.req.header("sec-fetch-site")
  // `none`: a person opened the address.
  if (site !== undefined) return site !== "same-origin" && (changes || site !== "none")
  const origin = c.req.header("origin")
  return origin === undefined ? changes : !ownOrigins(c).includes(origin)
}

function ownOrigins(c: Call): readonly string[] {
  const { publicUrl } = c.get("house")
  return [new URL(c.req.url).origin, ...(publicUrl === undefined ? [] : [new URL(publicUrl).origin])]
}
