// Serves a tenant's catalog to one author. Its writes go through the tenant's gate [K24].

import { gatedWrite, judged, type HeldOr } from "../../engine/trial/gated-write.ts"
import { withOverrides } from "../../engine/with-overrides.ts"
import type { ApplyingCatalog } from "../../ports/tenant/authoring/apply.ts"
import type { WriteAs } from "../../ports/tenant/authoring/gate.ts"
import type { Env } from "../platform/env.ts"
import { portOf } from "../platform/port-of.ts"
import { forgetOrigins } from "../clients/cache/origin-cache.ts"
import { forgetProviders } from "../clients/cache/provider-cache.ts"
import { pinOver } from "../clients/start-pin.ts"
import { gateDeps } from "./gate-deps.ts"

/** `as`: the author of revisions written through this port [F72], and whether the gate applies. `since`: when the caller's tenant was created. */
export function catalogPort(env: Env, tenant: string, as: WriteAs = {}, since?: number): ApplyingCatalog {
  const room = portOf(env, tenant, "catalog")
  const through = <T>(write: (as: WriteAs) => Promise<HeldOr<T>>): Promise<T> =>
    // Files may set providers and origins, which this isolate remembers for a moment.
    gatedWrite(gateDeps(env, tenant, as.by ?? "gate"), as, write).finally(() => {
      forgetProviders(tenant)
      forgetOrigins()
    })
  return withOverrides(room, {
    writeAgent: (path, content) => through((by) => room.writeAgent(path, content, by)),
    writeFlow: (path, content) => through((by) => room.writeFlow(path, content, by)),
    put: (kind, path, content, ifMatch) => through((by) => room.put(kind, path, content, ifMatch, by)),
    importFiles: (files, write) => through((by) => room.importFiles(files, write, by)),
    remove: (kind, id, ifMatch) => through((by) => room.remove(kind, id, ifMatch, by)),
    apply: (wish, ifRevision) => through((by) => room.apply(wish, ifRevision, by)),
    async plan(wish, ifRevision) {
      const found = await room.plan(wish, ifRevision)
      if ("stale" in found || !found.ok) return found
      const { held, ...planned } = found
      return { ...planned, gate: await judged(gateDeps(env, tenant, as.by ?? "gate"), held) }
    },
    putDraft: (name, wish) => room.putDraft(name, wish, as),
    rollback: (revision, ifRevision) => through((by) => room.rollback(revision, ifRevision, by)),
    putPackage: (name, body, ifMatch) => through((by) => room.putPackage(name, body, ifMatch, by)),
    removePackage: (name, ifMatch) => through((by) => room.removePackage(name, ifMatch, by)),
    pin: pinOver(env, tenant, since),
  } satisfies Partial<ApplyingCatalog>)
}
