// Defines a tenant's vault with decrypted values.

import type { Opened } from "../../../ports/secrets.ts"
import type { TenantStores } from "../tenant-stores.ts"

/** Decrypts a vault, only for the Worker's own objects and never for a response to a caller [T32]. */
export const openedOf = async ({
  secrets,
  connections,
  providers,
}: Pick<TenantStores, "secrets" | "connections" | "providers">): Promise<Opened> => ({
  vault: { ...(await connections.secrets()), ...(await secrets.open()) },
  keys: await providers.keys(),
})
