// Finds the instance that a request is for [N2]: by host, `NAME.DOMAIN`, or by path, `/t/NAME/…`. On an instance's host all paths belong to
// that instance.

import { isInstanceName } from "../core/instance-name.ts"

export type RequestAddress = Pick<URL, "protocol" | "hostname" | "port" | "pathname">

export interface InstanceRoute {
  readonly instance: string
  /** The path as the instance sees it. */
  readonly path: string
  /** The removed prefix. */
  readonly prefix: string
  /** For ADDRESS_HEADER. The host is known only below the domain: any other one is what the client says. */
  readonly address: string
}

export function routeOf({ protocol, hostname, port, pathname }: RequestAddress, domain: string | undefined): InstanceRoute | undefined {
  const host = hostname.replace(/\.$/, "").toLowerCase()
  const origin = `${protocol}//${host}${port === "" ? "" : `:${port}`}`
  if (domain !== undefined && domain !== "" && host.endsWith(`.${domain}`)) {
    const label = host.slice(0, -domain.length - 1)
    return isInstanceName(label) ? { instance: label, path: pathname, prefix: "", address: origin } : undefined
  }
  const [, name = "", rest = ""] = /^\/t\/([^/]+)(\/.*)?$/s.exec(pathname) ?? []
  if (!isInstanceName(name)) return undefined
  const prefix = `/t/${name}`
  return { instance: name, path: rest === "" ? "/" : rest, prefix, address: (host === domain ? origin : "") + prefix }
}
