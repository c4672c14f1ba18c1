// The contract of model.ts, run for every adapter [M2].

import { turnsFor } from "./model-turns.ts"
import { modelContract } from "./model.ts"
import { startModelServer } from "./model-server.ts"
import { parseRehearsal } from "../../src/core/case/rehearsal.ts"
import { providerModel } from "../../src/models/providers.ts"
import { rehearsalModel } from "../../src/models/rehearsed/rehearsal.ts"
import type { ProviderSettings } from "../../src/ports/tenant/providers.ts"

const KEY = "test/key+with=signs-0123456789"

async function overHttp(settings: (url: string) => ProviderSettings, api: { readonly jsonOnly?: true } = {}) {
  const server = await startModelServer()
  const made = providerModel(settings(server.url), "m", { environment: "local" })
  if (!made.ok) throw new Error(made.error.message)
  return {
    play: (turn: Parameters<typeof server.say>[0]) => {
      server.say(turn)
      return made.value
    },
    close: () => server.close(),
    network: { key: KEY, lastAsked: () => server.asked.at(-1)?.left, ...api },
  }
}

modelContract("rehearsal", async () => ({
  play: (turn) => {
    const { rehearsal } = parseRehearsal(JSON.stringify({ steps: { draft: turnsFor(turn) } }))
    if (!rehearsal) throw new Error("the rehearsal does not parse")
    return rehearsalModel(rehearsal)
  },
}))

modelContract("scripted", async () => ({
  play: (turn) => {
    const made = providerModel({ kind: "scripted", turns: { m: turnsFor(turn) } }, "m", { environment: "local" })
    if (!made.ok) throw new Error(made.error.message)
    return made.value
  },
}))

modelContract("openai-compatible", () => overHttp((url) => ({ kind: "openai-compatible", baseUrl: `${url}/v1`, apiKey: KEY })))
modelContract("openai behind a base URL", () => overHttp((url) => ({ kind: "openai", baseUrl: `${url}/v1`, apiKey: KEY })))
modelContract("anthropic", () => overHttp((url) => ({ kind: "anthropic", baseUrl: `${url}/v1`, apiKey: KEY })))
modelContract("google", () => overHttp((url) => ({ kind: "google", baseUrl: `${url}/v1beta`, apiKey: KEY }), { jsonOnly: true }))
