// Registered tools in memory.

import { canonical } from "../../../src/core/json.ts"
import type { ToolDef } from "../../../src/core/tool/tool-def.ts"
import { sha256 } from "../../../src/engine/sha256.ts"
import type { RegisteredTool, ToolCatalogPort } from "../../../src/ports/tenant/tool-catalog.ts"

export class FakeToolCatalog implements ToolCatalogPort {
  rows = new Map<string, RegisteredTool>()
  async registered() {
    return [...this.rows.values()]
  }
  async register(defs: readonly ToolDef[]) {
    const rows = await Promise.all(defs.map(async (def) => ({ name: def.name, def, hash: await sha256(canonical(def)), at: 1 })))
    for (const row of rows) this.rows.set(row.name, row)
    return rows
  }
  async unregister(name: string) {
    return this.rows.delete(name)
  }
}
