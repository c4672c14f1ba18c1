// A handler's isolate shares the thread with everything else: after a few calls, or a long one, other work gets a turn.

import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { loaderSandbox } from "../../../src/cloudflare/sandbox/sandbox-loader.ts"
import { giveTurn } from "../../../src/ports/short-pieces.ts"

const ANSWER = new Response(null, { headers: { "sluice-answer": JSON.stringify({ ok: true, value: {} }) } })

/** One call after the other, each of which takes so long; what had the thread, in order. */
async function orderOf(calls: number, ms: number): Promise<string> {
  const order: string[] = []
  const answer = (): Promise<Response> => {
    order.push("h")
    vi.setSystemTime(Date.now() + ms)
    return Promise.resolve(ANSWER)
  }
  const loader = { get: () => ({ getEntrypoint: () => ({ fetch: answer }) }) } as unknown as WorkerLoader
  const sandbox = loaderSandbox(loader, "acme")
  const ctx = { flow: "f", step: "s", task: "" }
  const { signal } = new AbortController()
  const turn = (): Promise<void> => Promise.resolve(void order.push("-"))
  for (let n = 0; n < calls; n++)
    expect(await sandbox.run({ hash: "h", source: "", input: {}, ctx, timeoutMs: 60_000, signal, turn })).toMatchObject({ ok: true })
  return order.join("")
}

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["Date"] })
  // Whatever ran before in this process, the next pieces begin after a turn.
  for (let isOver = false; !isOver;) await giveTurn(() => Promise.resolve(void (isOver = true)))
})
afterEach(() => vi.useRealTimers())

test("[N4] a chain of short handlers gives others a turn before each eighth", async () => {
  expect(await orderOf(20, 0)).toBe("hhhhhhh-hhhhhhhh-hhhhh")
})

test("[N4] after a handler that held the thread for long, others have a turn before the next one", async () => {
  expect(await orderOf(4, 6)).toBe("h-h-h-h")
})
