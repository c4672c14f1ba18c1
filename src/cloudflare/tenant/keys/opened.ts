// A tenant's vault with its values open.

import type { Opened } from "../../../ports/secrets.ts"
import type { TenantStores } from "../tenant-stores.ts"

/** For the Worker's own objects, never for an answer to a caller [T32]. */
export const openedOf = async ({ secrets, providers }: Pick<TenantStores, "secrets" | "providers">): Promise<Opened> => ({
  vault: await secrets.open(),
  keys: await providers.keys(),
})
