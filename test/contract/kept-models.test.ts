// Models are made once for the settings of a provider, and not for each call [M2].

import { expect, test } from "vitest"
import { keptModel } from "../../src/models/kept-models.ts"
import { providerModel } from "../../src/models/providers.ts"
import type { Model } from "../../src/ports/model.ts"
import type { ProviderSettings } from "../../src/ports/tenant/providers.ts"
import { err, ok } from "../../src/core/result.ts"
import { refusal } from "../../src/models/reply/failure.ts"

const settings = (): ProviderSettings => ({
  kind: "openai-compatible",
  baseUrl: "https://api.example.com/v1",
  apiKey: "test-key-0123456789",
})
const model: Model = { reply: () => (async function* () {})() }

function modelOf(of: ProviderSettings, id: string, fetch?: typeof globalThis.fetch): Model {
  const made = providerModel(of, id, { environment: "production", ...(fetch ? { fetch } : {}) })
  if (!made.ok) throw new Error(made.error.message)
  return made.value
}

test("[M2] the same settings have one model for each id, and changed settings another", () => {
  const first = settings()
  expect(modelOf(first, "a")).toBe(modelOf(first, "a"))
  expect(modelOf(first, "a")).not.toBe(modelOf(first, "b"))
  expect(modelOf(first, "a")).not.toBe(modelOf(settings(), "a"))
  expect(modelOf(first, "a")).not.toBe(modelOf(first, "a", () => Promise.reject(new Error("another way out"))))
})

test("[M2] settings are checked once in each environment", () => {
  const local: ProviderSettings = { kind: "openai-compatible", baseUrl: "http://127.0.0.1:9/v1" }
  expect(providerModel(local, "a", { environment: "local" }).ok).toBe(true)
  expect(providerModel(local, "a", { environment: "production" }).ok).toBe(false)
})

test("[M2] as many models as agents name are made, and no more than a few are kept", () => {
  const of = settings()
  let made = 0
  const get = (id: string) =>
    keptModel(of, id, {}, () => {
      made++
      return id === "none" ? err(refusal("no such model")) : ok(model)
    })
  for (let n = 0; n < 100; n++) expect(get(`m${n}`).ok).toBe(true)
  expect(made).toBe(100)
  expect(get("m99").ok).toBe(true)
  expect(made).toBe(100)
  expect(get("m0").ok).toBe(true)
  expect(made).toBe(101)
  expect(get("none").ok).toBe(false)
})
