// Stores the tenant's own facts: whether and since when it exists, its quotas [H6], how long its runs are kept, and which origins may read
// its answers [H7]. So no request of the tenant and no run needs to ask the directory.

import { defined } from "../../core/defined.ts"
import type { Founding } from "../../ports/objects.ts"
import { DEFAULT_QUOTAS, DEFAULT_RETENTION_MS, Quotas } from "../../ports/tenant/tenants.ts"
import { numberedKeys } from "../platform/format.ts"
import type { TenantSql } from "./tenant-sql.ts"

/** Local development needs no protection, and a benchmark starts thousands of runs [N5]. */
const LOCAL_QUOTAS: Quotas = { ...DEFAULT_QUOTAS, concurrent_runs: 1_000_000, starts_per_minute: 10_000_000, storage_bytes: 1024 ** 4 }

const StoredQuotas = Quotas.partial()

/** The key of the tombstone. */
const GRAVE = "deleted"
const GRAVE_MS = 3_600_000

export class AccountStore {
  readonly #sql: TenantSql
  readonly #kv: SyncKvStorage
  /** Does the tenant exist without having been created? */
  readonly #isLocal: boolean
  #cached: { readonly text: string; readonly quotas: Quotas } | undefined
  /** The rows read since this object's last write. A start reads some of them five times. */
  #rows: { readonly version: number; readonly texts: Map<string, string | undefined> } | undefined

  readonly #shorter: () => void

  /** `shorter`: runs that have ended are kept for a shorter time from now on. An ended run uses the retention that applied when it ended. */
  constructor(sql: TenantSql, storage: DurableObjectStorage, isLocal: boolean, shorter: () => void) {
    this.#sql = sql
    // The grave is dug when the tables are gone.
    this.#kv = numberedKeys(storage.kv, () => true)
    this.#isLocal = isLocal
    this.#shorter = shorter
  }

  /** `follows`: there was a tenant of this name within the last hour. */
  found(founding: Founding): { readonly follows: boolean } {
    this.#sql.begin()
    // Within an hour of the deletion of another tenant of this name, runs of that one may still report. An earlier try, perhaps with another time,
    // may have said so and filled the grave.
    const follows = this.graveUntil() !== undefined || this.#founded("follows") === true
    this.#put("tenant", { name: founding.name, created: founding.created, ...(follows ? { follows } : {}) })
    return { follows }
  }

  /** When the tenant was created; undefined: there is no tenant, or it is being deleted. */
  since(): number | undefined {
    if (this.#get("leaving") !== undefined) return undefined
    return this.#created() ?? (this.#isLocal ? 0 : undefined)
  }

  /** Is the tenant that was created at `created` here, whether or not it is being deleted? Its name may be another's by now. */
  isOf(created: number): boolean {
    return (this.#created() ?? (this.#isLocal ? created : undefined)) === created
  }

  #created(): number | undefined {
    const created = this.#founded("created")
    return typeof created === "number" ? created : undefined
  }

  #founded(member: "created" | "follows"): unknown {
    const row = this.#get("tenant")
    return typeof row === "object" && row !== null ? Reflect.get(row, member) : undefined
  }

  /** Every start and every end of a run reads this several times, so the row is parsed again only if its text has changed. */
  quotas(): Quotas {
    const text = this.#text("quotas") ?? "{}"
    if (this.#cached?.text !== text) {
      const stored = StoredQuotas.safeParse(JSON.parse(text))
      const quotas = { ...(this.#isLocal ? LOCAL_QUOTAS : DEFAULT_QUOTAS), ...(stored.success ? defined(stored.data) : {}) }
      this.#cached = { text, quotas }
    }
    return this.#cached.quotas
  }

  /** Quotas that are not given stay the same. */
  putQuotas(quotas: Partial<Quotas>): Quotas {
    const before = this.retention()
    const all = { ...this.quotas(), ...quotas }
    this.#put("quotas", all)
    if (this.retention() < before) this.#shorter()
    return all
  }

  /** Never more than the instance allows now, even if the tenant chose more when more was allowed. */
  retention(): number {
    const chosen = this.#get("retention")
    return Math.min(typeof chosen === "number" ? chosen : DEFAULT_RETENTION_MS, this.quotas().retention_max)
  }

  putRetention(ms: number): { ok: true } | { ok: false; above: number } {
    const max = this.quotas().retention_max
    if (ms > max) return { ok: false, above: max }
    this.keepFor(ms)
    return { ok: true }
  }

  /** null: as long as a tenant that never said. */
  keepFor(ms: number | null): void {
    const before = this.retention()
    this.#put("retention", ms)
    if (this.retention() < before) this.#shorter()
  }

  origins(): string[] {
    return this.#texts("cors")
  }

  putOrigins(origins: readonly string[]): void {
    this.#put("cors", origins)
  }

  /** The origins, if the directory knows others of this tenant. */
  untoldOrigins(): readonly string[] | undefined {
    const origins = this.origins()
    return JSON.stringify(origins) === JSON.stringify(this.#texts("cors_told")) ? undefined : origins
  }

  /** The directory knows these. */
  toldOrigins(origins: readonly string[]): void {
    this.#put("cors_told", origins)
  }

  #texts(name: string): string[] {
    const stored = this.#get(name)
    return Array.isArray(stored) ? stored.filter((one) => typeof one === "string") : []
  }

  /** The counts that the deletion recorded when it began; undefined: the tenant is not being deleted. */
  leaving(): unknown {
    return this.#get("leaving")
  }

  leave(counted: Readonly<Record<string, number>>): void {
    this.#put("leaving", counted)
  }

  /** After a deletion, a start that was in progress must not create anything here. No start takes as long as an hour. */
  bury(): void {
    this.#kv.put(GRAVE, Date.now() + GRAVE_MS)
  }

  graveUntil(): number | undefined {
    const until = this.#kv.get(GRAVE)
    return typeof until === "number" ? until : undefined
  }

  forget(): void {
    if (this.graveUntil() !== undefined) this.#kv.delete(GRAVE)
  }

  /** Names this tenant among those of its name; undefined: no other one had it shortly before. No time tells a run of one from a run of the
   *  other, because clocks step back. */
  tenancy(): number | undefined {
    return this.#founded("follows") === true ? this.#created() : undefined
  }

  /** Does this run belong to a deleted tenant? */
  isGone({ tenancy }: { readonly tenancy?: number }): boolean {
    if (this.#isLocal) return false
    if (this.since() === undefined) return this.graveUntil() !== undefined || this.leaving() !== undefined
    const own = this.tenancy()
    return own !== undefined && tenancy !== own
  }

  #get(name: string): unknown {
    const text = this.#text(name)
    return text === undefined ? undefined : JSON.parse(text)
  }

  #text(name: string): string | undefined {
    const { version } = this.#sql
    if (this.#rows?.version !== version) this.#rows = { version, texts: new Map() }
    const { texts } = this.#rows
    if (!texts.has(name)) texts.set(name, this.#sql.read<{ body: string }>("SELECT body FROM setting WHERE name = ?", name)[0]?.body)
    return texts.get(name)
  }

  #put(name: string, body: unknown): void {
    this.#sql.write((sql) => sql.exec("INSERT OR REPLACE INTO setting (name, body) VALUES (?, ?)", name, JSON.stringify(body)))
  }
}
