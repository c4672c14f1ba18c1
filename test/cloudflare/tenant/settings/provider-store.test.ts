// [N6] What is put of a provider is what its models get, whatever members the settings have.

import { expect, test } from "vitest"
import { ProviderBody } from "../../../../src/api/settings.ts"
import { ProviderStore } from "../../../../src/cloudflare/tenant/settings/provider-store.ts"
import { SecretStore } from "../../../../src/cloudflare/tenant/secrets/secret-store.ts"
import { SettingStore } from "../../../../src/cloudflare/tenant/settings/setting-store.ts"
import { TenantSql } from "../../../../src/cloudflare/tenant/tenant-sql.ts"
import { Vault } from "../../../../src/cloudflare/platform/vault.ts"
import type { ProviderSettings } from "../../../../src/ports/tenant/providers.ts"
import { sqliteStorage } from "../../../support/cloudflare/sqlite-storage.ts"

/** Each member that a body may have. */
const WHOLE: Required<ProviderSettings> = {
  kind: "openai",
  baseUrl: "https://models.example.com/v1",
  apiKey: "key-of-the-provider",
  key: { secret: "models" },
  api: "responses",
  headers: { "x-team": "blue" },
  options: { metadata: { a: [1, null] } },
  silenceSeconds: 20,
  turns: { "*": [{ text: "hi" }] },
}

test("[N6] [M1] every member of a provider's settings comes back, the silence it may keep too", async () => {
  const sql = new TenantSql(sqliteStorage())
  const vault = new Vault({ ENVIRONMENT: "local" })
  const secrets = new SecretStore(sql, vault, "t")
  const store = new ProviderStore(sql, new SettingStore(sql, Date.now), vault, { tenant: "t", local: true, secrets })
  expect(Object.keys(ProviderBody.shape).toSorted()).toEqual(Object.keys(WHOLE).toSorted())
  await store.put("p", WHOLE)
  expect(await store.open("p")).toEqual(WHOLE)
  await store.put("p", { kind: "workers-ai" })
  expect(await store.open("p")).toEqual({ kind: "workers-ai" })
})

test("[N6] [F79] a provider's key can be a scope of the vault: its newest value, and none without the scope", async () => {
  const sql = new TenantSql(sqliteStorage())
  const vault = new Vault({ ENVIRONMENT: "local" })
  const secrets = new SecretStore(sql, vault, "t")
  const store = new ProviderStore(sql, new SettingStore(sql, Date.now), vault, { tenant: "t", local: true, secrets })
  store.place("p", { kind: "openai", key: { secret: "models" } })
  expect(await store.open("p")).toEqual({ kind: "openai", key: { secret: "models" } })
  expect(store.list()["p"]).toMatchObject({ apiKey: false })
  await secrets.put("models", ["new-key-1", "old-key-1"])
  expect(await store.open("p")).toEqual({ kind: "openai", key: { secret: "models" }, apiKey: "new-key-1" })
  expect(store.list()["p"]).toEqual({ kind: "openai", key: { secret: "models" }, apiKey: true })
  expect(store.hasKey("p")).toBe(false)
})
