// Refuses starts without a call to the tenant's object [N4]: once a tenant has used up its starts of the minute, the isolate refuses it
// from memory, for at most one second, the least that Retry-After asks for. So a flood of starts costs its own tenant's object nothing, and
// other tenants little. Only the per-minute limit is cached, because its end is known; a place for a concurrent run may become free at any
// time.
//
// Clients that ignore Retry-After are throttled: a tenant's first PER_MINUTE refusals are immediate, later ones are delayed. A client that
// retries at once is held to that pace by its own connections, and waiting costs the isolate nothing.

import { withOverrides } from "../../engine/with-overrides.ts"
import type { ApplyingCatalog } from "../../ports/tenant/authoring/apply.ts"
import type { PinResult } from "../../ports/tenant/catalog.ts"
import { Pace } from "../platform/pace.ts"
import { perIsolate } from "../../ports/isolate.ts"

const CACHED_MS = 1_000
const MAX_ENTRIES = 1_000 // limit: refusals in memory → the cache is emptied
/** Refusals of one tenant: 50 a second, and as many at once. */
const PER_MINUTE = 3_000 // limit: refusals a minute at full speed → they come at this pace
const MAX_WAIT_MS = 2_000 // limit: milliseconds that a refusal waits → it is answered then

type Refused = Extract<PinResult, { ok: false; code: "quota" }>

const cached = perIsolate(() => new Map<string, { readonly at: number; readonly refused: Refused }>())
const paces = perIsolate(() => new Map<string, Pace>())

export function forgetRefusals(): void {
  cached().clear()
  paces().clear()
}

export interface Waits {
  now(): number
  pause(ms: number): Promise<void>
}

/** A refusal is for one flow or agent: it does not tell whether another one exists [H10]. */
export function refusing(tenant: string, port: ApplyingCatalog, { now, pause }: Waits): ApplyingCatalog {
  const slowly = async (refused: Refused): Promise<Refused> => {
    if (paces().size >= MAX_ENTRIES) paces().clear()
    const pace = paces().get(tenant) ?? new Pace()
    paces().set(tenant, pace)
    const wait = Math.min(pace.wait(PER_MINUTE, now()), MAX_WAIT_MS)
    if (wait < MAX_WAIT_MS) pace.take(PER_MINUTE, now())
    if (wait > 0) await pause(wait)
    return { ...refused, retry: Math.max(1, refused.retry - wait) }
  }
  return withOverrides(port, {
    async pin(target, options) {
      const { start } = options
      if (start?.kind !== "api" && start?.kind !== "mcp") return port.pin(target, options)
      const key = JSON.stringify([tenant, target])
      const recent = cached().get(key)
      const since = recent ? now() - recent.at : CACHED_MS
      if (recent && since < Math.min(CACHED_MS, recent.refused.retry))
        return slowly({ ...recent.refused, retry: recent.refused.retry - since })
      const pinned = await port.pin(target, options)
      if (cached().size >= MAX_ENTRIES) cached().clear()
      if (!pinned.ok && pinned.code === "quota" && pinned.limits.starts.left === 0) cached().set(key, { at: now(), refused: pinned })
      else cached().delete(key)
      return !pinned.ok && pinned.code === "quota" ? slowly(pinned) : pinned
    },
  } satisfies Partial<ApplyingCatalog>)
}
