// [M1] Sixteen faults of a provider, as another project's mock server plays them, on four wires. Whatever comes: one final message, a
// status that says whether to try again, no key in what is reported, and the next call works.

import { LLMock } from "@copilotkit/aimock"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { providerModel } from "../../src/models/providers.ts"
import type { FinalMessage, Model } from "../../src/ports/model.ts"
import type { ProviderSettings } from "../../src/ports/tenant/providers.ts"
import { heard, request } from "./model.ts"

const KEY = "key-that-must-not-appear-0123456789"
const TEXT = "The parcel left Oslo on Monday and arrives in Rome on Friday."

const WIRES: readonly [string, (url: string) => ProviderSettings][] = [
  ["Chat Completions", (url) => ({ kind: "openai-compatible", baseUrl: `${url}/v1`, apiKey: KEY })],
  ["Responses", (url) => ({ kind: "openai", apiKey: KEY, baseUrl: `${url}/v1`, api: "responses" })],
  ["Gemini", (url) => ({ kind: "google", apiKey: KEY, baseUrl: `${url}/v1beta` })],
  ["Messages", (url) => ({ kind: "anthropic", apiKey: KEY, baseUrl: `${url}/v1` })],
]

type Play = (mock: LLMock) => unknown
type Holds = (final: FinalMessage) => void

const refusal =
  (status: number, retryAfter?: number): Play =>
  (mock) =>
    mock.onMessage(/.*/, {
      status,
      error: { message: `no: ${status}`, type: "fault" },
      ...(retryAfter === undefined ? {} : { retryAfter }),
    })

const failed =
  (retryable: boolean, more: object = {}): Holds =>
  (final) =>
    expect(final).toMatchObject({ stopReason: "error", toolCalls: [], error: { retryable, ...more } })

const FAULTS: readonly [string, Play, Holds][] = [
  ["429 that names a wait", refusal(429, 7), failed(true, { status: 429, retryAfter: 7_000 })],
  ["500", refusal(500), failed(true, { status: 500 })],
  ["503", refusal(503), failed(true, { status: 503 })],
  ["529, overloaded", refusal(529), failed(true, { status: 529 })],
  ["400", refusal(400), failed(false, { status: 400 })],
  ["401, a wrong key", refusal(401), failed(false, { status: 401 })],
  ["403", refusal(403), failed(false, { status: 403 })],
  ["404, no such model", refusal(404), failed(false, { status: 404 })],
  [
    "400 for a request that is too long",
    (mock) =>
      mock.onMessage(/.*/, {
        status: 400,
        error: {
          message: "This model's maximum context length is 8192 tokens: prompt is too long",
          type: "invalid_request_error",
          code: "context_length_exceeded",
        },
      }),
    failed(false, { status: 400, overflow: true }),
  ],
  ["500 in place of any answer", (mock) => mock.onMessage(/.*/, { content: TEXT }, { chaos: { dropRate: 1 } }), failed(true)],
  [
    "a body that is not JSON",
    (mock) => mock.onMessage(/.*/, { content: TEXT }, { chaos: { malformedRate: 1 } }),
    (final) => expect(final).toMatchObject({ stopReason: "error", toolCalls: [] }),
  ],
  [
    "a connection closed before any byte",
    (mock) => mock.onMessage(/.*/, { content: TEXT }, { chaos: { disconnectRate: 1 } }),
    failed(true),
  ],
  [
    "a stream cut after one chunk",
    (mock) => mock.onMessage(/.*/, { content: TEXT }, { truncateAfterChunks: 1, chunkSize: 4 }),
    failed(true),
  ],
  ["a stream cut in the middle", (mock) => mock.onMessage(/.*/, { content: TEXT }, { truncateAfterChunks: 5, chunkSize: 4 }), failed(true)],
  [
    "a stream cut in the middle of a call's arguments",
    (mock) =>
      mock.onMessage(
        /.*/,
        { toolCalls: [{ name: "read", arguments: JSON.stringify({ path: "a/long/path/of/many/chunks.md" }) }] },
        { truncateAfterChunks: 4, chunkSize: 4 },
      ),
    failed(true),
  ],
  [
    "a stream that is slow and then cut",
    (mock) => mock.onMessage(/.*/, { content: TEXT }, { latency: 30, chunkSize: 4, disconnectAfterMs: 100 }),
    failed(true),
  ],
]

describe.each(WIRES)("%s", (name, settings) => {
  const mock = new LLMock({ port: 0, logLevel: "silent" })
  let model: Model
  beforeAll(async () => {
    await mock.start()
    const made = providerModel(settings(mock.url), "m", { environment: "local" })
    if (!made.ok) throw new Error(made.error.message)
    model = made.value
  })
  afterAll(() => mock.stop())

  // Gemini sends a call in one event: there is no middle of its arguments.
  const faults = FAULTS.filter(([fault]) => name !== "Gemini" || !fault.endsWith("arguments"))

  test.each(faults)("[M1] %s", async (_fault, play, holds) => {
    mock.clearFixtures()
    play(mock)
    const { final } = await heard(model)
    holds(final)
    expect(JSON.stringify(final)).not.toContain(KEY)
    mock.clearFixtures()
    mock.onMessage(/.*/, { content: TEXT })
    expect((await heard(model, request())).final).toMatchObject({ text: TEXT, stopReason: "stop" })
  })
})
