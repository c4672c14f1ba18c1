// ToolStore: a tenant's registered tools [T26, T27]. A row contains the definition, for lists and for calls outside a run. The same JSON is
// also a blob under its hash, and runs pin that blob. The tenant's object serializes the writes; this class does not.

import { canonical } from "../../../core/json.ts"
import type { ToolDef } from "../../../core/tool/tool-def.ts"
import type { ToolSpec } from "../../../core/tool/tool-spec.ts"
import { encode } from "../../../engine/catalog/catalog-bodies.ts"
import { readToolDef, specOf, type Registered } from "../../../engine/catalog/registered-tools.ts"
import type { Blobs } from "../../../ports/blobs.ts"
import type { RegisteredTool, ToolCatalogPort } from "../../../ports/tenant/tool-catalog.ts"
import type { TenantSql } from "../tenant-sql.ts"

type Row = { name: string; hash: string; body: string; at: number }

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
    this.#names ??= this.#sql.read<{ name: string; hash: string }>("SELECT name, hash FROM tool ORDER BY name")
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
    return this.#sql.read<Row>("SELECT name, hash, body, at FROM tool ORDER BY name").flatMap(({ body, ...row }) => {
      const def = readToolDef(body)
      return def ? [{ ...row, def }] : []
    })
  }

  async register(defs: readonly ToolDef[]): Promise<readonly RegisteredTool[]> {
    const at = Date.now()
    const rows: RegisteredTool[] = []
    // One at a time: an import has hundreds of tools, and each is an R2 request.
    for (const def of defs) rows.push({ name: def.name, def, hash: await this.#blobs.put(encode(canonical(def))), at })
    this.#sql.write((sql) => {
      for (const { name, def, hash } of rows)
        sql.exec("INSERT OR REPLACE INTO tool (name, hash, body, at) VALUES (?, ?, ?, ?)", name, hash, canonical(def), at)
    })
    this.#names = undefined
    this.#specs = undefined
    return rows
  }

  async unregister(name: string): Promise<boolean> {
    if (!this.names().some((tool) => tool.name === name)) return false
    this.#sql.write((sql) => void sql.exec("DELETE FROM tool WHERE name = ?", name))
    this.#names = undefined
    this.#specs = undefined
    return true
  }
}
