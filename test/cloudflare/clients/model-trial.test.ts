// What a provider's test says about each fault [N6], against servers on loopback.

import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, expect, test } from "vitest"
import { testProvider } from "../../../src/cloudflare/clients/model-trial.ts"
import type { ProviderAnswer, ProviderSettings } from "../../../src/ports/tenant/providers.ts"
import { NO_SECRETS } from "../../../src/core/secrets/redact.ts"

const KEY = "sk-CANARY-of-the-tenant"
let server: Server
let base = ""
let asked = ""

beforeAll(async () => {
  server = createServer((request, response) => {
    const status = Number(/^\/(\d{3})\//.exec(request.url ?? "")?.[1] ?? 200)
    if (status === 200) {
      response.writeHead(200, { "content-type": "text/event-stream" })
      const usage = { prompt_tokens: 20, completion_tokens: 9, total_tokens: 29 }
      const chunk = (delta: object, finish: string | null): string =>
        `data: ${JSON.stringify({ id: "1", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason: finish }], ...(finish === null ? {} : { usage }) })}\n\n`
      const said = request.url?.includes("/long/") ? "x".repeat(300) : request.url?.includes("/longer/") ? "y".repeat(2_001) : "ready"
      request.on("data", (piece: Buffer) => (asked += piece.toString()))
      response.end(`${chunk({ role: "assistant", content: said }, null)}${chunk({}, "stop")}data: [DONE]\n\n`)
      return
    }
    response.writeHead(status, { "content-type": "application/json", ...(status === 302 ? { location: "/200/v1" } : {}) })
    response.end(JSON.stringify({ error: { message: `no, ${request.headers.authorization}` } }))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => void server.close())

const ask = (settings: Partial<ProviderSettings>, environment = "local", question?: string): Promise<ProviderAnswer> =>
  testProvider(
    { ENVIRONMENT: environment } as Parameters<typeof testProvider>[0],
    { kind: "openai-compatible", apiKey: KEY, ...settings },
    { provider: "p", model: "m", redactor: NO_SECRETS, ...(question === undefined ? {} : { ask: question }) },
  )

test("[N6] a provider that answers is ok, with its host", async () => {
  const answer = await ask({ baseUrl: `${base}/200/v1` })
  expect(answer).toMatchObject({ ok: true, message: "ready", host: base.slice("http://".length) })
  expect(answer).not.toHaveProperty("status")
})

test("[N6] it asks for at most 256 tokens, and 200 characters of what is said are told", async () => {
  asked = ""
  const { message } = await ask({ baseUrl: `${base}/200/long/v1` })
  expect(message).toBe("x".repeat(200))
  expect(JSON.parse(asked)).toMatchObject({ max_tokens: 256 })
})

test("[N6] a question of one's own is asked, 2,000 characters of its answer and the tokens are told, and an echoed key is not", async () => {
  asked = ""
  const { message, usage } = await ask({ baseUrl: `${base}/200/long/v1`, apiKey: "xxxx" }, "local", "What is a sluice?")
  expect(JSON.parse(asked).messages.at(-1).content).toContain("What is a sluice?")
  expect(message).toBe("[key]".repeat(75))
  expect(usage).toEqual({ input: 20, output: 9 })
})

test("[N6] of an answer to one's own question the first 2,000 characters are told", async () => {
  const { message } = await ask({ baseUrl: `${base}/200/longer/v1` }, "local", "What is a sluice?")
  expect(message).toBe("y".repeat(2_000))
})

test.each([
  [401, "apiKey"],
  [403, "apiKey"],
  [404, "baseUrl"],
  [429, "quota"],
  [500, "try again later"],
  [400, "comes from the provider"],
] as const)("[N6] %i says what to do, and never shows the key", async (status, says) => {
  const answer = await ask({ baseUrl: `${base}/${status}/v1` })
  expect(answer).toMatchObject({ ok: false, status, message: expect.stringContaining(says) })
  expect(JSON.stringify(answer)).not.toContain("CANARY")
})

test("[N6] a server that is not there, and a redirect, are no answer", async () => {
  const lost = await ask({ baseUrl: "http://127.0.0.1:1/v1" })
  expect(lost).toMatchObject({ ok: false, host: "127.0.0.1:1", message: expect.stringContaining("baseUrl") })
  expect((await ask({ baseUrl: `${base}/302/v1` })).ok).toBe(false)
})

test("[N5] outside the local environment a private address is not called", async () => {
  const answer = await ask({ baseUrl: `${base}/200/v1` }, "production")
  expect(answer.ok).toBe(false)
  expect(answer.message).toContain("https")
})

test("[M2] a script answers without a server", async () => {
  const { host, ok } = await testProvider(
    { ENVIRONMENT: "local" } as Parameters<typeof testProvider>[0],
    { kind: "scripted", turns: { "*": [{ text: "hi" }] } },
    { provider: "p", model: "m", redactor: NO_SECRETS },
  )
  expect([host, ok]).toEqual([null, true])
})
