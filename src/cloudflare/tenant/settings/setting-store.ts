// Stores the settings that are stored as sent (src/api/stored.ts). A setting is one row, whose `item` is empty; a collection has a row for
// each of its items.

import { COLLECTIONS, SETTINGS } from "../../../api/settings.ts"
import type { CollectionName, Item, SettingName, SettingValue } from "../../../ports/tenant/settings.ts"
import type { TenantSql } from "../tenant-sql.ts"

type Row = { body: string }

export class SettingStore {
  readonly #sql: TenantSql
  readonly #now: () => number
  /** What was read since the last write, because every report of a run asks. */
  #read: { readonly version: number; readonly bodies: Map<string, string | undefined> } | undefined

  constructor(sql: TenantSql, now: () => number) {
    this.#sql = sql
    this.#now = now
  }

  get<Name extends SettingName>(name: Name): SettingValue<Name> {
    const body = this.#body(name, "")
    return body === undefined ? (SETTINGS[name].otherwise as SettingValue<Name>) : JSON.parse(body)
  }

  /** Its members in the order of their names. */
  put<Name extends SettingName>(name: Name, value: SettingValue<Name>): void {
    this.#write(name, "", Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))))
  }

  items<Name extends CollectionName>(list: Name): readonly Item<Name>[] {
    const rows = this.#sql.read<Row>("SELECT body FROM stored_setting WHERE setting = ? ORDER BY item", list)
    return rows.map(({ body }) => JSON.parse(body))
  }

  item<Name extends CollectionName>(list: Name, name: string): Item<Name> | undefined {
    const body = this.#body(list, name)
    return body === undefined ? undefined : JSON.parse(body)
  }

  putItem<Name extends CollectionName>(list: Name, item: Item<Name>): "created" | "replaced" | "full" {
    const exists = this.#body(list, item.name) !== undefined
    const [row] = this.#sql.read<{ n: number }>("SELECT count(*) AS n FROM stored_setting WHERE setting = ?", list)
    if (!exists && (row?.n ?? 0) >= COLLECTIONS[list].most) return "full"
    this.#write(list, item.name, item)
    return exists ? "replaced" : "created"
  }

  removeItem(list: CollectionName, name: string): boolean {
    if (this.#body(list, name) === undefined) return false
    this.#sql.write((sql) => void sql.exec("DELETE FROM stored_setting WHERE setting = ? AND item = ?", list, name))
    return true
  }

  /** Needs no check: it was checked before it was written. */
  #body(setting: string, item: string): string | undefined {
    if (item !== "") return this.#bodyOf(setting, item)
    const { version } = this.#sql
    if (this.#read?.version !== version) this.#read = { version, bodies: new Map() }
    const { bodies } = this.#read
    if (!bodies.has(setting)) bodies.set(setting, this.#bodyOf(setting, item))
    return bodies.get(setting)
  }

  #bodyOf(setting: string, item: string): string | undefined {
    return this.#sql.read<Row>("SELECT body FROM stored_setting WHERE setting = ? AND item = ?", setting, item)[0]?.body
  }

  #write(setting: string, item: string, value: unknown): void {
    this.#sql.write((sql) => {
      sql.exec(
        "INSERT OR REPLACE INTO stored_setting (setting, item, body, at) VALUES (?, ?, ?, ?)",
        setting,
        item,
        JSON.stringify(value),
        this.#now(),
      )
    })
  }
}
