// Stores a tenant's model providers [N6], and the settings for choosing models. The API key is encrypted in a separate column, never in the
// settings. `list` shows only whether there is a key; `open` is only for the run's object.

import { PROVIDER_KINDS, type ProviderFile } from "../../../core/project/provider-body.ts"
import { isObject } from "../../../core/json.ts"
import type { JsonObject } from "../../../core/json.ts"
import { defined } from "../../../core/defined.ts"
import { priceBook, type PriceBook } from "../../../core/money/prices.ts"
import { providerNameFault, type ModelSettings } from "../../../engine/catalog/pin/model-choice.ts"
import type { ProviderSettings } from "../../../ports/tenant/providers.ts"
import { SealedValues } from "../secrets/sealed-values.ts"
import type { SecretStore } from "../secrets/secret-store.ts"
import type { SettingStore } from "./setting-store.ts"
import type { TenantSql } from "../tenant-sql.ts"
import type { Vault } from "../../platform/vault.ts"

/** [R35] What both take for a call in a batch. */
const SHARE = 0.5

type Row = { name: string; settings: string; key: ArrayBuffer | null }

export class ProviderStore {
  readonly #sql: TenantSql
  readonly #keys: SealedValues
  readonly #settings: SettingStore
  readonly #local: boolean
  readonly #secrets: Pick<SecretStore, "all" | "scopes">

  /** `secrets`: those of the vault, for keys that are there. */
  constructor(
    sql: TenantSql,
    settings: SettingStore,
    vault: Vault,
    { tenant, local, secrets }: { readonly tenant: string; readonly local: boolean; readonly secrets: Pick<SecretStore, "all" | "scopes"> },
  ) {
    this.#sql = sql
    this.#secrets = secrets
    this.#settings = settings
    this.#local = local
    this.#keys = new SealedValues(vault, "provider", tenant)
  }

  names(): readonly string[] {
    return this.#sql.read<{ name: string }>("SELECT name FROM provider ORDER BY name").map((row) => row.name)
  }

  /** The settings that models are chosen by. */
  models(): ModelSettings {
    const rows = this.#sql.read<{ name: string; kind: string | null; base: string | null }>(
      "SELECT name, settings ->> 'kind' AS kind, settings ->> 'baseUrl' AS base FROM provider ORDER BY name",
    )
    const batches = rows.flatMap(({ name, kind, base }): [string, number | "at once"][] => {
      if (kind === "scripted") return [[name, "at once"]]
      return kind === "anthropic" || kind === "openai" ? [[name, base === null ? SHARE : 1]] : []
    })
    return {
      providers: rows.map(({ name }) => name),
      roles: this.#settings.get("roles"),
      batches: Object.fromEntries(batches),
      ...(this.#local ? {} : { needsProvider: true }),
    }
  }

  list(): Record<string, JsonObject> {
    const rows = this.#sql.read<Row>("SELECT name, settings, key FROM provider ORDER BY name")
    const scopes = new Set(this.#secrets.scopes())
    return Object.fromEntries(
      rows.map((row): [string, JsonObject] => {
        const settings = settingsOf(jsonObject(row.settings), row.name)
        return [row.name, { ...jsonObject(row.settings), apiKey: row.key !== null || scopes.has(settings.key?.secret ?? "") }]
      }),
    )
  }

  /** Whether it has a key that was sent with a request. */
  hasKey(name: string): boolean {
    return this.#sql.read("SELECT 1 FROM provider WHERE name = ? AND key IS NOT NULL", name).length > 0
  }

  /** Replaces all settings of the provider, so settings without a key delete the key. Throws if the name is invalid or the key cannot be sealed. */
  async put(name: string, { apiKey, ...settings }: ProviderSettings): Promise<void> {
    const fault = providerNameFault(name)
    if (fault !== undefined) throw new Error(fault)
    const key = apiKey === undefined ? null : await this.#keys.seal(name, apiKey)
    this.#put(name, settings, key)
  }

  /** [F79] As a file has it: without a key. */
  place(name: string, settings: ProviderFile): void {
    this.#put(name, settings, null)
  }

  #put(name: string, settings: object, key: ArrayBuffer | null): void {
    this.#sql.write((sql) => {
      sql.exec(
        "INSERT OR REPLACE INTO provider (name, settings, key, at) VALUES (?, ?, ?, ?)",
        name,
        JSON.stringify(settings),
        key,
        Date.now(),
      )
    })
  }

  remove(name: string): boolean {
    if (!this.names().includes(name)) return false
    this.#sql.write((sql) => void sql.exec("DELETE FROM provider WHERE name = ?", name))
    return true
  }

  async open(name: string): Promise<ProviderSettings | undefined> {
    const [row] = this.#sql.read<Row>("SELECT name, settings, key FROM provider WHERE name = ?", name)
    if (!row) return undefined
    const settings = settingsOf(jsonObject(row.settings), name)
    if (row.key !== null) return { ...settings, apiKey: await this.#keys.open(name, row.key) }
    if (settings.key === undefined) return settings
    const [apiKey] = await this.#secrets.all(settings.key.secret)
    return { ...settings, ...defined({ apiKey }) }
  }

  /** Every key that can be opened, for the redactor [T32]. A key sealed under another VAULT_KEY cannot leak, because no code can open it. */
  async keys(): Promise<Record<string, string>> {
    const rows = this.#sql.read<{ name: string; sealed: ArrayBuffer }>(
      "SELECT name, key AS sealed FROM provider WHERE key IS NOT NULL ORDER BY name",
    )
    return Object.fromEntries(await this.#keys.openAll(rows))
  }

  /** [B3] The price of each model as it is now: the tenant's own, or the list price of what its provider's kind sells. */
  prices(): PriceBook {
    return priceBook(...this.priced())
  }

  /** What the prices follow from. */
  priced(): Parameters<typeof priceBook> {
    const rows = this.#sql.read<{ name: string; kind: string | null }>(
      "SELECT name, settings ->> 'kind' AS kind FROM provider ORDER BY name",
    )
    return [this.#settings.get("prices"), Object.fromEntries(rows.map(({ name, kind }) => [name, kind ?? ""]))]
  }
}

function jsonObject(text: string): JsonObject {
  const value: unknown = JSON.parse(text)
  return isObject(value) ? (value as JsonObject) : {}
}

/** As they were checked when they were written: a row has what was put, and nothing else. */
function settingsOf(row: JsonObject, name: string): ProviderSettings {
  const kind = PROVIDER_KINDS.find((k) => k === row["kind"])
  if (kind === undefined) throw new Error(`the provider "${name}" has a kind that this version does not support`)
  return { ...(row as Omit<ProviderSettings, "kind">), kind }
}
