// A tenant's vault with its values open.

import type { Opened } from "../../../ports/secrets.ts"
import type { TenantStores } from "../tenant-stores.ts"

/** Only for the Worker's own objects, never for a response to a caller [T32]. */
export const openedOf = async ({
  secrets,
  connections,
  providers,
}: Pick<TenantStores, "secrets" | "connections" | "providers">): Promise<Opened> => ({
  vault: { ...(await connections.secrets()), ...(await secrets.open()) },
  keys: await providers.keys(),
})
