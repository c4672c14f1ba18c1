// Identifies the caller by a session's cookie [H13, O13]. Its value names the tenant and has a mark like a key's, so that a made-up value
// reaches no object.

import { defined } from "../../core/defined.ts"
import { sha256 } from "../../engine/sha256.ts"
import type { Caller } from "../../ports/services.ts"
import { SESSION_MS, signInId, type Signed, type SignInsPort } from "../../ports/tenant/sign-ins.ts"
import type { Env } from "../platform/env.ts"
import { canLie } from "../platform/jurisdiction.ts"
import { isOwnSession, newSession, sessionTenant } from "../platform/tokens/session-text.ts"
import { portOf } from "../platform/port-of.ts"
import { sessions, type SessionCache } from "./cache/sign-in-cache.ts"
import { forgetHolding, stillHolds } from "./cache/key-cache.ts"
import { SessionRows } from "./session-rows.ts"

/** `local`: the caller by the key of local development; undefined elsewhere. */
export function signInsPort(env: Env, local: Caller | undefined, now: () => number, cache: SessionCache = sessions()): SignInsPort {
  const callerBy = (tenant: string, { row, key }: Signed): Caller | undefined => {
    const by = key ?? (local?.tenant === tenant ? local : undefined)
    if (!by) return undefined
    return {
      tenant,
      name: row.by ?? by.name,
      scopes: by.scopes,
      ...(row.key === "" ? {} : { keyId: row.key }),
      ...defined({ since: by.since }),
      signIn: { digest: row.digest, key: by.name, until: row.until },
    }
  }
  /** The tenant's object has ended it. */
  const ended = async (tenant: string, digest: string): Promise<void> => {
    cache.ended(tenant, digest, now())
    forgetHolding(tenant, digest)
    await new SessionRows(env, tenant).remove(digest)
  }
  return {
    async open({ tenant, keyId = "" }, name, place) {
      const value = newSession(env, tenant)
      const row = { digest: await sha256(value), key: keyId, by: name ?? null, place, until: now() + SESSION_MS }
      const at = now()
      const holding = await portOf(env, tenant, "signIns").open(row)
      const signed = holding && cache.opened(tenant, row.digest, holding, { at, now: now() })
      const caller = signed && callerBy(tenant, signed)
      if (!caller) return undefined
      await new SessionRows(env, tenant).put(signed.row, now())
      return { value, caller }
    },
    async callerOf(value, place) {
      const tenant = sessionTenant(value)
      if (tenant === undefined || !canLie(env, tenant) || !isOwnSession(env, value)) return undefined
      const digest = await sha256(value)
      const rows = new SessionRows(env, tenant)
      const signed = await cache.find(tenant, digest, { holderOf: (one) => rows.holderOf(one), room: portOf(env, tenant, "signIns"), now })
      return signed?.row.place === place ? callerBy(tenant, signed) : undefined
    },
    async close({ tenant, signIn }) {
      if (!signIn) return false
      const wasOpen = await portOf(env, tenant, "signIns").close(signIn.digest)
      await ended(tenant, signIn.digest)
      return wasOpen
    },
    async list({ tenant }) {
      const rows = await portOf(env, tenant, "signIns").list()
      return rows.flatMap((signed) => {
        const caller = callerBy(tenant, signed)
        const { digest, until } = signed.row
        if (!caller?.signIn) return []
        const { key } = caller.signIn
        return [{ id: signInId(digest), by: caller.name, key, key_id: caller.keyId ?? null, created: signed.created, until }]
      })
    },
    async end({ tenant }, id) {
      const digest = await portOf(env, tenant, "signIns").end(id)
      if (digest === undefined) return false
      await ended(tenant, digest)
      return true
    },
  }
}

/** [S18] Tells whether a session is still open and its key valid. */
export const sessionHolds = (env: Env, tenant: string, digest: string, now: () => number): Promise<boolean> =>
  stillHolds(tenant, digest, () => portOf(env, tenant, "signIns").holds(digest), now)
