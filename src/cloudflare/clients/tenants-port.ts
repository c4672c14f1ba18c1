// TenantsPort: what the admin key may do [N5]. The directory has the list, each tenant's object has the truth about itself; the row in
// the directory comes first and goes last, so that what was interrupted is found and gone on with.
//
// The directory alone knows a tenant by its id: what its objects are called, its jurisdiction says besides (jurisdiction.ts).

import type { Deleted, TenantRow, TenantsPort } from "../../ports/tenants.ts"
import { keysPort } from "./account-port.ts"
import { derivedId } from "../platform/clock.ts"
import type { Entry } from "../directory/directory-object.ts"
import { directory } from "./directory-port.ts"
import type { Env } from "../platform/env.ts"
import { nameOf, ownJurisdiction, whyNotIn } from "../platform/jurisdiction.ts"
import { forgetKeys } from "./key-cache.ts"
import { forgetOrigins } from "./origin-cache.ts"
import { forgetProviders } from "./provider-cache.ts"
import { forgetRules } from "./rules-cache.ts"
import { idempotencyPort } from "./run-port.ts"
import { forgetSecrets } from "./secret-cache.ts"
import { forgetRefusals } from "./start-refusals.ts"
import { asking } from "./tenant-port.ts"

/** So long a deletion is waited for; what takes longer is gone on with by the tenant's own alarm. */
const WAIT_MS = 20_000

export function tenantsPort(env: Env, now: () => number): TenantsPort {
  const ask = ({ id, jurisdiction }: Pick<Entry, "id" | "jurisdiction">) => asking(env, nameOf(id, jurisdiction))
  const there = async (id: string): Promise<Entry | undefined> => {
    const entry = await directory(env).find(id)
    return entry?.state === "there" ? entry : undefined
  }
  const remove = async (entry: Entry): Promise<{ done: boolean; deleted: Deleted }> => {
    const { id } = entry
    await directory(env).settle(id, "leaving")
    const until = now() + WAIT_MS
    let first: Deleted | undefined
    for (;;) {
      const round = await ask(entry)((o) => o.tenancy.erase())
      const done = round.done
      // A later round may find that the alarm has done the rest, and nothing left to count.
      const deleted = (first ??= round.deleted)
      forgetAll(nameOf(id, entry.jurisdiction))
      if (done) {
        await directory(env).remove(id)
        forgetOrigins()
      }
      if (done || now() >= until) return { done, deleted }
    }
  }
  return {
    async create({ id, name, jurisdiction }) {
      const place = jurisdiction ?? ownJurisdiction(env) ?? null
      const why = place === null ? undefined : whyNotIn(env, place)
      if (place !== null && why !== undefined) return { ok: false, code: "no_jurisdiction", jurisdiction: place, why }
      const before = await directory(env).find(id)
      // Its deletion was interrupted or takes its time: nothing of it may come back with the new one. Neither may anything be left
      // where a making that was interrupted had begun, when this one is for another place.
      const isHalf = before?.state === "leaving" || (before?.state === "making" && before.jurisdiction !== place)
      if (before && isHalf && !(await remove(before)).done) return { ok: false, code: "taken", by: before.jurisdiction }
      const entry = await directory(env).claim(id, name, place)
      if (entry === "taken") return { ok: false, code: "taken", by: before?.jurisdiction ?? null }
      const quotas = await ask(entry)((o) => o.tenancy.found({ name, created: entry.created }))
      await directory(env).noteQuotas(id, quotas)
      await directory(env).settle(id, "there")
      return { ok: true, tenant: rowOf({ ...entry, quotas }) }
    },
    async list({ limit, cursor }) {
      const found = await directory(env).list(limit, cursor)
      return "badCursor" in found ? found : { data: found.data.map(rowOf), next_cursor: found.next_cursor }
    },
    async find(id) {
      const entry = await there(id)
      if (!entry) return undefined
      const [quotas, storage] = await Promise.all([ask(entry)((o) => o.account.quotas()), ask(entry)((o) => o.storage.used())])
      return rowOf({ ...entry, quotas, storage })
    },
    async remove(id) {
      const entry = await directory(env).find(id)
      return entry && remove(entry)
    },
    async putQuotas(id, given) {
      const entry = await there(id)
      if (!entry) return undefined
      const quotas = await ask(entry)((o) => o.tenancy.putQuotas(given))
      forgetRefusals()
      await directory(env).noteQuotas(id, quotas)
      return quotas
    },
    async keys(id) {
      const entry = await there(id)
      return entry && keysPort(env, nameOf(id, entry.jurisdiction))
    },
    // No tenant has an empty name.
    idempotency: async (key) => idempotencyPort(env, "", `run_${await derivedId("", key)}`),
  }
}

/** What this isolate remembers of a tenant that is no more. */
function forgetAll(tenant: string): void {
  forgetRefusals()
  forgetKeys(tenant)
  forgetSecrets(tenant)
  forgetProviders(tenant)
  forgetRules(tenant)
}

const rowOf = ({ id, name, jurisdiction, created, quotas, storage }: TenantRow): TenantRow => ({
  id,
  name,
  jurisdiction,
  created,
  quotas,
  ...(storage === undefined ? {} : { storage }),
})
