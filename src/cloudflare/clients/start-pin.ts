// `pin` over the tenant's object. A start needs the tenant's vault right after, so an isolate that has none cached gets it with the answer.

import type { CatalogPort } from "../../ports/tenant/catalog.ts"
import type { StartsRoom } from "../../ports/objects.ts"
import { clock } from "../platform/clock.ts"
import { carriedSecrets, takeSecrets } from "./secret-cache.ts"

export const pinOver =
  (tenant: string, { pin, pinOpen }: Pick<StartsRoom, "pin" | "pinOpen">): CatalogPort["pin"] =>
  async (target, options) => {
    if (options.start === undefined || carriedSecrets(tenant, clock.now)) return pin(target, options)
    const at = clock.now()
    const { pinned, opened } = await pinOpen(target, options)
    if (opened) takeSecrets(tenant, { from: JSON.stringify(opened), at }, clock.now)
    return pinned
  }
