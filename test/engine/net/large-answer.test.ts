// A large answer waits for its place in memory [J16], and the wait is not part of its time limit.

import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { netOf } from "../../../src/engine/net/net.ts"

const SMALL = 200 * 1024
const BIG = 300 * 1024

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** `part` bytes at a time. */
function setUp(bytes: number, part = 64 * 1024) {
  const asked: (() => void)[] = []
  const net = netOf({
    allowedPrivateHosts: [],
    large: () => new Promise<void>((may) => asked.push(may)),
    fetch: async () => {
      let left = bytes
      return new Response(
        new ReadableStream<Uint8Array>({
          pull(controller) {
            const size = Math.min(part, left)
            left -= size
            if (size === 0) controller.close()
            else controller.enqueue(new Uint8Array(size))
          },
        }),
      )
    },
  })
  const answer = net.fetch({ url: "https://pages.example.com/", timeout: 5_000 }, new AbortController().signal)
  answer.catch(() => {})
  return { asked, answer }
}

test("[J16] a small answer asks for no place", async () => {
  const { asked, answer } = setUp(SMALL)
  expect((await answer).body.size).toBe(SMALL)
  expect(asked).toHaveLength(0)
})

test("[J16] a large one asks once, waits as long as it must, and has its whole time afterwards", async () => {
  const { asked, answer } = setUp(BIG, 16 * 1024)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(asked).toHaveLength(1)
  asked[0]?.()
  expect((await answer).body.size).toBe(BIG)
  expect(asked).toHaveLength(1)
  expect(vi.getTimerCount()).toBe(0)
})

test("[T21] an answer that does not go on after its place still ends in time", async () => {
  const asked: (() => void)[] = []
  const net = netOf({
    allowedPrivateHosts: [],
    large: () => new Promise<void>((may) => asked.push(may)),
    fetch: async (_, { signal }) =>
      new Response(
        new ReadableStream<Uint8Array>({
          start(controller) {
            controller.enqueue(new Uint8Array(BIG))
            signal?.addEventListener("abort", () => controller.error(signal.reason))
          },
        }),
      ),
  })
  const answer = net.fetch({ url: "https://pages.example.com/", timeout: 5_000 }, new AbortController().signal)
  const failed = expect(answer).rejects.toThrow("timed out after 5000 ms")
  await vi.advanceTimersByTimeAsync(20_000)
  asked[0]?.()
  await vi.advanceTimersByTimeAsync(5_000)
  await failed
})
