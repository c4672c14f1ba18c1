// The room for a tenant's sessions [H13]. A session counts only while its key does, with the scopes that the key has now.

import type { Answers } from "../../../ports/objects.ts"
import type { Signed, SignInRow, SignInsRoom } from "../../../ports/tenant/sign-ins.ts"
import { clock } from "../../platform/clock.ts"
import type { TenantResources } from "../tenant-resources.ts"

export function signInRoom({ signIns, keys, account }: TenantResources): Answers<SignInsRoom> {
  const signed = (row: SignInRow): Signed | undefined => {
    const since = account.since()
    if (since === undefined) return undefined
    if (row.key === "") return { row, key: null }
    const key = keys.known(row.key)
    return key && { row: { ...row, until: Math.min(row.until, key.expires ?? row.until) }, key: { ...key, since } }
  }
  return {
    open(wish) {
      const made = signed(wish)
      if (made) signIns.open(made.row, clock.now())
      return made
    },
    find(digest) {
      const row = signIns.find(digest, clock.now())
      return row && signed(row)
    },
    close: (digest) => signIns.close(digest),
    list: () =>
      signIns.list(clock.now()).flatMap((row) => {
        const found = signed(row)
        return found ? [{ ...found, created: row.created }] : []
      }),
    end(id) {
      const digest = signIns.digestOf(id, clock.now())
      if (digest !== undefined) signIns.close(digest)
      return digest
    },
  }
}
