// Which model a reference resolves to, and which settings are refused.

import { describe, expect, test, vi } from "vitest"
import { chooseModel, type ChooseDeps } from "../../src/models/choose.ts"
import { checkBaseUrl } from "../../src/models/base-url.ts"
import { checkProvider } from "../../src/models/providers.ts"
import type { ProviderSettings } from "../../src/ports/tenant/providers.ts"
import { heard, place, request } from "./model.ts"

const deps = (providers: Record<string, ProviderSettings> = {}, environment = "local"): ChooseDeps => ({
  provider: async (name) => providers[name],
  rehearsal: undefined,
  environment,
})

describe("chooseModel", () => {
  test("[F52] provider/model:thinking is split into its three parts", async () => {
    const chosen = await chooseModel(
      "ours/big/model:8b:high",
      deps({ ours: { kind: "openai-compatible", baseUrl: "https://models.example/v1" } }),
    )
    expect(chosen).toMatchObject({ id: "big/model:8b", thinking: "high" })
  })

  test("[M3] rehearsal needs no settings, and a tenant's provider of that name does not replace it", async () => {
    const provider = vi.fn(async (): Promise<ProviderSettings> => ({ kind: "openai-compatible", baseUrl: "https://models.example/v1" }))
    const chosen = await chooseModel("rehearsal/any", { ...deps(), provider })
    if ("error" in chosen) throw new Error(chosen.error.message)
    expect((await heard(chosen.model)).final.toolCalls[0]?.name).toBe("finish")
    expect(provider).not.toHaveBeenCalled()
  })

  test.each([
    ["nowhere/m", "PUT /v1/settings/providers/nowhere"],
    ["@coding", "settings/roles"],
    ["lonely", "provider/model"],
    ["keyless/m", "apiKey"],
    ["script/other", 'no script for model "other"'],
  ])("[M2] %s is a final error that says what to do", async (ref, says) => {
    const chosen = await chooseModel(
      ref,
      deps({ keyless: { kind: "anthropic" }, script: { kind: "scripted", turns: { m: [{ text: "hi" }] } } }),
    )
    expect(chosen).toMatchObject({ error: { retryable: false, message: expect.stringContaining(says) } })
  })

  test("[F33] settings that cannot be read right now are retryable", async () => {
    const provider = async (): Promise<never> => Promise.reject(new Error("the object has moved"))
    expect(await chooseModel("p/m", { ...deps(), provider })).toMatchObject({
      error: { retryable: true, message: expect.stringContaining("has moved") },
    })
  })

  test("[M2] keys in the environment are not used: without a key a provider is refused, and a server of one's own gets none", async () => {
    vi.stubEnv("ANTHROPIC_API_KEY", "sk-operator")
    vi.stubEnv("OPENAI_API_KEY", "sk-operator")
    for (const kind of ["anthropic", "openai"] as const) {
      expect(await chooseModel("p/m", deps({ p: { kind } }))).toHaveProperty("error")
      const sent: RequestInit[] = []
      const fetch: typeof globalThis.fetch = async (_, init = {}) => {
        sent.push(init)
        return new Response("{}", { status: 400 })
      }
      const chosen = await chooseModel("p/m", { ...deps({ p: { kind, baseUrl: "https://models.example" } }), fetch })
      if ("error" in chosen) throw new Error(chosen.error.message)
      await heard(chosen.model)
      expect(sent).toHaveLength(1)
      const headers = [...new Headers(sent[0]?.headers)]
      expect(JSON.stringify(headers)).not.toContain("sk-operator")
      expect(headers.map(([name]) => name).filter((name) => name === "authorization" || name === "x-api-key")).toEqual([])
    }
    vi.unstubAllEnvs()
  })
})

describe("scripted", () => {
  const turns = {
    m: [{ error: { status: 503 } }, { calls: [{ tool: "read" }] }, { finish: { status: "complete" } }, { finish: { status: "error" } }],
  }
  const said = async (more: Partial<typeof place>) => {
    const chosen = await chooseModel("s/m", deps({ s: { kind: "scripted", turns } }))
    if ("error" in chosen) throw new Error(chosen.error.message)
    const { final } = await heard(chosen.model, request({ place: { ...place, ...more } }))
    return final.error?.status ?? final.toolCalls.map((call) => `${call.name} ${call.args}`).join()
  }

  test("[M2] the turn depends only on the place", async () => {
    expect(await said({ turn: 0, failures: 0 })).toBe(503)
    expect(await said({ turn: 0, failures: 1 })).toBe("read {}")
    expect(await said({ turn: 1, failures: 1 })).toBe('finish {"status":"complete"}')
    expect(await said({ turn: 0, failures: 0 })).toBe(503)
  })

  test("[M2] each pass has its group; the last group repeats, and so does a group's last turn", async () => {
    expect(await said({ pass: 2 })).toBe('finish {"status":"error"}')
    expect(await said({ pass: 9 })).toBe('finish {"status":"error"}')
    expect(await said({ turn: 7 })).toBe('finish {"status":"complete"}')
  })
})

describe("settings", () => {
  test.each([
    ["https://api.example.com/v1", "production", true],
    ["https://gateway.example.com/v1/account/gateway/openai", "production", true],
    ["http://api.example.com/v1", "production", false],
    ["http://127.0.0.1:4000/v1", "production", false],
    ["https://127.0.0.1/v1", "production", false],
    ["https://0x7f000001/v1", "production", false],
    ["https://2130706433/v1", "production", false],
    ["https://[::ffff:7f00:1]/v1", "production", false],
    ["https://10.0.0.8/v1", "production", false],
    ["https://169.254.169.254/v1", "production", false],
    ["https://localhost/v1", "production", false],
    ["https://models.localhost./v1", "production", false],
    ["https://metadata.google.internal/v1", "production", false],
    ["https://key:secret@api.example.com/v1", "production", false],
    ["https://api.example.com/v1?key=1", "production", false],
    ["ftp://api.example.com", "production", false],
    ["api.example.com/v1", "production", false],
    ["http://127.0.0.1:4000/v1", "local", true],
    ["http://localhost:11434/v1", "local", true],
    ["http://[::1]:8080/v1", "local", true],
    ["http://192.168.1.20:8080/v1", "local", true],
    ["http://172.31.0.2/v1", "local", true],
    ["http://172.32.0.2/v1", "local", false],
    ["http://169.254.169.254/v1", "local", false],
    ["http://api.example.com/v1", "local", false],
    ["https://api.example.com/v1", "local", true],
  ])("[N5] baseUrl %s in %s: valid is %s", (url, environment, fine) => {
    expect(checkBaseUrl(url, environment) === undefined).toBe(fine)
  })

  test("[N6] invalid settings are refused with what is missing", () => {
    expect(checkProvider({ kind: "openai-compatible" }, "production")).toContain("baseUrl")
    expect(checkProvider({ kind: "openai" }, "production")).toContain("apiKey")
    expect(checkProvider({ kind: "anthropic", apiKey: "secret\n" }, "production")).toContain("apiKey")
    expect(checkProvider({ kind: "anthropic", apiKey: "secret\n" }, "production")).not.toContain("secret")
    expect(checkProvider({ kind: "scripted" }, "production")).toContain("turns")
    expect(checkProvider({ kind: "scripted", turns: { m: [{ finsh: {} }] } }, "production")).toContain('did you mean "finish"')
    expect(checkProvider({ kind: "anthropic", apiKey: "secret" }, "production")).toBeUndefined()
    expect(checkProvider({ kind: "workers-ai" }, "production")).toBeUndefined()
  })
})
