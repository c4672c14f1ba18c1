// A tenant's provider settings, kept in the isolate for a moment: the call to the tenant's object was the largest cost of a model turn
// (bench/README.md: 30 % of a run's CPU). A changed or withdrawn key counts after 5 s at the latest, as with the API's own keys [H1],
// and at once in the isolate where it was changed.

import type { ProviderSettings } from "../../ports/model.ts"

export const PROVIDER_TTL_MS = 5_000
const MOST = 500

const kept = new Map<string, { readonly at: number; readonly settings: ProviderSettings }>()
let forgotten = 0

/** They were changed, or a call ended as it does when they are no longer right: the next one asks afresh. */
export function forgetProvider(tenant: string, name: string): void {
  forgotten++
  kept.delete(`${tenant}/${name}`)
}

/** The tenant is no more: whoever is made under its id has settings of its own. */
export function forgetProviders(tenant: string): void {
  forgotten++
  for (const key of kept.keys()) if (key.startsWith(`${tenant}/`)) kept.delete(key)
}

export function cachedProvider(
  tenant: string,
  ask: (name: string) => Promise<ProviderSettings | undefined>,
  now: () => number,
): (name: string) => Promise<ProviderSettings | undefined> {
  return async (name) => {
    const key = `${tenant}/${name}`
    const held = kept.get(key)
    // An answer is as old as its question: nobody knows when in between it was read.
    const at = now()
    if (held && at - held.at < PROVIDER_TTL_MS) return held.settings
    const before = forgotten
    // What is shared between requests must be settled: a promise of another object's request may never resolve here.
    const settings = await ask(name)
    if (kept.size >= MOST) kept.clear()
    kept.delete(key)
    // A provider that is not there is asked for again at once: somebody is about to set it up.
    // What was changed while it was asked about must not come back.
    if (settings && before === forgotten) kept.set(key, { at, settings })
    return settings
  }
}
