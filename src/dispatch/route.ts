// Which instance a request is for [N2]: by host, `NAME.DOMAIN`, or by path, `/t/NAME/…`. On an instance's host all
// paths belong to that instance.

import { isInstanceName } from "../core/instance-name.ts"

export interface Route {
  readonly instance: string
  /** The path as the instance sees it. */
  readonly path: string
  /** The removed prefix. */
  readonly prefix: string
}

export function routeOf(hostname: string, pathname: string, domain: string | undefined): Route | undefined {
  const host = hostname.replace(/\.$/, "").toLowerCase()
  if (domain !== undefined && domain !== "" && host.endsWith(`.${domain}`)) {
    const label = host.slice(0, -domain.length - 1)
    return isInstanceName(label) ? { instance: label, path: pathname, prefix: "" } : undefined
  }
  const [, name = "", rest = ""] = /^\/t\/([^/]+)(\/.*)?$/s.exec(pathname) ?? []
  return isInstanceName(name) ? { instance: name, path: rest === "" ? "/" : rest, prefix: `/t/${name}` } : undefined
}
