import { expect, test } from "vitest"
import { cachedProvider, forgetProvider } from "../../../src/cloudflare/clients/cache/provider-cache.ts"
import { MOMENT_MS } from "../../../src/cloudflare/platform/recent-answers.ts"
import type { ProviderSettings } from "../../../src/ports/tenant/providers.ts"

test("[N6] provider settings are read once in 5 s per tenant, and a missing provider is read every time", async () => {
  let now = 0
  const asked: string[] = []
  const stored = new Map<string, ProviderSettings>([["a", { kind: "openai", apiKey: "one" }]])
  const port = (tenant: string): ((name: string) => Promise<ProviderSettings | undefined>) =>
    cachedProvider(
      tenant,
      async (name) => (asked.push(`${tenant}/${name}`), stored.get(name)),
      () => now,
    )
  expect(await port("t")("a")).toEqual({ kind: "openai", apiKey: "one" })
  stored.set("a", { kind: "openai", apiKey: "two" })
  expect((await port("t")("a"))?.apiKey).toBe("one")
  expect((await port("u")("a"))?.apiKey).toBe("two")
  now = MOMENT_MS
  expect((await port("t")("a"))?.apiKey).toBe("two")
  await port("t")("none")
  await port("t")("none")
  expect(asked).toEqual(["t/a", "u/a", "t/a", "t/none", "t/none"])
})

test("[N6] changed settings are read again, and settings changed during a read are not cached", async () => {
  let key = "one"
  let asking = Promise.resolve()
  const port = cachedProvider(
    "changed",
    async () => {
      const settings: ProviderSettings = { kind: "openai", apiKey: key }
      await asking
      return settings
    },
    () => 0,
  )
  expect((await port("a"))?.apiKey).toBe("one")
  key = "two"
  forgetProvider("changed", "a")
  const gate = Promise.withResolvers<void>()
  asking = gate.promise
  const early = port("a")
  key = "three"
  forgetProvider("changed", "a")
  gate.resolve()
  expect((await early)?.apiKey).toBe("two")
  expect((await port("a"))?.apiKey).toBe("three")
})
