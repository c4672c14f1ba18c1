// Finds the public address of this instance [N2] for `urls`, Location, hooks and links in responses. Outside local development the
// request's own Host is not trusted, because a forged Host would decide where an approver's link leads. The address comes from PUBLIC_URL
// or from the dispatcher in front of this instance. Without either, an address is only a path.

import { ADDRESS_HEADER, readAddress } from "../../core/instance-name.ts"
import type { Call } from "./call.ts"

/** A path of this instance on the requested host: behind a dispatcher it begins with /t/NAME. */
export const pathAt = (c: Call, path: string): string => prefixOf(c) + path

/** A path of this instance as a complete address, if its host is known. */
export function addressAt(c: Call, path: string): string {
  const { publicUrl, environment, isDispatched } = c.get("services")
  if (publicUrl !== undefined) return publicUrl + path
  if (environment === "local") return new URL(c.req.url).origin + pathAt(c, path)
  return (isDispatched === true ? (said(c)?.origin ?? "") : "") + pathAt(c, path)
}

/** [N2] Tells whether only this request has the address: a run that it starts needs the address for its own links. */
export const isPlaced = (c: Call): boolean => c.get("services").publicUrl === undefined && (said(c)?.prefix ?? "") !== ""

/** Only a path: a client that reaches the instance directly can forge it, and misleads only itself. */
function prefixOf(c: Call): string {
  const { publicUrl } = c.get("services")
  return said(c)?.prefix ?? (publicUrl === undefined ? "" : new URL(publicUrl).pathname.replace(/\/$/, ""))
}

const said = (c: Call) => readAddress(c.req.header(ADDRESS_HEADER))

/** The base address of links in messages, if the request has it. */
export function addressOf(c: Call): { readonly address?: string } {
  const address = addressAt(c, "")
  return address === "" ? {} : { address }
}
