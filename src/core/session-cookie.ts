// The cookie of a session [H13]. Its name says of which instance it is: behind a dispatcher, instances share a host and so a browser's cookies.

/** `prefix`: "" or `/t/NAME`. `plainPort`: of plain HTTP in local development, where a browser takes no `__Host-` cookie, and where the servers
 *  of one machine share their cookies. */
export function sessionCookie(prefix: string, plainPort?: string): string {
  const instance = prefix === "" ? "" : `-${prefix.slice(prefix.lastIndexOf("/") + 1)}`
  return plainPort === undefined ? `__Host-sluice${instance}` : `sluice${plainPort === "" ? "" : `-${plainPort}`}${instance}`
}

/** The cookie's value; undefined: it is absent, or it is there twice, which no browser of ours sends. */
export function cookieOf(header: string | undefined, name: string): string | undefined {
  const values = pairsOf(header).flatMap(([own, value]) => (own === name ? [value] : []))
  return values.length === 1 ? values[0] : undefined
}

/** The cookies without the sessions of other instances, for a dispatcher: no instance sees the session of another one. */
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
