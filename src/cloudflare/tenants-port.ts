// TenantsPort: what the admin key may do [N5]. The directory has the list, each tenant's object has the truth about itself; the row in
// the directory comes first and goes last, so that what was interrupted is found and gone on with.

import type { Deleted, Quotas, TenantRow, TenantsPort } from "../ports/tenants.ts"
import { keysPort } from "./account-port.ts"
import { derivedId } from "./clock.ts"
import type { Entry } from "./directory-object.ts"
import { directory } from "./directory-port.ts"
import type { Env } from "./env.ts"
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

/** The methods of TenantObject that are the instance's. */
export interface TenantsRpc {
  found(founding: { readonly name: string; readonly created: number }): Promise<Quotas>
  since(): Promise<number | undefined>
  quotas(): Promise<Quotas>
  putQuotas(quotas: Partial<Quotas>): Promise<Quotas>
  eraseTenant(): Promise<{ readonly done: boolean; readonly deleted: Deleted }>
}

export function tenantsPort(env: Env, now: () => number): TenantsPort {
  const ask = (id: string) => asking<TenantsRpc>(env, id)
  const there = async (id: string): Promise<Entry | undefined> => {
    const entry = await directory(env).find(id)
    return entry?.state === "there" ? entry : undefined
  }
  const remove = async (id: string): Promise<{ done: boolean; deleted: Deleted }> => {
    await directory(env).settle(id, "leaving")
    const until = now() + WAIT_MS
    let first: Deleted | undefined
    for (;;) {
      const round = await ask(id)((o) => o.eraseTenant())
      const done = round.done
      // A later round may find that the alarm has done the rest, and nothing left to count.
      const deleted = (first ??= round.deleted)
      forgetAll(id)
      if (done) {
        await directory(env).remove(id)
        forgetOrigins()
      }
      if (done || now() >= until) return { done, deleted }
    }
  }
  return {
    async create({ id, name, jurisdiction }) {
      if (jurisdiction !== undefined) return { ok: false, code: "no_jurisdiction" }
      const before = await directory(env).find(id)
      // Its deletion was interrupted or takes its time: nothing of it may come back with the new one.
      if (before?.state === "leaving" && !(await remove(id)).done) return { ok: false, code: "taken" }
      const entry = await directory(env).claim(id, name, null)
      if (entry === "taken") return { ok: false, code: "taken" }
      const quotas = await ask(id)((o) => o.found({ name, created: entry.created }))
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
      return entry && rowOf({ ...entry, quotas: await ask(id)((o) => o.quotas()) })
    },
    async remove(id) {
      return (await directory(env).find(id)) ? remove(id) : undefined
    },
    async putQuotas(id, given) {
      if (!(await there(id))) return undefined
      const quotas = await ask(id)((o) => o.putQuotas(given))
      forgetRefusals()
      await directory(env).noteQuotas(id, quotas)
      return quotas
    },
    keys: async (id) => ((await there(id)) ? keysPort(env, id) : undefined),
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

const rowOf = ({ id, name, jurisdiction, created, quotas }: TenantRow): TenantRow => ({ id, name, jurisdiction, created, quotas })
