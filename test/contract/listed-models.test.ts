// What is read of each provider's list of models [N6], with a provider that answers what a test says.

import { expect, test } from "vitest"
import { NO_SECRETS } from "../../src/core/secrets/redact.ts"
import { listedModels } from "../../src/models/listed-models.ts"
import type { ProviderSettings } from "../../src/ports/tenant/providers.ts"

const KEY = "sk-CANARY-of-the-tenant"

async function list(settings: ProviderSettings, answer: unknown, status = 200) {
  const sent: { readonly url: string; readonly headers: Headers }[] = []
  const fetch = (async (url: string, init?: RequestInit) => {
    sent.push({ url, headers: new Headers(init?.headers) })
    expect(init?.redirect).toBe("manual")
    return new Response(typeof answer === "string" ? answer : JSON.stringify(answer), { status })
  }) as typeof globalThis.fetch
  const signal = new AbortController().signal
  return { sent, result: await listedModels(settings, { environment: "local", fetch }, { signal, redactor: NO_SECRETS }) }
}

test.each([
  ["openai", {}, "https://api.openai.com/v1/models", "authorization"],
  ["anthropic", {}, "https://api.anthropic.com/v1/models?limit=1000", "x-api-key"],
  ["google", {}, "https://generativelanguage.googleapis.com/v1beta/models?pageSize=1000", "x-goog-api-key"],
  ["openai-compatible", { baseUrl: "https://models.example/v1/" }, "https://models.example/v1/models", "authorization"],
] as const)("[N6] %s is asked at its own address, with its key in its own header", async (kind, more, url, header) => {
  const { sent } = await list({ kind, apiKey: KEY, ...more }, { data: [] })
  expect(sent.map((one) => one.url)).toEqual([url])
  expect(sent[0]?.headers.get(header)).toContain(KEY)
})

test("[N6] lists of each form are read, each model once, and models that do not converse are left out", async () => {
  const openai = await list({ kind: "openai", apiKey: KEY }, { data: [{ id: "a" }, { id: "b" }, { id: "a" }, { nothing: 1 }] })
  expect(openai.result).toEqual({ ok: true, value: { models: [{ id: "a" }, { id: "b" }], complete: true } })
  const anthropic = await list({ kind: "anthropic", apiKey: KEY }, { data: [{ id: "c", display_name: "See" }], has_more: true })
  expect(anthropic.result).toEqual({ ok: true, value: { models: [{ id: "c", name: "See" }], complete: false } })
  const google = await list(
    { kind: "google", apiKey: KEY },
    {
      models: [
        { name: "models/g", displayName: "Gee", supportedGenerationMethods: ["generateContent"] },
        { name: "models/embed", supportedGenerationMethods: ["embedContent"] },
      ],
    },
  )
  expect(google.result).toEqual({ ok: true, value: { models: [{ id: "g", name: "Gee" }], complete: true } })
})

test("[N6] a model whose id has over 200 characters is left out, and an answer of over 4 MiB is no list", async () => {
  const ids = ["m".repeat(200), "m".repeat(201)]
  const { result } = await list({ kind: "openai", apiKey: KEY }, { data: ids.map((id) => ({ id })) })
  expect(result).toEqual({ ok: true, value: { models: [{ id: ids[0] }], complete: true } })
  const padded = (bytes: number): string => JSON.stringify({ data: [{ id: "a" }] }) + " ".repeat(bytes)
  expect((await list({ kind: "openai", apiKey: KEY }, padded(1024))).result.ok).toBe(true)
  expect((await list({ kind: "openai", apiKey: KEY }, padded(4 * 1024 * 1024))).result.ok).toBe(false)
})

test("[N6] at most 1,000 are told, and the answer says that there are more", async () => {
  const { result } = await list({ kind: "openai", apiKey: KEY }, { data: Array.from({ length: 1_200 }, (_, i) => ({ id: `m${i}` })) })
  expect(result.ok && [result.value.models.length, result.value.complete]).toEqual([1_000, false])
})

test("[T32] a provider that gives the key back as a model shows it to nobody", async () => {
  const data = [{ id: KEY }, { id: "a", display_name: `Model ${KEY}` }, { id: "b" }]
  const { result } = await list({ kind: "openai", apiKey: KEY }, { data })
  expect(result).toEqual({ ok: true, value: { models: [{ id: "b" }], complete: true } })
})

test.each([
  [401, `{"error":{"message":"bad key ${KEY}"}}`],
  [200, "<html>sign in</html>"],
  [200, `{"object":"error"}`],
] as const)("[N6] %i without a list says why, without the key", async (status, body) => {
  const { result } = await list({ kind: "openai", apiKey: KEY }, body, status)
  expect(result.ok).toBe(false)
  expect(JSON.stringify(result)).not.toContain("CANARY")
})

test("[N6] a script's models are its turns; a server without a key gets no empty header", async () => {
  const { sent, result } = await list({ kind: "scripted", turns: { small: [{ text: "a" }], "*": [{ text: "b" }] } }, {})
  expect([sent, result]).toEqual([[], { ok: true, value: { models: [{ id: "small" }], complete: true } }])
  const keyless = await list({ kind: "openai-compatible", baseUrl: "https://models.example/v1" }, { data: [] })
  expect(keyless.sent[0]?.headers.has("authorization")).toBe(false)
})
