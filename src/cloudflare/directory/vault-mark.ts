// Stores a text that was sealed when the instance began: if it opens, so does everything else in the vault. If it does not, the VAULT_KEY
// has changed, which would otherwise show only as a failed model call.

import type { Vault } from "../platform/vault.ts"

const TABLE = "CREATE TABLE IF NOT EXISTS vault_mark (n INTEGER PRIMARY KEY CHECK (n = 1), sealed BLOB NOT NULL)"
const PLACE = "the instance's mark"

export class VaultMark {
  readonly #sql: SqlStorage
  readonly #vault: Vault

  constructor(sql: SqlStorage, vault: Vault) {
    this.#sql = sql
    this.#vault = vault
    sql.exec(TABLE)
  }

  /** Without a VAULT_KEY nothing is sealed, so nothing is closed. */
  async holds(): Promise<boolean> {
    const [row] = this.#sql.exec<{ sealed: ArrayBuffer }>("SELECT sealed FROM vault_mark").toArray()
    try {
      if (row === undefined) await this.renew()
      else await this.#vault.open(row.sealed, PLACE)
      return true
    } catch (error) {
      if (!(error instanceof Error)) throw error
      if (error.name === "VaultError") return true
      if (error.name === "VaultChangedError") return false
      throw error
    }
  }

  /** From now on the present key counts. */
  async renew(): Promise<void> {
    this.#sql.exec("INSERT OR REPLACE INTO vault_mark VALUES (1, ?)", await this.#vault.seal(PLACE, PLACE))
  }
}
