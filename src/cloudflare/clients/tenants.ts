// Implements TenantsPort, the operations of the admin key [N5]. The directory lists the tenants; each tenant's object is authoritative. The
// directory's row is written first and deleted last, so that an interrupted creation or deletion is found and continued.
//
// Only the directory knows a tenant by its id alone: the names of its objects contain its jurisdiction too (jurisdiction.ts).

import { defined } from "../../core/defined.ts"
import type { DirectoryEntry, TenantRooms } from "../../ports/objects.ts"
import { NOTHING, type Deleted, type TenantRow, type TenantsPort } from "../../ports/tenant/tenants.ts"
import { derivedId } from "../platform/clock.ts"
import type { Env } from "../platform/env.ts"
import { nameOf, ownJurisdiction, whyNotIn } from "../platform/jurisdiction.ts"
import { directoryStub } from "../platform/stubs.ts"
import { keysPort } from "./account.ts"
import { forgetKeys } from "./cache/key-cache.ts"
import { forgetOrigins } from "./cache/origin-cache.ts"
import { portOf } from "../platform/port-of.ts"
import { forgetProviders } from "./cache/provider-cache.ts"
import { forgetRules } from "./cache/rules-cache.ts"
import { idempotencyPort } from "./run-port.ts"
import { forgetSecrets } from "../platform/secret-cache.ts"
import { forgetRefusals } from "./start-refusals.ts"

const WAIT_MS = 20_000 // limit: milliseconds that the request of a deletion waits → 202; the alarm does the rest

export function tenantsPort(env: Env, now: () => number): TenantsPort {
  const roomOf = <Room extends keyof TenantRooms>({ id, jurisdiction }: Pick<DirectoryEntry, "id" | "jurisdiction">, room: Room) =>
    portOf(env, nameOf(id, jurisdiction), room)
  const there = async (id: string): Promise<DirectoryEntry | undefined> => {
    const entry = await directoryStub(env).find(id)
    return entry?.state === "there" ? entry : undefined
  }
  const remove = async (entry: DirectoryEntry): Promise<{ done: boolean; deleted: Deleted }> => {
    const { id, created } = entry
    if (!(await directoryStub(env).settle({ id, created }, "leaving"))) return { done: true, deleted: NOTHING }
    const until = now() + WAIT_MS
    let first: Deleted | undefined
    for (;;) {
      const round = await roomOf(entry, "tenancy").erase(created)
      const done = round.done
      // A later round may find that the alarm has done the rest, so that nothing is left to count.
      const deleted = (first ??= round.deleted)
      forgetAll(nameOf(id, entry.jurisdiction))
      if (done) {
        await directoryStub(env).remove({ id, created })
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
      const before = await directoryStub(env).find(id)
      // A deletion of this id was interrupted or is still running, or a creation in another place was interrupted: all of its data must be
      // deleted first.
      const isHalf = before?.state === "leaving" || (before?.state === "making" && before.jurisdiction !== place)
      if (before && isHalf && !(await remove(before)).done) return { ok: false, code: "taken", by: before.jurisdiction }
      const entry = await directoryStub(env).claim(id, name, place)
      if (entry === "taken") return { ok: false, code: "taken", by: before?.jurisdiction ?? null }
      const quotas = await roomOf(entry, "tenancy").found({ name, created: entry.created })
      await directoryStub(env).noteQuotas(id, quotas)
      await directoryStub(env).settle({ id, created: entry.created }, "there")
      return { ok: true, tenant: rowOf({ ...entry, quotas }) }
    },
    async list({ limit, cursor }) {
      const found = await directoryStub(env).list(limit, cursor)
      return "badCursor" in found ? found : { data: found.data.map(rowOf), next_cursor: found.next_cursor }
    },
    async find(id) {
      const entry = await there(id)
      if (!entry) return undefined
      const [quotas, storage] = await Promise.all([roomOf(entry, "account").quotas(), roomOf(entry, "storage").used()])
      return rowOf({ ...entry, quotas, storage })
    },
    async remove(id) {
      const entry = await directoryStub(env).find(id)
      return entry && remove(entry)
    },
    async putQuotas(id, given) {
      const entry = await there(id)
      if (!entry) return undefined
      const quotas = await roomOf(entry, "tenancy").putQuotas(given)
      forgetRefusals()
      await directoryStub(env).noteQuotas(id, quotas)
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

/** Everything that this isolate has cached of a deleted tenant. */
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
  ...defined({ storage }),
})
