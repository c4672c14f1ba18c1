// Counts a tenant's stored bytes [H6] in its object as they are written. A run reports its size when it ends; shared files and the memory ask before
// they write, so nothing is written that does not fit. Nothing is measured later, and no start waits for a count, because the count is a row.
//
// The count covers everything that the tenant can still reach. A blob that only deleted runs referred to stays in R2 but is not counted.
// The catalog is not counted either; it has a separate quota.

import type { FileTaken } from "../../ports/objects.ts"
import type { ListedRun } from "../../ports/tenant/run-list.ts"
import { PARTS, type Quotas, type StoragePart, type StorageUsed } from "../../ports/tenant/tenants.ts"
import type { LastReport } from "./run-list/run-index.ts"
import type { TenantSql } from "./tenant-sql.ts"

const NAMES: Readonly<Record<StoragePart, string>> = {
  runs: "runs",
  files: "shared files",
  memory: "the memory",
  workspaces: "named workspaces",
  cache: "cached results",
  datasets: "datasets",
}

export class StorageUse {
  readonly #sql: TenantSql
  readonly #quotas: () => Quotas
  /** Does the tenant exist? A call for a deleted tenant must not store anything. */
  readonly #isThere: () => boolean
  /** As in the rows; read again when the tenant's other rows have changed, for they may have been deleted with it. */
  #rows: { readonly version: number; readonly bytes: Map<string, number> } | undefined

  constructor(sql: TenantSql, quotas: () => Quotas, isThere: () => boolean) {
    this.#sql = sql
    this.#quotas = quotas
    this.#isThere = isThere
  }

  used(): StorageUsed {
    const rows = this.#counted()
    const of = (part: StoragePart): number => rows.get(part) ?? 0
    return {
      total: PARTS.reduce((sum, part) => sum + of(part), 0),
      runs: of("runs"),
      files: of("files"),
      memory: of("memory"),
      workspaces: of("workspaces"),
      cache: of("cache"),
      datasets: of("datasets"),
    }
  }

  /** Why no run may start; undefined: there is room. */
  full(): string | undefined {
    const used = this.used()
    const quota = this.#quotas().storage_bytes
    return used.total < quota
      ? undefined
      : `${figures(used, quota)}: delete unneeded data, or shorten the retention so that ended runs are deleted`
  }

  /** The row to store. The size that a run reported last applies until the run reports a new one. */
  note(row: ListedRun, old: LastReport | undefined): ListedRun {
    const [before, reported, seq] = [old?.bytes ?? 0, row.view["bytes"], row.view["seq"]]
    // A late report is not stored, so it does not count.
    if (old && !(typeof seq === "number" && seq > old.seq)) return row
    if (typeof reported === "number") this.#add("runs", reported - before)
    else if (before > 0) return { ...row, view: { ...row.view, bytes: before } }
    return row
  }

  /** Call this before the run is removed from the list. */
  forget(old: LastReport | undefined): void {
    this.#add("runs", -(old?.bytes ?? 0))
  }

  /** Call this before a shared file is written. */
  takeFile(key: string, bytes: number): FileTaken {
    const before = this.#file(key)
    if (!this.#isThere()) return { ok: true, before }
    const why = this.tooMuch(bytes - (before ?? 0))
    if (why !== undefined) return { ok: false, why }
    this.#setFile(key, bytes, before)
    return { ok: true, before }
  }

  /** Corrects the count after a failed write, or after a deletion (null). */
  setFile(key: string, bytes: number | null): void {
    if (this.#isThere()) this.#setFile(key, bytes, this.#file(key))
  }

  /** Call this before the memory grows to `bytes`. Returns why it may not. The memory never shrinks by itself, because SQLite reuses its pages. */
  takeMemory(bytes: number): string | undefined {
    if (!this.#isThere()) return undefined
    const more = bytes - this.used().memory
    const why = this.tooMuch(more)
    if (why === undefined) this.#add("memory", more)
    return why
  }

  /** Call this before the named workspaces grow by `more` bytes, or shrink. Returns why they may not. */
  takeWorkspaces(more: number): string | undefined {
    const why = this.tooMuch(more)
    if (why === undefined) this.#add("workspaces", more)
    return why
  }

  /** [V28] Call this before the datasets grow by `more` bytes, or shrink. Returns why they may not. */
  takeDatasets(more: number): string | undefined {
    const why = this.tooMuch(more)
    if (why === undefined) this.#add("datasets", more)
    return why
  }

  /** [R41] Call this before the cached results grow by `more` bytes, or shrink. false: they may not. */
  takeCache(more: number): boolean {
    if (this.tooMuch(more) !== undefined) return false
    this.#add("cache", more)
    return true
  }

  /** A change that frees space is always allowed. */
  tooMuch(more: number): string | undefined {
    if (more <= 0 || !this.#isThere()) return undefined
    const used = this.used()
    const quota = this.#quotas().storage_bytes
    if (used.total + more <= quota) return undefined
    return `this would store ${more} bytes more, but ${figures(used, quota)}: nothing was written; delete unneeded data first`
  }

  #file(key: string): number | null {
    return this.#sql.read<{ bytes: number }>("SELECT bytes FROM shared_file WHERE key = ?", key)[0]?.bytes ?? null
  }

  #setFile(key: string, bytes: number | null, before: number | null): void {
    if (bytes === before) return
    this.#sql.write((sql) => {
      if (bytes === null) sql.exec("DELETE FROM shared_file WHERE key = ?", key)
      else sql.exec("INSERT OR REPLACE INTO shared_file (key, bytes) VALUES (?, ?)", key, bytes)
    })
    this.#add("files", (bytes ?? 0) - (before ?? 0))
  }

  #counted(): Map<string, number> {
    const { version } = this.#sql
    if (this.#rows?.version !== version) {
      const rows = this.#sql.read<{ part: string; bytes: number }>("SELECT part, bytes FROM storage_use")
      this.#rows = { version, bytes: new Map(rows.map((row) => [row.part, row.bytes])) }
    }
    return this.#rows.bytes
  }

  #add(part: StoragePart, more: number): void {
    if (more === 0) return
    const counted = this.#counted()
    counted.set(part, Math.max(0, (counted.get(part) ?? 0) + more))
    this.#sql.write((sql) =>
      sql.exec(
        "INSERT INTO storage_use (part, bytes) VALUES (?, max(0, ?)) ON CONFLICT (part) DO UPDATE SET bytes = max(0, bytes + ?)",
        part,
        more,
        more,
      ),
    )
  }
}

function figures(used: StorageUsed, quota: number): string {
  const parts = PARTS.filter((part) => used[part] > 0).map((part) => `${NAMES[part]} ${used[part]}`)
  return `this tenant stores ${used.total} bytes${parts.length === 0 ? "" : ` (${parts.join(", ")})`}, and its quota is ${quota} bytes`
}
