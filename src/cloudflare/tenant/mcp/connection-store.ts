// Stores the connections of a tenant's MCP servers [T27, T32]. A row is encrypted as a whole, except for its public part.

import { defined } from "../../../core/defined.ts"
import type { Connection, ConnectionStore } from "../../../engine/net/mcp-connections.ts"
import { secretsOf } from "../../../engine/net/mcp-connections.ts"
import { connectionScope } from "../../../core/tool/mcp-tool.ts"
import { isoTime } from "../../../core/text/iso-time.ts"
import type { ConnectionShown } from "../../../ports/tenant/mcp-connections.ts"
import { forgetSecrets } from "../../platform/secret-cache.ts"
import type { Vault } from "../../platform/vault.ts"
import { SealedValues } from "../secrets/sealed-values.ts"
import { rulesChanged } from "../settings/policy-store.ts"
import type { TenantSql } from "../tenant-sql.ts"

type Row = { name: string; sealed: ArrayBuffer }

export class ConnectionSql implements ConnectionStore {
  readonly #sql: TenantSql
  readonly #values: SealedValues
  readonly #tenant: string

  constructor(sql: TenantSql, vault: Vault, tenant: string) {
    this.#sql = sql
    this.#values = new SealedValues(vault, "connection", tenant)
    this.#tenant = tenant
  }

  shown(name: string): ConnectionShown | undefined {
    const [row] = this.#sql.read<{ shown: string }>("SELECT shown FROM mcp_connection WHERE name = ?", name)
    // `put` wrote it.
    return row && (JSON.parse(row.shown) as ConnectionShown)
  }

  /** The scopes that calls of these servers' tools need. */
  scopes(): readonly string[] {
    return this.#sql
      .read<{ name: string }>("SELECT name FROM mcp_connection WHERE json_extract(shown, '$.status') <> 'needed' ORDER BY name")
      .map(({ name }) => connectionScope(name))
  }

  async open(name: string): Promise<Connection | undefined> {
    const [row] = this.#sql.read<Row>("SELECT name, sealed FROM mcp_connection WHERE name = ?", name)
    return row && (JSON.parse(await this.#values.open(name, row.sealed)) as Connection)
  }

  /** Scope → what must not be shown. */
  async secrets(): Promise<Record<string, readonly string[]>> {
    const opened = await this.#values.openAll(this.#sql.read<Row>("SELECT name, sealed FROM mcp_connection ORDER BY name"))
    return Object.fromEntries(Array.from(opened, ([name, text]) => [connectionScope(name), secretsOf(JSON.parse(text) as Connection)]))
  }

  async put(name: string, connection: Connection): Promise<void> {
    const { status, since, authority, tokens } = connection
    const scope = tokens?.scope ?? authority?.scope
    const shown: ConnectionShown = { status, ...defined({ issuer: authority?.issuer, scope, since: isoTime(since) }) }
    const sealed = await this.#values.seal(name, JSON.stringify(connection))
    const isOther = (this.shown(name)?.status ?? "needed") !== status
    this.#sql.write((sql) => {
      if (isOther) rulesChanged(sql)
      sql.exec("INSERT OR REPLACE INTO mcp_connection (name, shown, sealed) VALUES (?, ?, ?)", name, JSON.stringify(shown), sealed)
    })
    forgetSecrets(this.#tenant)
  }

  remove(name: string): void {
    if (this.shown(name) === undefined) return
    this.#sql.write((sql) => {
      rulesChanged(sql)
      sql.exec("DELETE FROM mcp_connection WHERE name = ?", name)
    })
    forgetSecrets(this.#tenant)
  }
}
