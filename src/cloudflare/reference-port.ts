// A tenant's references, asked of its object; values come from the blobs, which this isolate may have in memory.

import type { Json } from "../core/json.ts"
import type { ReferenceKind } from "../core/references/reference-kind.ts"
import { shown, withValue, type ReferenceRow } from "../engine/references.ts"
import type { Created, Looked, ReferencesPort } from "../ports/references.ts"
import { r2Blobs, type BlobEnv } from "./blobs-r2.ts"
import { asking, type TenantPortEnv } from "./tenant-port.ts"

/** The object's methods. */
export interface ReferenceRpc {
  referenceKinds(): Promise<readonly ReferenceKind[]>
  putReferenceKind(kind: ReferenceKind): Promise<"created" | "replaced" | "full">
  removeReferenceKind(name: string): Promise<boolean>
  createReference(kind: string, value: Json, tainted: boolean): Promise<Created>
  findReference(kind: string, id: string): Promise<Looked<ReferenceRow>>
}

export function referencesPort(env: TenantPortEnv & BlobEnv, tenant: string): ReferencesPort {
  const ask = asking<ReferenceRpc>(env, tenant)
  return {
    allKinds: () => ask((o) => o.referenceKinds()),
    kinds: async () => (await ask((o) => o.referenceKinds())).map(({ name }) => name),
    putKind: (kind) => ask((o) => o.putReferenceKind(kind)),
    removeKind: (name) => ask((o) => o.removeReferenceKind(name)),
    create: (kind, value, options) => ask((o) => o.createReference(kind, value, options?.tainted === true)),
    async resolve(kind, id) {
      const found = await ask((o) => o.findReference(kind, id))
      return found.ok ? { ok: true, value: await withValue(r2Blobs(env, tenant), found.value) } : found
    },
    async glimpse(kind, id) {
      const found = await ask((o) => o.findReference(kind, id))
      return found.ok ? { ok: true, value: shown(found.value) } : found
    },
  }
}
