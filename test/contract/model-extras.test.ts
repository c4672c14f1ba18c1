// What a provider's own headers and options, and an agent's sampling fields, add to the outgoing request [N6] [F50].

import { afterAll, describe, expect, test } from "vitest"
import { providerModel } from "../../src/models/providers.ts"
import type { ModelRequest } from "../../src/ports/model.ts"
import type { ProviderSettings } from "../../src/ports/tenant/providers.ts"
import { heard, request } from "./model.ts"
import { startModelServer } from "./model-server.ts"

const server = await startModelServer()
afterAll(() => server.close())

async function sent(settings: Partial<ProviderSettings> & Pick<ProviderSettings, "kind">, more: Partial<ModelRequest> = {}) {
  const made = providerModel({ baseUrl: `${server.url}/v1`, apiKey: "test-key", ...settings }, "m", { environment: "local" })
  if (!made.ok) throw new Error(made.error.message)
  server.say({ text: "fine" })
  expect((await heard(made.value, request(more))).final.stopReason).toBe("stop")
  const asked = server.asked[0]
  if (!asked) throw new Error("the server was not asked")
  return asked
}

const KINDS = ["openai-compatible", "openai", "anthropic"] as const

describe.each(KINDS)("%s", (kind) => {
  test("[N6] headers and options are in the request, and its own members come first", async () => {
    const plain = await sent({ kind })
    const { headers, body } = await sent({
      kind,
      headers: { "x-team": "blue", accept: "text/none" },
      options: { metadata: { user_id: "u1" }, custom: [1, { a: null }] },
    })
    expect(headers["x-team"]).toBe("blue")
    expect(body).toEqual({ ...plain.body, metadata: { user_id: "u1" }, custom: [1, { a: null }] })
  })

  test("[N6] stored settings that would change what is asked change nothing", async () => {
    const plain = await sent({ kind })
    const { headers, body } = await sent(
      {
        kind,
        headers: { authorization: "Bearer other", "x-api-key": "other", host: "evil.example" },
        options: { model: "other", messages: [], tools: [], stream: false, max_tokens: 1, n: 9, temperature: 2 },
      },
      { temperature: 0.5 },
    )
    expect(JSON.stringify(headers)).not.toContain("other")
    expect(body).toEqual({ ...plain.body, temperature: 0.5 })
  })

  test("[F50] top_p, seed and stop are sent where the API has them", async () => {
    const { body } = await sent({ kind }, { topP: 0.9, seed: 7, stop: ["END", ","] })
    expect(body).toMatchObject(
      kind === "anthropic" ? { top_p: 0.9, stop_sequences: ["END", ","] } : { top_p: 0.9, seed: 7, stop: ["END", ","] },
    )
  })
})

test("[M2] an openai provider at a baseUrl speaks Responses when its api says so", async () => {
  const bodies: unknown[] = []
  const urls: string[] = []
  const fetch: typeof globalThis.fetch = async (input, init) => {
    urls.push(String(input instanceof Request ? input.url : input))
    bodies.push(JSON.parse(String(init?.body)))
    return new Response("{}", { status: 400 })
  }
  for (const api of ["responses", "chat"] as const) {
    const made = providerModel({ kind: "openai", api, baseUrl: "https://gateway.example/v1", apiKey: "test-key" }, "m", {
      environment: "local",
      fetch,
    })
    if (!made.ok) throw new Error(made.error.message)
    await heard(made.value, request())
  }
  expect(urls).toEqual(["https://gateway.example/v1/responses", "https://gateway.example/v1/chat/completions"])
  expect(bodies[0]).toMatchObject({ model: "m", store: false, input: expect.anything() })
})
