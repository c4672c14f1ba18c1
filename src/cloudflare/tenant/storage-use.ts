// A tenant's stored bytes [H6], counted in its object as they are written. A run says how much it holds when it reports its end; shared
// files and the memory ask before they write, so that nothing is written that does not fit. Nothing is measured afterwards, and no start
// waits for a count: it is a row.
//
// The count covers what the tenant can still reach. A body that only deleted runs referred to stays in R2 and is not counted; nor is the
// catalog, which has a quota of its own.

import type { FileTaken } from "../../ports/objects.ts"
import type { RunRow } from "../../ports/run-list.ts"
import { PARTS, type Quotas, type StoragePart, type StorageUsed } from "../../ports/tenants.ts"
import type { Known } from "./run-index.ts"
import type { TenantSql } from "./tenant-sql.ts"

const NAMES: Readonly<Record<StoragePart, string>> = {
  runs: "runs",
  files: "shared files",
  memory: "the memory",
  workspaces: "named workspaces",
}

export class StorageUse {
  readonly #sql: TenantSql
  readonly #quotas: () => Quotas
  /** Does the tenant exist? A call for a deleted tenant leaves nothing behind. */
  readonly #isThere: () => boolean

  constructor(sql: TenantSql, quotas: () => Quotas, isThere: () => boolean) {
    this.#sql = sql
    this.#quotas = quotas
    this.#isThere = isThere
  }

  used(): StorageUsed {
    const rows = new Map(
      this.#sql.read<{ part: string; bytes: number }>("SELECT part, bytes FROM storage_use").map((r) => [r.part, r.bytes]),
    )
    const of = (part: StoragePart): number => rows.get(part) ?? 0
    return {
      total: PARTS.reduce((sum, part) => sum + of(part), 0),
      runs: of("runs"),
      files: of("files"),
      memory: of("memory"),
      workspaces: of("workspaces"),
    }
  }

  /** Why no run may begin; undefined: there is room. */
  full(): string | undefined {
    const used = this.used()
    const quota = this.#quotas().storage_bytes
    return used.total < quota ? undefined : `${figures(used, quota)}: delete what is not needed, or let its retention take ended runs away`
  }

  /** The row as it is to be stored. The bytes that a run reported last hold until it reports them again. */
  note(row: RunRow, old: Known | undefined): RunRow {
    const [before, said, seq] = [old?.bytes ?? 0, row.view["bytes"], row.view["seq"]]
    // A late report is not stored, so it does not count.
    if (old && !(typeof seq === "number" && seq > old.seq)) return row
    if (typeof said === "number") this.#add("runs", said - before)
    else if (before > 0) return { ...row, view: { ...row.view, bytes: before } }
    return row
  }

  /** The run is about to leave the list. */
  forget(old: Known | undefined): void {
    this.#add("runs", -(old?.bytes ?? 0))
  }

  /** A shared file is about to be written. */
  takeFile(key: string, bytes: number): FileTaken {
    const before = this.#file(key)
    if (!this.#isThere()) return { ok: true, before }
    const why = this.#tooMuch(bytes - (before ?? 0))
    if (why !== undefined) return { ok: false, why }
    this.#setFile(key, bytes, before)
    return { ok: true, before }
  }

  /** The file was not written after all, or is gone (null). */
  setFile(key: string, bytes: number | null): void {
    if (this.#isThere()) this.#setFile(key, bytes, this.#file(key))
  }

  /** The memory is about to grow to this size; answers why it may not. It never shrinks by itself: its pages are reused. */
  takeMemory(bytes: number): string | undefined {
    if (!this.#isThere()) return undefined
    const more = bytes - this.used().memory
    const why = this.#tooMuch(more)
    if (why === undefined) this.#add("memory", more)
    return why
  }

  /** Named workspaces are about to hold this much more, or less. */
  takeWorkspaces(more: number): string | undefined {
    const why = this.#tooMuch(more)
    if (why === undefined) this.#add("workspaces", more)
    return why
  }

  /** A change that frees space is allowed, however full the tenant is. */
  #tooMuch(more: number): string | undefined {
    if (more <= 0) return undefined
    const used = this.used()
    const quota = this.#quotas().storage_bytes
    if (used.total + more <= quota) return undefined
    return `this would store ${more} bytes more, but ${figures(used, quota)}: delete what is not needed, nothing was written`
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

  #add(part: StoragePart, more: number): void {
    if (more === 0) return
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
  return `this tenant stores ${used.total} bytes${parts.length === 0 ? "" : ` (${parts.join(", ")})`}, and it may store ${quota}`
}
