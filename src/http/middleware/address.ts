// The address under which this instance was asked [N2], for everything that an answer hands out: `urls`, Location, hooks, links.
//
// What a request says about its own host is not believed outside local development, or a forged Host would decide where an approver's link
// leads. PUBLIC_URL says it, or the dispatcher in front of this instance. Without either, an address is a path.

import { ADDRESS_HEADER, readAddress } from "../../core/instance-name.ts"
import type { Call } from "./call.ts"

/** A path of this instance, as a path of the host that was asked: behind a dispatcher it begins with /t/NAME. */
export const pathAt = (c: Call, path: string): string => prefixOf(c) + path

/** A path of this instance as a complete address, if its host is known. */
export function addressAt(c: Call, path: string): string {
  const { publicUrl, environment, isDispatched } = c.get("services")
  if (publicUrl !== undefined) return publicUrl + path
  if (environment === "local") return new URL(c.req.url).origin + pathAt(c, path)
  return (isDispatched === true ? (said(c)?.origin ?? "") : "") + pathAt(c, path)
}

/** [N2] Whether only this request says where the instance is: what it starts needs the address for links of its own. */
export const isPlaced = (c: Call): boolean => c.get("services").publicUrl === undefined && (said(c)?.prefix ?? "") !== ""

/** Only a path: a client that reaches the instance directly can forge it, and misleads only itself. */
function prefixOf(c: Call): string {
  const { publicUrl } = c.get("services")
  return said(c)?.prefix ?? (publicUrl === undefined ? "" : new URL(publicUrl).pathname.replace(/\/$/, ""))
}

const said = (c: Call) => readAddress(c.req.header(ADDRESS_HEADER))

/** The address that links in messages begin with, if the request says it. */
export function addressOf(c: Call): { readonly address?: string } {
  const address = addressAt(c, "")
  return address === "" ? {} : { address }
}
