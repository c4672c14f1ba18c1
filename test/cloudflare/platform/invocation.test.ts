// An object hands over to a fresh invocation, its alarm, well before the bounds of one [J16].

import { expect, test, vi } from "vitest"
import { Invocation } from "../../../src/cloudflare/platform/invocation.ts"

const rung = () => {
  const rang: number[] = []
  const invocation = new Invocation({ want: (at) => void (at <= Date.now() && rang.push(at)) })
  return { rang, invocation }
}

test("[J16] the alarm rings once after 80 effects, and again after 80 more", () => {
  const { rang, invocation } = rung()
  for (let i = 0; i < 79; i++) invocation.took()
  expect(rang).toHaveLength(0)
  for (let i = 0; i < 50; i++) invocation.took()
  expect(rang).toHaveLength(1)
  invocation.renew()
  for (let i = 0; i < 80; i++) invocation.took()
  expect(rang).toHaveLength(2)
})

test("[J16] bodies count too, and further bodies wait for the alarm, but not for ever", async () => {
  vi.useFakeTimers()
  try {
    const { rang, invocation } = rung()
    let begun = 0
    const body = async (): Promise<void> => {
      await invocation.body()
      begun++
    }
    for (let i = 0; i < 79; i++) await body()
    const last = [body(), body()]
    await Promise.resolve()
    expect([rang.length, begun]).toEqual([1, 79])
    invocation.renew()
    await Promise.all(last)
    expect(begun).toBe(81)
    for (let i = 0; i < 79; i++) await body()
    const late = body()
    await vi.advanceTimersByTimeAsync(1_000)
    await late
    expect(begun).toBe(161)
  } finally {
    vi.useRealTimers()
  }
})
