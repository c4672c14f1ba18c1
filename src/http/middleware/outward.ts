// Lists the exceptions for addresses that a caller may name [T21]: what the instance exempts and closes, and the host that this very
// request came to.

import type { Exempt } from "../../engine/net/address-guard.ts"
import type { Call } from "./call.ts"

/** Without PUBLIC_URL, only the request says where the instance is. Locally, the instance may call itself. */
export function outward(c: Call): Exempt {
  const { privateHosts: allowPrivate = [], zones = {}, environment } = c.get("services")
  const here = environment === "local" ? [] : [new URL(c.req.url).hostname]
  return { allowPrivate, ...zones, own: [...(zones.own ?? []), ...here] }
}
