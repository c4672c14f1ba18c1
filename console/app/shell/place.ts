// Where the console is, and where the reader is in it. Behind a dispatcher both are below /t/NAME [N2]: the script's own address says where.

import { useMemo, useSyncExternalStore } from "react"

/** Not written as `new URL(…, import.meta.url)`: the build would take that for a file of its own. */
const script = import.meta.url
const assets = new URL(".", script)

/** `https://host/console/`. */
export const CONSOLE = new URL("..", assets).href
/** The API, with a slash at its end. */
export const SERVER = new URL("../..", assets).href

const MOVED = "sluice-moved"

/** The path below /console/, decoded, in parts: `["chat", "assist", "chat-7"]`. */
export function usePlace(): readonly string[] {
  const href = useSyncExternalStore(listen, () => location.href)
  const path = new URL(href).pathname.slice(new URL(CONSOLE).pathname.length)
  return path
    .split("/")
    .filter((part) => part !== "")
    .map(decoded)
}

/** What the address says behind its question mark. */
export function useQuery(): URLSearchParams {
  const search = useSyncExternalStore(listen, () => location.search)
  return useMemo(() => new URLSearchParams(search), [search])
}

/** Changes some of it; undefined takes a name out. */
export function goQuery(changes: Readonly<Record<string, string | undefined>>, how: "push" | "replace" = "replace"): void {
  const query = new URLSearchParams(location.search)
  for (const [name, value] of Object.entries(changes))
    if (value === undefined || value === "") query.delete(name)
    else query.set(name, value)
  const search = query.size === 0 ? "" : `?${query.toString()}`
  if (search !== location.search) go(location.pathname + search, how)
}

export const addressOf = (...parts: readonly string[]): string => CONSOLE + parts.map(encodeURIComponent).join("/")

export function go(address: string, how: "push" | "replace" = "push"): void {
  if (how === "push") history.pushState(null, "", address)
  else history.replaceState(null, "", address)
  dispatchEvent(new Event(MOVED))
}

function listen(changed: () => void): () => void {
  addEventListener("popstate", changed)
  addEventListener(MOVED, changed)
  return () => {
    removeEventListener("popstate", changed)
    removeEventListener(MOVED, changed)
  }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
