// Lists the exceptions for addresses from callers [T21]: the hosts that the instance exempts and closes, and the host of this request.

import type { Exempt } from "../../engine/net/address-guard.ts"
import type { Call } from "./call.ts"

/** Without PUBLIC_URL, only the request has the instance's address. Locally, the instance may call itself. */
export function outward(c: Call): Exempt {
  const { privateHosts: allowPrivate = [], zones = {}, environment } = c.get("services")
  const here = environment === "local" ? [] : [new URL(c.req.url).hostname]
  return { allowPrivate, ...zones, own: [...(zones.own ?? []), ...here] }
}
