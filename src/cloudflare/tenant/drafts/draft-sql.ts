// Stores the rows of drafts [F80]: one for each draft, with its list of files; their bodies are blobs. No start without a draft's name
// reads them, so a write recalls no lease of a desk.

import type { DraftHead, DraftStore, StoredDraft } from "../../../engine/catalog/catalog-entry.ts"
import type { TenantSql } from "../tenant-sql.ts"

type Record = { name: string; body: string; count: number; created: number; at: number }
/** Of `body`, as JSON. */
type Body = Pick<StoredDraft, "mode" | "folders" | "gone" | "files" | "by" | "warnings">
type HeadRecord = Omit<Record, "body"> & { mode: string; by: string | null; warnings: number | null }

export class DraftSql implements DraftStore {
  readonly #sql: TenantSql
  readonly now: () => number

  constructor(sql: TenantSql, now: () => number) {
    this.#sql = sql
    this.now = now
  }

  drafts(): readonly DraftHead[] {
    return this.#sql
      .read<HeadRecord>(
        "SELECT name, count, created, at, json_extract(body, '$.mode') AS mode, json_extract(body, '$.by') AS by, json_extract(body, '$.warnings') AS warnings FROM draft ORDER BY name",
      )
      .map(({ mode, warnings, ...row }) => ({
        ...row,
        mode: mode === "merge" ? "merge" : "replace",
        ...(warnings === null ? {} : { warnings }),
      }))
  }

  draft(name: string): StoredDraft | undefined {
    const [row] = this.#sql.read<Record>("SELECT * FROM draft WHERE name = ?", name)
    if (row === undefined) return undefined
    const { body, created, at } = row
    return { name, created, at, ...(JSON.parse(body) as Body) }
  }

  saveDraft({ name, created, at, ...body }: StoredDraft): void {
    this.#sql.write(
      (sql) =>
        void sql.exec(
          "INSERT OR REPLACE INTO draft (name, body, count, created, at) VALUES (?, ?, ?, ?, ?)",
          name,
          JSON.stringify(body satisfies Body),
          body.files.length,
          created,
          at,
        ),
    )
  }

  removeDraft(name: string): void {
    this.#sql.write((sql) => void sql.exec("DELETE FROM draft WHERE name = ?", name))
  }

  expireDrafts(before: number): void {
    if (this.#sql.read("SELECT 1 FROM draft WHERE at < ? LIMIT 1", before).length === 0) return
    this.#sql.write((sql) => void sql.exec("DELETE FROM draft WHERE at < ?", before))
  }
}
