// Keys, limits and tenants in memory, for the HTTP tests.

import type { IdempotencyPort } from "../../../src/ports/tenant/idempotency.ts"
import {
  DEFAULT_QUOTAS,
  DEFAULT_RETENTION_MS,
  type AccountPort,
  type Deleted,
  type KeyRow,
  type KeysPort,
  type NewKey,
  type Quotas,
  type TenantRow,
  type TenantsPort,
} from "../../../src/ports/tenant/tenants.ts"

export class FakeKeys implements KeysPort {
  rows: (KeyRow & { readonly key: string })[] = []
  isFull = false
  async create(key: NewKey) {
    if (this.isFull) return "too_many" as const
    const n = this.rows.length
    const row = {
      id: `key_${n}`,
      key: `sl_acme_SECRET-OF-KEY-${n}`,
      prefix: `sl_acme_SEC${n}`,
      name: key.name,
      scopes: key.scopes,
      created: 1_000,
      expires: key.expires ?? null,
      last_used: null,
    }
    this.rows.unshift(row)
    return row
  }
  async list() {
    return this.rows.map(({ key: _key, ...row }) => row)
  }
  async revoke(id: string) {
    const before = this.rows.length
    this.rows = this.rows.filter((row) => row.id !== id)
    return this.rows.length < before
  }
}

export class FakeAccount implements AccountPort {
  readonly keys = new FakeKeys()
  quotas_: Quotas = DEFAULT_QUOTAS
  retained = DEFAULT_RETENTION_MS
  listed: readonly string[] = []
  /** Runs whose place was given back. */
  readonly back: string[] = []
  async quotas() {
    return this.quotas_
  }
  async retention() {
    return this.retained
  }
  async putRetention(ms: number) {
    if (ms > this.quotas_.retention_max) return { ok: false as const, above: this.quotas_.retention_max }
    this.retained = ms
    return { ok: true as const }
  }
  async origins() {
    return this.listed
  }
  async putOrigins(origins: readonly string[]) {
    this.listed = origins
  }
  async giveBack(run: string) {
    this.back.push(run)
  }
}

const NOTHING: Deleted = { runs: 0, flows: 0, agents: 0, skills: 0, hooks: 0, schedules: 0, callbacks: 0, secrets: 0, keys: 0 }

export class FakeTenants implements TenantsPort {
  rows = new Map<string, TenantRow>()
  keysOf = new Map<string, FakeKeys>()
  deleted: Deleted = NOTHING
  isDone = true
  readonly #idempotency: (key: string) => IdempotencyPort

  constructor(idempotency: (key: string) => IdempotencyPort) {
    this.#idempotency = idempotency
  }
  async create({ id, name, jurisdiction }: Parameters<TenantsPort["create"]>[0]) {
    if (jurisdiction !== undefined)
      return { ok: false as const, code: "no_jurisdiction" as const, jurisdiction, why: "there is no bucket BLOBS_EU" }
    if (this.rows.has(id)) return { ok: false as const, code: "taken" as const, by: null }
    const tenant: TenantRow = { id, name, jurisdiction: null, created: 1_000, quotas: DEFAULT_QUOTAS }
    this.rows.set(id, tenant)
    this.keysOf.set(id, new FakeKeys())
    return { ok: true as const, tenant }
  }
  async list(query: { readonly cursor?: string }) {
    return query.cursor === "foreign" ? { badCursor: true as const } : { data: [...this.rows.values()], next_cursor: null }
  }
  async find(id: string) {
    return this.rows.get(id)
  }
  async remove(id: string) {
    return this.rows.delete(id) ? { done: this.isDone, deleted: this.deleted } : undefined
  }
  async putQuotas(id: string, quotas: Partial<Quotas>) {
    const row = this.rows.get(id)
    if (!row) return undefined
    this.rows.set(id, { ...row, quotas: { ...row.quotas, ...quotas } })
    return this.rows.get(id)?.quotas
  }
  async keys(id: string) {
    return this.keysOf.get(id)
  }
  async idempotency(key: string) {
    return this.#idempotency(key)
  }
}
