// Calls `pin` at a desk of the tenant, or at its object. A start then needs the tenant's vault, so an isolate without a cached vault gets
// it with the answer.

import { defined } from "../../core/defined.ts"
import type { CatalogPort } from "../../ports/tenant/catalog.ts"
import { clock } from "../platform/clock.ts"
import type { TenantNamespace } from "../platform/stubs.ts"
import { deskFor, learnDesks } from "../desks/known-desks.ts"
import { portOf } from "../platform/port-of.ts"
import { carriedSecrets, takeSecrets } from "../platform/secret-cache.ts"

/** `since`: when the tenant was created that the caller is of. */
export function pinOver(env: TenantNamespace, tenant: string, since?: number): CatalogPort["pin"] {
  const { pin, pinOpen } = portOf(env, tenant, "starts")
  return async (target, asked) => {
    if (asked.start === undefined) return pin(target, asked)
    const start = { ...asked.start, ...defined({ since }) }
    const options = { ...asked, start }
    const carried = carriedSecrets(tenant, clock.now)
    const at = clock.now()
    const desk = options.row && deskFor(env, tenant, start.run, at)
    const said = await desk?.pin(target, options, carried === undefined).catch(() => "ask" as const)
    if (said !== undefined && said !== "ask") {
      if (said.vault) takeSecrets(tenant, said.vault, clock.now)
      if (said.pinned.ok) learnDesks(tenant, said.pinned.desks, at)
      return said.pinned
    }
    const { pinned, opened } = carried ? { pinned: await pin(target, options), opened: undefined } : await pinOpen(target, options)
    if (opened) takeSecrets(tenant, { from: JSON.stringify(opened), at }, clock.now)
    if (pinned.ok) learnDesks(tenant, pinned.desks, at)
    return pinned
  }
}
