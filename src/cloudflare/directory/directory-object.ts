// Lists the instance's tenants in one object named "directory". Only the admin's calls and a browser's preflight ask it: each tenant's own
// object knows that the tenant exists, so no run and no check of a key waits for this one [N1]. A row is written before the tenant's object
// is created, and deleted after that object is erased, so that interrupted work can be continued.

import { DurableObject } from "cloudflare:workers"
import type { DirectoryEntry, DirectoryRpc, Generation, TenantState } from "../../ports/objects.ts"
import { DEFAULT_QUOTAS, Quotas, type Jurisdiction } from "../../ports/tenant/tenants.ts"
import type { Footer, PublicKey, Seal } from "../../ports/tenant/receipts.ts"
import { NUMBERED, otherFormatIn } from "../platform/format.ts"
import { positionOf, cursorOf } from "../platform/list-cursor.ts"
import { assertPlace } from "../platform/stubs.ts"
import { Vault } from "../platform/vault.ts"
import { SigningKeys } from "./signing-keys.ts"
import { VaultMark } from "./vault-mark.ts"

export interface DirectoryEnv {
  readonly ENVIRONMENT?: string
  readonly JURISDICTION?: string
  readonly VAULT_KEY?: string
}

const TABLES = `
  CREATE TABLE IF NOT EXISTS tenant (id TEXT PRIMARY KEY, name TEXT NOT NULL, jurisdiction TEXT, created INTEGER NOT NULL, quotas TEXT NOT NULL, state TEXT NOT NULL ${NUMBERED}) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS tenant_by_creation ON tenant (created, id);
  CREATE TABLE IF NOT EXISTS origin (origin TEXT NOT NULL, tenant TEXT NOT NULL, PRIMARY KEY (origin, tenant)) WITHOUT ROWID;
`
const LOCAL = "local"
const MOST = 200 // limit: tenants of a page → the next page has the rest

type Row = { id: string; name: string; jurisdiction: string | null; created: number; quotas: string; state: string }

export class DirectoryObject extends DurableObject<DirectoryEnv> implements DirectoryRpc {
  readonly #signing: SigningKeys
  readonly #mark: VaultMark

  constructor(ctx: DurableObjectState, env: DirectoryEnv) {
    super(ctx, env)
    assertPlace(ctx.id, env)
    const other = otherFormatIn(ctx.storage, "the list of tenants")
    if (other) throw other
    const vault = new Vault(env)
    this.#signing = new SigningKeys(ctx.storage.sql, vault)
    this.#mark = new VaultMark(ctx.storage.sql, vault)
    ctx.storage.sql.exec(TABLES)
    // [N5] It exists without being created.
    if (env.ENVIRONMENT === LOCAL && this.#row(LOCAL) === undefined) this.#insert(LOCAL, LOCAL, null, "there")
  }

  async claim(id: string, name: string, jurisdiction: Jurisdiction | null): Promise<DirectoryEntry | "taken"> {
    const row = this.#row(id)
    if (row && row.state !== "making") return "taken"
    // An earlier try may still be on its way to the tenant's object, and must not make it another tenant than the one of this row: its deletion
    // would find nothing of it.
    if (row) this.ctx.storage.sql.exec("UPDATE tenant SET name = ?, jurisdiction = ? WHERE id = ?", name, jurisdiction, id)
    else this.#insert(id, name, jurisdiction, "making")
    return this.find(id).then((made) => made ?? "taken")
  }

  async settle({ id, created }: Generation, state: "there" | "leaving"): Promise<boolean> {
    if (this.#row(id)?.created !== created) return false
    this.ctx.storage.sql.exec("UPDATE tenant SET state = ? WHERE id = ?", state, id)
    return true
  }

  async find(id: string): Promise<DirectoryEntry | undefined> {
    const row = this.#row(id)
    return row && entryOf(row)
  }

  async list(limit: number, cursor?: string): Promise<{ data: DirectoryEntry[]; next_cursor: string | null } | { badCursor: true }> {
    const after = cursor === undefined ? undefined : positionOf(cursor, "")
    if (after === null) return { badCursor: true }
    const most = Math.max(1, Math.min(MOST, Math.trunc(limit)))
    const rows = this.ctx.storage.sql
      .exec<Row>(
        `SELECT * FROM tenant WHERE state = 'there' ${after ? "AND (created, id) < (?, ?)" : ""} ORDER BY created DESC, id DESC LIMIT ?`,
        ...(after ? [after.created, after.id] : []),
        most + 1,
      )
      .toArray()
    const page = rows.slice(0, most)
    const last = page.at(-1)
    return { data: page.map(entryOf), next_cursor: rows.length > most && last ? cursorOf("", last) : null }
  }

  async noteQuotas(id: string, quotas: Quotas): Promise<void> {
    this.ctx.storage.sql.exec("UPDATE tenant SET quotas = ? WHERE id = ?", JSON.stringify(quotas), id)
  }

  async remove({ id, created }: Generation): Promise<void> {
    if (this.#row(id)?.created !== created) return
    this.ctx.storage.transactionSync(() => {
      this.ctx.storage.sql.exec("DELETE FROM origin WHERE tenant = ?", id)
      this.ctx.storage.sql.exec("DELETE FROM tenant WHERE id = ?", id)
      if (id === LOCAL && this.env.ENVIRONMENT === LOCAL) this.#insert(LOCAL, LOCAL, null, "there")
    })
  }

  async putOrigins(tenant: string, origins: readonly string[]): Promise<void> {
    this.ctx.storage.transactionSync(() => {
      this.ctx.storage.sql.exec("DELETE FROM origin WHERE tenant = ?", tenant)
      for (const origin of origins) this.ctx.storage.sql.exec("INSERT OR IGNORE INTO origin (origin, tenant) VALUES (?, ?)", origin, tenant)
    })
  }

  async knowsOrigin(origin: string): Promise<boolean> {
    return this.ctx.storage.sql.exec("SELECT 1 FROM origin WHERE origin = ? LIMIT 1", origin).toArray().length > 0
  }

  async signingKeys(): Promise<PublicKey[]> {
    return this.#signing.keys()
  }

  async sign(seal: Seal): Promise<Footer> {
    return this.#signing.sign(seal)
  }

  async rotateKey(): Promise<PublicKey | "full"> {
    const made = await this.#signing.rotate()
    if (made !== "full") await this.#mark.renew()
    return made
  }

  vaultHolds(): Promise<boolean> {
    return this.#mark.holds()
  }

  #row(id: string): Row | undefined {
    return this.ctx.storage.sql.exec<Row>("SELECT * FROM tenant WHERE id = ?", id).toArray()[0]
  }

  #insert(id: string, name: string, jurisdiction: string | null, state: TenantState): void {
    this.ctx.storage.sql.exec(
      "INSERT INTO tenant (id, name, jurisdiction, created, quotas, state) VALUES (?, ?, ?, ?, ?, ?)",
      id,
      name,
      jurisdiction,
      Date.now(),
      JSON.stringify({}),
      state,
    )
  }
}

function entryOf({ id, name, jurisdiction, created, quotas, state }: Row): DirectoryEntry {
  const own = Quotas.partial().safeParse(JSON.parse(quotas))
  return {
    id,
    name,
    jurisdiction: jurisdiction === "eu" || jurisdiction === "us" ? jurisdiction : null,
    created,
    quotas: Quotas.parse({ ...DEFAULT_QUOTAS, ...(own.success ? own.data : {}) }),
    state: state === "there" || state === "leaving" ? state : "making",
  }
}
