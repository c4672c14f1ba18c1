// Stores the indexes of a tenant's named workspaces as rows; the bodies are blobs. A call works on a copy of the index and returns its
// changes, which are one commit. The commit is refused as a whole if another call changed one of the files in the meantime [J11].

import { conflicts, type WorkspaceIndex } from "../../engine/run/call/staged-workspace.ts"
import type { FileChange, FileEntry } from "../../ports/workspace.ts"
import type { TenantSql } from "./tenant-sql.ts"

/** A call copies the whole index: this many entries are about 2 MB. */
const MAX_FILES = 10_000 // limit: files of a tenant's workspace → the tool fails

export class WorkspaceStore {
  readonly #sql: TenantSql
  readonly #now: () => number
  readonly #take: (more: number) => string | undefined
  readonly #left: (hashes: readonly string[]) => void

  /** `take` reserves more bytes [H6], or returns why they may not be stored. `left` hears of the bodies that no path names any more. */
  constructor(
    sql: TenantSql,
    now: () => number,
    take: (more: number) => string | undefined,
    left: (hashes: readonly string[]) => void = () => undefined,
  ) {
    this.#left = left
    this.#sql = sql
    this.#now = now
    this.#take = take
  }

  files(workspace: string): FileEntry[] {
    const rows = this.#sql.read<FileRow>(
      "SELECT path, size, hash, modified, tainted FROM workspace_file WHERE workspace = ? ORDER BY path",
      workspace,
    )
    return rows.map(entryOf)
  }

  /** Returns why nothing was changed; undefined: all changes were made. */
  change(workspace: string, changes: readonly FileChange[]): string | undefined {
    const index: WorkspaceIndex = { stat: (path) => this.#stat(workspace, path), list: () => this.files(workspace) }
    const [clash] = conflicts(changes, index)
    if (clash) return `another call changed ${clash.path} at the same time; read it again and repeat the change`
    const before = this.#count(workspace)
    const more = changes.filter((c) => c.hash !== null && this.#stat(workspace, c.path) === undefined).length
    if (more > 0 && before + more > MAX_FILES) return `workspace ${workspace} would have ${before + more} files; the limit is ${MAX_FILES}`
    const full = this.#take(
      changes.reduce((sum, c) => sum + (c.hash === null ? 0 : c.size) - (this.#stat(workspace, c.path)?.size ?? 0), 0),
    )
    if (full !== undefined) return full
    const at = this.#now()
    this.#sql.write((sql) => {
      this.#left(
        changes.flatMap(({ path, hash }) => {
          const before = this.#stat(workspace, path)?.hash
          return before === undefined || before === hash ? [] : [before]
        }),
      )
      for (const { path, hash, size, tainted } of changes)
        if (hash === null) sql.exec("DELETE FROM workspace_file WHERE workspace = ? AND path = ?", workspace, path)
        else
          sql.exec(
            "INSERT OR REPLACE INTO workspace_file (workspace, path, hash, size, modified, tainted) VALUES (?, ?, ?, ?, ?, ?)",
            workspace,
            path,
            hash,
            size,
            at,
            tainted === true ? 1 : 0,
          )
    })
    return undefined
  }

  #stat(workspace: string, path: string): FileEntry | undefined {
    const [row] = this.#sql.read<FileRow>(
      "SELECT path, size, hash, modified, tainted FROM workspace_file WHERE workspace = ? AND path = ?",
      workspace,
      path,
    )
    return row && entryOf(row)
  }

  #count(workspace: string): number {
    return this.#sql.read<{ n: number }>("SELECT count(*) AS n FROM workspace_file WHERE workspace = ?", workspace)[0]?.n ?? 0
  }
}

type FileRow = { path: string; size: number; hash: string; modified: number; tainted: number }

const entryOf = ({ tainted, ...entry }: FileRow): FileEntry => (tainted === 1 ? { ...entry, tainted: true } : entry)
