// A tenant's vault with its values open.

import type { Opened } from "../../../ports/secrets.ts"
import type { TenantStores } from "../tenant-stores.ts"

/** Only for the Worker's own objects, never for a response to a caller [T32]. */
export const openedOf = async ({ secrets, providers }: Pick<TenantStores, "secrets" | "providers">): Promise<Opened> => ({
  vault: await secrets.open(),
  keys: await providers.keys(),
})
