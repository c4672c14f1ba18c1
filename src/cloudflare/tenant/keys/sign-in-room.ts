// Serves a tenant's sessions [H13]. A session is valid only while its key is, with the key's current scopes.

import type { Answers } from "../../../ports/objects.ts"
import type { SignInHolding, Signed, SignInRow, SignInsRoom } from "../../../ports/tenant/sign-ins.ts"
import { clock } from "../../platform/clock.ts"
import type { TenantResources } from "../tenant-resources.ts"

export function signInRoom({ signIns, keys, account }: TenantResources): Answers<SignInsRoom> {
  /** What the key may do, and when it ends. */
  const rights = (holder: string): { readonly key: Signed["key"]; readonly until: number } | undefined => {
    const since = account.since()
    if (since === undefined) return undefined
    if (holder === "") return { key: null, until: Number.POSITIVE_INFINITY }
    const key = keys.known(holder)
    return key && { key: { ...key, since }, until: key.expires ?? Number.POSITIVE_INFINITY }
  }
  const ending = (row: SignInRow, until: number): SignInRow => ({ ...row, until: Math.min(row.until, until) })
  const holding = (holder: string): SignInHolding | undefined => {
    const found = rights(holder)
    return found && { key: found.key, open: signIns.ofKey(holder, clock.now()).map((row) => ending(row, found.until)) }
  }
  return {
    open(wish) {
      const found = rights(wish.key)
      if (found) signIns.open(ending(wish, found.until), clock.now())
      return holding(wish.key)
    },
    holding,
    find(digest) {
      const row = signIns.find(digest, clock.now())
      return row && holding(row.key)
    },
    holds(digest) {
      const row = signIns.find(digest, clock.now())
      return row !== undefined && rights(row.key) !== undefined
    },
    close: (digest) => signIns.close(digest),
    list: () =>
      signIns.list(clock.now()).flatMap((row) => {
        const found = rights(row.key)
        return found ? [{ row: ending(row, found.until), key: found.key, created: row.created }] : []
      }),
    end(id) {
      const digest = signIns.digestOf(id, clock.now())
      if (digest !== undefined) signIns.close(digest)
      return digest
    },
  }
}
