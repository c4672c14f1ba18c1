// A tenant's references, asked of its object; values come from the blobs, which this isolate may have in memory.

import { shown, withValue } from "../../engine/run/references.ts"
import type { ReferencesPort } from "../../ports/references.ts"
import { r2Blobs, type BlobEnv } from "../blobs/blobs-r2.ts"
import { asking, type TenantPortEnv } from "./tenant-port.ts"

export function referencesPort(env: TenantPortEnv & BlobEnv, tenant: string): ReferencesPort {
  const ask = asking(env, tenant)
  return {
    allKinds: () => ask((o) => o.references.kinds()),
    kinds: async () => (await ask((o) => o.references.kinds())).map(({ name }) => name),
    putKind: (kind) => ask((o) => o.references.putKind(kind)),
    removeKind: (name) => ask((o) => o.references.removeKind(name)),
    create: (kind, value, options) => ask((o) => o.references.create(kind, value, options?.tainted === true)),
    async resolve(kind, id) {
      const found = await ask((o) => o.references.find(kind, id))
      return found.ok ? { ok: true, value: await withValue(r2Blobs(env, tenant), found.value) } : found
    },
    async glimpse(kind, id) {
      const found = await ask((o) => o.references.find(kind, id))
      return found.ok ? { ok: true, value: shown(found.value) } : found
    },
  }
}
