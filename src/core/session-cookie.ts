// Reads and writes the cookie of a session [H13]. Its name contains the instance: behind a dispatcher, instances share a host and therefore
// a browser's cookies.

/**
 * The name of the cookie. `prefix`: "" or `/t/NAME`. `plainPort`: the port of plain HTTP in local development, where browsers refuse
 * `__Host-` cookies and the servers of a machine share cookies.
 */
export function sessionCookie(prefix: string, plainPort?: string): string {
  const instance = prefix === "" ? "" : `-${prefix.slice(prefix.lastIndexOf("/") + 1)}`
  return plainPort === undefined ? `__Host-sluice${instance}` : `sluice${plainPort === "" ? "" : `-${plainPort}`}${instance}`
}

/** The cookie's value; undefined if it is absent or repeated, which no browser sends. */
export function cookieOf(header: string | undefined, name: string): string | undefined {
  const values = pairsOf(header).flatMap(([own, value]) => (own === name ? [value] : []))
  return values.length === 1 ? values[0] : undefined
}

/** Removes the sessions of other instances from the cookies, so that no instance behind a dispatcher sees them. */
export function withoutOtherSessions(header: string, prefix: string): string {
  const own = sessionCookie(prefix)
  const others = (name: string): boolean => (name === "__Host-sluice" || name.startsWith("__Host-sluice-")) && name !== own
  return header
    .split(";")
    .filter((pair) => !others(nameOf(pair)))
    .join(";")
    .trim()
}

const nameOf = (pair: string): string => pair.split("=", 1)[0]?.trim() ?? ""

const pairsOf = (header: string | undefined): (readonly [name: string, value: string])[] =>
  (header ?? "").split(";").flatMap((pair) => {
    const at = pair.indexOf("=")
    return at < 0 ? [] : [[pair.slice(0, at).trim(), pair.slice(at + 1).trim()] as const]
  })
