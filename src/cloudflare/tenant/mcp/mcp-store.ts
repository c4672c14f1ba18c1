// Stores the rows of a tenant's MCP servers [T27]. Each row stores its list as JSON, which core/tool/mcp-tool.ts caps below the 2 MB of a row.

import type { McpRow, McpStore } from "../../../engine/net/mcp-servers.ts"
import type { TenantSql } from "../tenant-sql.ts"

type Row = {
  name: string
  settings: string
  hash: string
  list: string
  pending_hash: string | null
  pending: string | null
  checked: number
}

export class McpSql implements McpStore {
  readonly #sql: TenantSql

  constructor(sql: TenantSql) {
    this.#sql = sql
  }

  all(): readonly McpRow[] {
    return this.#sql.read<Row>("SELECT * FROM mcp_server ORDER BY name").map(rowOf)
  }

  one(name: string): McpRow | undefined {
    return this.#sql.read<Row>("SELECT * FROM mcp_server WHERE name = ?", name).map(rowOf)[0]
  }

  put({ name, settings, hash, list, pending, checked }: McpRow): void {
    const accepted = [name, JSON.stringify(settings), hash, JSON.stringify(list)]
    const unreviewed = pending === undefined ? [null, null] : [pending.hash, JSON.stringify(pending.list)]
    this.#sql.write((sql) => {
      sql.exec(
        "INSERT OR REPLACE INTO mcp_server (name, settings, hash, list, pending_hash, pending, checked) VALUES (?, ?, ?, ?, ?, ?, ?)",
        ...accepted,
        ...unreviewed,
        checked,
      )
    })
  }

  remove(name: string): boolean {
    if (this.one(name) === undefined) return false
    this.#sql.write((sql) => void sql.exec("DELETE FROM mcp_server WHERE name = ?", name))
    return true
  }
}

/** Needs no check: `put` wrote the row. */
const rowOf = (row: Row): McpRow => ({
  name: row.name,
  settings: JSON.parse(row.settings) as McpRow["settings"],
  hash: row.hash,
  list: JSON.parse(row.list) as McpRow["list"],
  ...(row.pending === null || row.pending_hash === null
    ? {}
    : { pending: { hash: row.pending_hash, list: JSON.parse(row.pending) as McpRow["list"] } }),
  checked: row.checked,
})
