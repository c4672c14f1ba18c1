// Which instance a request is for [N2]: by host, `NAME.DOMAIN`, or by path, `/t/NAME/…`. Under a host of an instance there is no other
// one: its paths are all its own.

import { isInstanceName } from "../core/instance-name.ts"

export interface Route {
  readonly instance: string
  /** As the instance sees it. */
  readonly path: string
  /** What was taken away in front of it. */
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
