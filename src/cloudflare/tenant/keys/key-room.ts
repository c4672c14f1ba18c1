// Serves a tenant's keys [H1]. A key of a deleted tenant is invalid, even if its row still exists.

import type { Answers, KeysRoom } from "../../../ports/objects.ts"
import type { TenantResources } from "../tenant-resources.ts"

export function keyRoom({ keys, signIns, account, watch, want, line }: TenantResources): Answers<KeysRoom> {
  const holds = (id: string): boolean => keys.holds(id) && account.since() !== undefined
  return {
    holds,
    verify(digest) {
      const key = keys.verify(digest)
      const since = account.since()
      return key === undefined || since === undefined ? undefined : { ...key, since }
    },
    // Both in one turn: either a revocation finds the row, or the key is already revoked here.
    watch(key, run) {
      if (!holds(key)) return false
      watch.watch(key, run)
      return true
    },
    create: (key, act, asked) => keys.create(key, act, asked),
    list: () => keys.list(),
    revoke(id, starts) {
      const gone = keys.revoke(id)
      signIns.forget(id)
      const now = Date.now()
      if (gone && watch.revoke(id, now)) want(now)
      // Also those of a key that was revoked without them.
      return [gone, starts === "cancel" && line.cancelOf(id)].includes(true)
    },
  }
}
