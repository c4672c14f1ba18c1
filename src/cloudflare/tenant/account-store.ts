// AccountStore: what a tenant's object knows of the tenant itself: that it exists, since when, what the instance allows it [H6], how long
// its runs are kept, whose pages may read its answers [H7]. Nothing on the way of a request or a run asks the directory.

import { DEFAULT_QUOTAS, DEFAULT_RETENTION_MS, Quotas } from "../../ports/tenants.ts"
import type { TenantSql } from "./tenant-sql.ts"

/** Local development has nobody to be protected from, and a bench that starts thousands of runs [N5]. */
const LOCAL_QUOTAS: Quotas = { ...DEFAULT_QUOTAS, concurrent_runs: 1_000_000, starts_per_minute: 10_000_000, storage_bytes: 1024 ** 4 }

const StoredQuotas = Quotas.partial()

const GRAVE = "deleted"
const GRAVE_MS = 3_600_000
/** Two machines' clocks are never this far apart. */
const SKEW_MS = 2_000

export interface Founding {
  readonly name: string
  /** Milliseconds. */
  readonly created: number
}

export class AccountStore {
  readonly #sql: TenantSql
  readonly #storage: DurableObjectStorage
  /** Does the tenant exist without having been made? */
  readonly #isLocal: boolean
  #known: { readonly text: string; readonly quotas: Quotas } | undefined
  /** Rows as they were read since this object's last write: a start asks for some of them five times. */
  #rows: { readonly writes: number; readonly texts: Map<string, string | undefined> } | undefined

  constructor(sql: TenantSql, storage: DurableObjectStorage, isLocal: boolean) {
    this.#sql = sql
    this.#storage = storage
    this.#isLocal = isLocal
  }

  found(founding: Founding): void {
    this.#put("tenant", { name: founding.name, created: founding.created })
  }

  /** When the tenant was made; undefined: there is none, or it is being deleted. */
  since(): number | undefined {
    if (this.#get("leaving") !== undefined) return undefined
    const row = this.#get("tenant")
    if (typeof row === "object" && row !== null && "created" in row && typeof row.created === "number") return row.created
    return this.#isLocal ? 0 : undefined
  }

  /** Asked several times at every start and at every end of a run: read anew only when the row has another text. */
  quotas(): Quotas {
    const text = this.#text("quotas") ?? "{}"
    if (this.#known?.text !== text) {
      const stored = StoredQuotas.safeParse(JSON.parse(text))
      const quotas = { ...(this.#isLocal ? LOCAL_QUOTAS : DEFAULT_QUOTAS), ...(stored.success ? defined(stored.data) : {}) }
      this.#known = { text, quotas }
    }
    return this.#known.quotas
  }

  /** What is not said stays. */
  putQuotas(quotas: Partial<Quotas>): Quotas {
    const before = this.retention()
    const all = { ...this.quotas(), ...quotas }
    this.#put("quotas", all)
    if (this.retention() < before) this.sweptTo("")
    return all
  }

  /** Never more than the instance allows, whatever was chosen before it allowed less. */
  retention(): number {
    const chosen = this.#get("retention")
    return Math.min(typeof chosen === "number" ? chosen : DEFAULT_RETENTION_MS, this.quotas().retention_max)
  }

  putRetention(ms: number): { ok: true } | { ok: false; above: number } {
    const most = this.quotas().retention_max
    if (ms > most) return { ok: false, above: most }
    const before = this.retention()
    this.#put("retention", ms)
    if (ms < before) this.sweptTo("")
    return { ok: true }
  }

  /** Runs wait for the time that was the rule when they ended. Where it became shorter they are told, one after the other: up to
   *  which id that is done; undefined: they all know. */
  swept(): string | undefined {
    const at = this.#get("sweep")
    return typeof at === "string" ? at : undefined
  }

  sweptTo(id: string | undefined): void {
    if (id !== undefined) this.#put("sweep", id)
    else this.#sql.write((sql) => sql.exec("DELETE FROM setting WHERE name = 'sweep'"))
  }

  origins(): string[] {
    const stored = this.#get("cors")
    return Array.isArray(stored) ? stored.filter((origin) => typeof origin === "string") : []
  }

  putOrigins(origins: readonly string[]): void {
    this.#put("cors", origins)
  }

  /** What a deletion has counted, once it has begun. */
  leaving(): unknown {
    return this.#get("leaving")
  }

  leave(counted: Readonly<Record<string, number>>): void {
    this.#put("leaving", counted)
  }

  /** The tenant was deleted: a start that was under way then is not to live on here. An hour is longer than any start takes. */
  bury(): void {
    this.#storage.kv.put(GRAVE, Date.now() + GRAVE_MS)
  }

  graveUntil(): number | undefined {
    const until = this.#storage.kv.get(GRAVE)
    return typeof until === "number" ? until : undefined
  }

  forget(): void {
    if (this.graveUntil() !== undefined) this.#storage.kv.delete(GRAVE)
  }

  /** Does a run that began at `created` belong to a tenant that is no more? */
  isGone(created: number): boolean {
    if (this.#isLocal) return false
    const since = this.since()
    return since === undefined ? this.graveUntil() !== undefined || this.leaving() !== undefined : created < since - SKEW_MS
  }

  #get(name: string): unknown {
    const text = this.#text(name)
    return text === undefined ? undefined : JSON.parse(text)
  }

  #text(name: string): string | undefined {
    const { writes } = this.#sql
    if (this.#rows?.writes !== writes) this.#rows = { writes, texts: new Map() }
    const { texts } = this.#rows
    if (!texts.has(name)) texts.set(name, this.#sql.read<{ body: string }>("SELECT body FROM setting WHERE name = ?", name)[0]?.body)
    return texts.get(name)
  }

  #put(name: string, body: unknown): void {
    this.#sql.write((sql) => sql.exec("INSERT OR REPLACE INTO setting (name, body) VALUES (?, ?)", name, JSON.stringify(body)))
  }
}

const defined = <T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(value).filter(([, v]) => v !== undefined)) as { [K in keyof T]: Exclude<T[K], undefined> }
