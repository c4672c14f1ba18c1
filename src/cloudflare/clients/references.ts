// Serves a tenant's references: its object has the rows; the values are blobs, which this isolate may have cached.

import { withOverrides } from "../../engine/with-overrides.ts"
import { shown, withValue } from "../../engine/run/references.ts"
import type { References } from "../../ports/references.ts"
import { r2Blobs, type BlobEnv } from "../blobs/blobs-r2.ts"
import type { TenantNamespace } from "../platform/stubs.ts"
import { portOf } from "../platform/port-of.ts"

export function referencesPort(env: TenantNamespace & BlobEnv, tenant: string): References {
  const room = portOf(env, tenant, "references")
  return withOverrides(room, {
    kinds: async () => (await portOf(env, tenant, "settings").items("references")).map(({ name }) => name),
    async resolve(kind, id) {
      const found = await room.find(kind, id)
      return found.ok ? { ok: true, value: await withValue(r2Blobs(env, tenant), found.value) } : found
    },
    async glimpse(kind, id) {
      const found = await room.find(kind, id)
      return found.ok ? { ok: true, value: shown(found.value) } : found
    },
  } satisfies Partial<References>)
}
