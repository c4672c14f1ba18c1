// Every batch API in one contract: what is sent, what is heard, what is deleted.

import { describe, expect, test } from "vitest"
import { batchedModel } from "../../src/models/batch/batched-model.ts"
import { batchesOf } from "../../src/models/batch/batches.ts"
import { providerModel } from "../../src/models/providers.ts"
import { NO_SECRETS } from "../../src/core/secrets/redact.ts"
import type { BatchedOutcome, ModelBatches } from "../../src/ports/model-batches.ts"
import type { ProviderSettings } from "../../src/ports/tenant/providers.ts"
import { BatchProvider, USED, type BatchApi } from "../support/batch/batch-provider.ts"
import { heard, request } from "./model.ts"

const SIGNAL = new AbortController().signal
const APIS: readonly (readonly [BatchApi, ProviderSettings])[] = [
  ["messages", { kind: "anthropic", apiKey: "test-key" }],
  ["responses", { kind: "openai", apiKey: "test-key" }],
  ["chat", { kind: "openai", apiKey: "test-key", baseUrl: "https://gateway.example.com/v1" }],
]

function stand(api: BatchApi, settings: ProviderSettings) {
  const provider = new BatchProvider(api)
  const deps = { environment: "production", fetch: provider.fetch }
  const [batches, model] = [batchesOf(settings, deps, NO_SECRETS), batchedModel(settings, "m", deps)]
  if (!batches || !model) throw new Error("no batch API")
  return { provider, batches, model }
}

async function bodies({ model }: Pick<ReturnType<typeof stand>, "model">, count: number) {
  const made = await model.body(request({}))
  if (!made.ok) throw new Error(made.error.message)
  return Array.from({ length: count }, (_, n) => ({ id: `call-${n}`, ...made.value }))
}

async function sent(one: ReturnType<typeof stand>, count: number): Promise<string> {
  const done = await one.batches.send("ours-1", await bodies(one, count), SIGNAL)
  if (!done.ok) throw new Error(done.error.message)
  expect(done.value.expires).toBeGreaterThan(Date.now())
  return done.value.id
}

async function sentAtOnce(settings: ProviderSettings): Promise<Record<string, unknown>> {
  let body = "{}"
  const fetch: typeof globalThis.fetch = (_input, init) => {
    body = String(init?.body)
    return Promise.resolve(Response.json({ error: { message: "no" } }, { status: 400 }))
  }
  const made = providerModel({ ...settings }, "m", { environment: "production", fetch })
  if (made.ok) await heard(made.value, request({}))
  return JSON.parse(body) as Record<string, unknown>
}

async function outcomes(batches: ModelBatches, id: string): Promise<Map<string, BatchedOutcome>> {
  const all = new Map<string, BatchedOutcome>()
  expect(await batches.read(id, async (call, outcome) => void all.set(call, outcome), SIGNAL)).toMatchObject({ ok: true })
  return all
}

describe.each(APIS)("%s", (api, settings) => {
  test("[R32] a call in a batch is the request that goes out at once, without a stream", async () => {
    const one = stand(api, settings)
    await sent(one, 2)
    const [batch] = one.provider.batches.values()
    expect(batch?.calls.map(({ id }) => id)).toEqual(["call-0", "call-1"])
    const { stream, stream_options: _options, ...atOnce } = await sentAtOnce(settings)
    expect(stream).toBe(true)
    expect(batch?.calls[0]?.body).toEqual(atOnce)
    const key = api === "messages" ? "x-api-key" : "authorization"
    expect(one.provider.headers.every((headers) => headers.get(key)?.endsWith("test-key"))).toBe(true)
  })

  test("[R34] a reply is read as if it had come at once", async () => {
    const one = stand(api, settings)
    const id = await sent(one, 1)
    expect(await one.batches.look(id, SIGNAL)).toEqual({ ok: true, value: { isEnded: false } })
    one.provider.answer(() => ({ args: { summary: "done" } }))
    expect(await one.batches.look(id, SIGNAL)).toEqual({ ok: true, value: { isEnded: true, rest: { kind: "lost" } } })
    const outcome = (await outcomes(one.batches, id)).get("call-0")
    if (outcome?.kind !== "answer") throw new Error("no answer")
    const final = await one.model.reply(request({}), outcome)
    expect(final).toMatchObject({ text: "so", stopReason: "toolUse", usage: USED })
    expect(final.toolCalls).toMatchObject([{ name: "finish" }])
    expect(JSON.parse(final.toolCalls[0]?.args ?? "")).toEqual({ summary: "done" })
    expect(final.error).toBeUndefined()
  })

  test("[R36] what failed, expired, was canceled or is not told of is told apart", async () => {
    const one = stand(api, settings)
    const id = await sent(one, 5)
    const fates = [
      { error: { type: "overloaded_error", status: 529 } },
      { error: { type: "invalid_request_error", status: 400 } },
      "expired",
      "canceled",
      "silent",
    ] as const
    one.provider.answer((_, n) => fates[n] ?? "silent")
    const all = await outcomes(one.batches, id)
    expect([...all].map(([call, { kind }]) => `${call} ${kind}`).toSorted()).toEqual([
      "call-0 answer",
      "call-1 answer",
      "call-2 expired",
      "call-3 canceled",
    ])
    const errorOf = async (call: string) => {
      const outcome = all.get(call)
      return outcome?.kind === "answer" ? (await one.model.reply(request({}), outcome)).error : undefined
    }
    expect(await errorOf("call-0")).toMatchObject({ status: 529, retryable: true })
    expect(await errorOf("call-1")).toMatchObject({ status: 400, retryable: false })
  })

  test("[R36] results are read at the provider's own address, and deleted there", async () => {
    const one = stand(api, settings)
    const id = await sent(one, 1)
    one.provider.answer(() => ({ args: {} }))
    await outcomes(one.batches, id)
    expect(await one.batches.remove(id, SIGNAL)).toEqual({ ok: true, value: undefined })
    expect(one.provider.removed.length).toBe(api === "messages" ? 1 : 3)
    expect(one.provider.asked.some((path) => path.includes("elsewhere"))).toBe(false)
    expect(await one.batches.remove(id, SIGNAL)).toEqual({ ok: true, value: undefined })
  })

  test("[R37] a batch is canceled once; one that is over or unknown needs no cancel", async () => {
    const one = stand(api, settings)
    const id = await sent(one, 1)
    expect(await one.batches.cancel(id, SIGNAL)).toEqual({ ok: true, value: undefined })
    expect([...one.provider.batches.values()].map(({ state }) => state)).toEqual(["canceled"])
    one.provider.answer(() => "silent")
    expect(await one.batches.cancel(id, SIGNAL)).toEqual({ ok: true, value: undefined })
    expect(await one.batches.cancel("batch_unknown", SIGNAL)).toEqual({ ok: true, value: undefined })
    expect(await one.batches.look("batch_unknown", SIGNAL)).toMatchObject({ ok: true, value: { isEnded: true, rest: { kind: "lost" } } })
  })

  test("[R37] a refusal has a status, a lost answer has none, and is looked for where the provider keeps our name", async () => {
    const one = stand(api, settings)
    const calls = await bodies(one, 1)
    one.provider.refuse = { path: /POST \/(messages\/)?batches$/, status: 503 }
    expect(await one.batches.send("ours-2", calls, SIGNAL)).toMatchObject({ ok: false, error: { status: 503, retryable: true } })
    one.provider.lose = { path: /POST \/(messages\/)?batches$/, when: "after" }
    const lost = await one.batches.send("ours-3", calls, SIGNAL)
    expect(lost.ok || lost.error.status).toBeUndefined()
    const [batch] = one.provider.batches.values()
    if (api === "messages") return expect(one.batches.find).toBeUndefined()
    expect(await one.batches.find?.("ours-3", SIGNAL)).toMatchObject({ ok: true, value: { id: batch?.id } })
    expect(await one.batches.find?.("ours-4", SIGNAL)).toEqual({ ok: true, value: undefined })
  })
})

test("[R36] a result that is too long is passed over, and the others are read", async () => {
  const one = stand("messages", { kind: "anthropic", apiKey: "test-key" })
  const id = await sent(one, 2)
  one.provider.answer((_, n) => ({ args: { summary: n === 0 ? "x".repeat(8_000_000) : "short" } }))
  expect([...(await outcomes(one.batches, id)).keys()]).toEqual(["call-1"])
})

test("[R36] what a provider says of a batch at too great length is no answer", async () => {
  const fetch: typeof globalThis.fetch = () => Promise.resolve(Response.json({ processing_status: "ended", more: "x".repeat(300_000) }))
  const batches = batchesOf({ kind: "anthropic", apiKey: "k" }, { environment: "production", fetch }, NO_SECRETS)
  expect(await batches?.look("batch_1", SIGNAL)).toMatchObject({ ok: false })
})

test("[R32] no other kind has a batch API", () => {
  const deps = { environment: "local" }
  expect(batchesOf({ kind: "google", apiKey: "k" }, deps, NO_SECRETS)).toBeUndefined()
  expect(batchedModel({ kind: "openai-compatible", baseUrl: "https://x.example.com" }, "m", deps)).toBeUndefined()
})
