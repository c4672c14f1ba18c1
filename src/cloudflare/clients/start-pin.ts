// `pin` over the tenant's object. A start needs the tenant's vault right after, so an isolate that has none cached gets it with the answer.

import type { PinResult, TenantPort } from "../../ports/catalog.ts"
import { clock } from "../platform/clock.ts"
import { carriedSecrets, takeSecrets, type Opened } from "./secret-cache.ts"

type Pin = TenantPort["pin"]

export interface PinRoom {
  readonly pin: Pin
  /** The same, with the vault. */
  readonly pinOpen: (...asked: Parameters<Pin>) => Promise<{ readonly pinned: PinResult; readonly opened?: Opened }>
}

export const pinOver =
  (tenant: string, { pin, pinOpen }: PinRoom): Pin =>
  async (target, options) => {
    if (options.start === undefined || carriedSecrets(tenant, clock.now)) return pin(target, options)
    const at = clock.now()
    const { pinned, opened } = await pinOpen(target, options)
    if (opened) takeSecrets(tenant, { from: JSON.stringify(opened), at }, clock.now)
    return pinned
  }
