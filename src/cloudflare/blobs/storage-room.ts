// Reserves storage for a shared file [H6]: the tenant's object says whether it fits, and counts it immediately.

import type { TenantNamespace } from "../platform/stubs.ts"
import { portOf } from "../platform/port-of.ts"

export interface StorageRoom {
  /** Throws a StorageError if the file does not fit. The answer takes the count back, for a write that failed. */
  takeFile(key: string, bytes: number): Promise<() => Promise<void>>
  dropFile(key: string): Promise<void>
}

/** Repeating a call is harmless, because it states the file's resulting size. */
export function storageRoom(env: TenantNamespace, tenant: string): StorageRoom {
  const room = portOf(env, tenant, "storage")
  return {
    async takeFile(key, bytes) {
      const taken = await room.takeFile(key, bytes)
      if (!taken.ok) throw Object.assign(new Error(taken.why), { name: "StorageError" })
      return () => room.setFile(key, taken.before)
    },
    dropFile: (key) => room.setFile(key, null),
  }
}
