// A tenant's storage, asked from where something is about to be written [H6]: its object says whether there is room, and counts it at once.

import { asking, type TenantPortEnv } from "./tenant-port.ts"

export interface StorageRoom {
  /** Throws a StorageError when it does not fit. Gives what takes it back, for a write that failed. */
  takeFile(key: string, bytes: number): Promise<() => Promise<void>>
  dropFile(key: string): Promise<void>
}

/** Asked twice it counts once: what is said is how large the file is then. */
export function storageRoom(env: TenantPortEnv, tenant: string): StorageRoom {
  const ask = asking(env, tenant)
  return {
    async takeFile(key, bytes) {
      const taken = await ask((o) => o.storage.takeFile(key, bytes))
      if (!taken.ok) throw Object.assign(new Error(taken.why), { name: "StorageError" })
      return () => ask((o) => o.storage.setFile(key, taken.before))
    },
    dropFile: (key) => ask((o) => o.storage.setFile(key, null)),
  }
}

/** Why a memory may not grow to so many bytes. */
export const memoryRoom = (env: TenantPortEnv, tenant: string, bytes: number): Promise<string | undefined> =>
  asking(env, tenant)((o) => o.storage.takeMemory(bytes))
