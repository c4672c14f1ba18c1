// Stores a tenant's registered tools [T26, T27]. A row contains the definition, for lists and for calls outside a run. The same JSON is
// also a blob under its hash, and runs pin that blob. The tenant's object serializes the writes; this class does not.

import { canonical } from "../../../core/json.ts"
import { mcpName } from "../../../core/tool/mcp-tool.ts"
import type { ToolDef } from "../../../core/tool/tool-def.ts"
import type { ToolSpec } from "../../../core/tool/tool-spec.ts"
import { encode } from "../../../engine/catalog/catalog-bodies.ts"
import { readToolDef, specOf, type Registered } from "../../../engine/catalog/registered-tools.ts"
import type { Blobs } from "../../../ports/blobs.ts"
import type { RegisteredTool, ToolCatalogPort } from "../../../ports/tenant/tool-catalog.ts"
import type { TenantRows, TenantSql } from "../tenant-sql.ts"

type Row = { name: string; hash: string; body: string; at: number; file: string | null }

const WITH_FILE = "tool LEFT JOIN (SELECT name AS made, file FROM made_by_file WHERE kind = 'tool') ON made = name"

export class ToolStore implements ToolCatalogPort {
  readonly #sql: TenantSql
  readonly #blobs: Blobs
  #names: readonly Registered[] | undefined
  #specs: readonly ToolSpec[] | undefined

  constructor(sql: TenantSql, blobs: Blobs) {
    this.#sql = sql
    this.#blobs = blobs
  }

  /** Returns the same array until the next write. */
  names(): readonly Registered[] {
    this.#names ??= this.#sql
      .read<{ name: string; hash: string; file: string | null }>(`SELECT name, hash, file FROM ${WITH_FILE} ORDER BY name`)
      .map(({ file, ...row }) => ({ ...row, ...(file === null ? {} : { file }) }))
    return this.#names
  }

  /** The specs as the kernel sees them. Returns the same array until the next write. */
  specs(): readonly ToolSpec[] {
    this.#specs ??= this.#sql.read<{ body: string }>("SELECT body FROM tool ORDER BY name").flatMap(({ body }) => {
      const def = readToolDef(body)
      return def ? [specOf(def)] : []
    })
    return this.#specs
  }

  async registered(): Promise<readonly RegisteredTool[]> {
    return this.#sql.read<Row>(`SELECT name, hash, body, at, file FROM ${WITH_FILE} ORDER BY name`).flatMap(({ body, file, ...row }) => {
      const def = readToolDef(body)
      return def ? [{ ...row, def, ...(file === null ? {} : { file }) }] : []
    })
  }

  async register(defs: readonly ToolDef[]): Promise<readonly RegisteredTool[]> {
    const rows = await this.kept(defs)
    this.#sql.write((sql) => insert(sql, rows))
    this.#forget()
    return rows
  }

  /** The bodies are durable when this resolves; the rows are not written. */
  async kept(defs: readonly ToolDef[]): Promise<readonly RegisteredTool[]> {
    const at = Date.now()
    const rows: RegisteredTool[] = []
    // One at a time: an import has hundreds of tools, and each is an R2 request.
    for (const def of defs) rows.push({ name: def.name, def, hash: await this.#blobs.put(encode(canonical(def))), at })
    return rows
  }

  /** [F79] Exactly these are the tools of this file; none: the file is gone. `server`: the MCP server that the file makes. */
  place(file: string, rows: readonly RegisteredTool[], server?: string): void {
    const servers = this.serversOf(file)
    this.#sql.write((sql) => {
      sql.exec("DELETE FROM tool WHERE name IN (SELECT name FROM made_by_file WHERE kind = 'tool' AND file = ?)", file)
      for (const name of server === undefined ? servers : [...servers, server])
        sql.exec("DELETE FROM tool WHERE substr(name, 1, ?) = ?", mcpName(name, "").length, mcpName(name, ""))
      sql.exec("DELETE FROM made_by_file WHERE file = ?", file)
      insert(sql, rows)
      // Tools of a server come and go with its list.
      if (server !== undefined) sql.exec("INSERT OR REPLACE INTO made_by_file (kind, name, file) VALUES ('mcp', ?, ?)", server, file)
      else for (const { name } of rows) sql.exec("INSERT OR REPLACE INTO made_by_file (kind, name, file) VALUES ('tool', ?, ?)", name, file)
    })
    this.#forget()
  }

  serversOf(file: string): readonly string[] {
    return this.#sql.read<{ name: string }>("SELECT name FROM made_by_file WHERE kind = 'mcp' AND file = ?", file).map(({ name }) => name)
  }

  #forget(): void {
    this.#names = undefined
    this.#specs = undefined
  }

  async unregister(name: string): Promise<boolean> {
    if (!this.names().some((tool) => tool.name === name)) return false
    this.#sql.write((sql) => void sql.exec("DELETE FROM tool WHERE name = ?", name))
    this.#forget()
    return true
  }
}

function insert(sql: TenantRows, rows: readonly RegisteredTool[]): void {
  for (const { name, def, hash, at } of rows)
    sql.exec("INSERT OR REPLACE INTO tool (name, hash, body, at) VALUES (?, ?, ?, ?)", name, hash, canonical(def), at)
}
