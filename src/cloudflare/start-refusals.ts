// Starts that are refused without a question [N4]: a tenant that has used up its minute is told so from the isolate's memory, at most for
// the second that its Retry-After asks for anyway. So a flood of starts costs its own tenant's object nothing, and others little.
//
// Only the minute is remembered: when it has room again is known. A place among the runs under way may be free at any time.

import type { PinResult, TenantPort } from "../ports/catalog.ts"

const KEPT_MS = 1_000
const MOST = 1_000

type Refused = Extract<PinResult, { ok: false; code: "quota" }>

const kept = new Map<string, { readonly at: number; readonly refused: Refused }>()

export function forgetRefusals(): void {
  kept.clear()
}

/** What is refused is one flow's start: whether another flow exists is not told by it [H10]. */
export function refusing(tenant: string, port: TenantPort, now: () => number): TenantPort {
  return {
    ...port,
    async pin(target, options) {
      const { start } = options
      if (start?.kind !== "api" && start?.kind !== "mcp") return port.pin(target, options)
      const key = JSON.stringify([tenant, target])
      const held = kept.get(key)
      const since = held ? now() - held.at : KEPT_MS
      if (held && since < Math.min(KEPT_MS, held.refused.retry)) return { ...held.refused, retry: held.refused.retry - since }
      const pinned = await port.pin(target, options)
      if (kept.size >= MOST) kept.clear()
      if (!pinned.ok && pinned.code === "quota" && pinned.limits.starts.left === 0) kept.set(key, { at: now(), refused: pinned })
      else kept.delete(key)
      return pinned
    },
  }
}
