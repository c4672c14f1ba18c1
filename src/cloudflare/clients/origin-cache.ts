// Which origins a tenant lists, and which any tenant lists, kept in the isolate for 5 s [H7]: a browser asks before every other request.

const KEPT_MS = 5_000
const MOST = 2_000

const kept = new Map<string, { readonly at: number; readonly origins: readonly string[] }>()
let forgotten = 0

export function forgetOrigins(): void {
  forgotten++
  kept.clear()
}

export async function cachedOrigins(what: string, ask: () => Promise<readonly string[]>, now: () => number): Promise<readonly string[]> {
  const known = kept.get(what)
  const at = now()
  if (known && at - known.at < KEPT_MS) return known.origins
  const before = forgotten
  const origins = await ask()
  if (kept.size >= MOST) kept.clear()
  if (before === forgotten) kept.set(what, { at, origins })
  return origins
}
