// The platform's limits as the local mode counts them: what it refuses, what it lets wait, and when its counts begin anew.

import { describe, expect, test } from "vitest"
import { limitsAsked } from "../../local/limits/limited-worker.ts"
import { Meter, Peaks } from "../../local/limits/meter.ts"
import { PLANS } from "../../local/limits/plans.ts"

const held = () => {
  const done: (() => void)[] = []
  return { done, work: () => new Promise<void>((resolve) => done.push(resolve)) }
}
const settled = async (): Promise<void> => new Promise((resolve) => setTimeout(resolve))

describe("the platform's limits of one invocation", () => {
  test.each([
    ["free", 50, 1_000],
    ["paid", 10_000, 10_000],
  ] as const)("%s: a call too many is refused in the platform's words, until an event comes", (name, calls, inner) => {
    const peaks = new Peaks()
    const meter = new Meter(PLANS[name], "object", peaks)
    meter.event()
    for (let i = 0; i < calls; i++) meter.call()
    for (let i = 0; i < inner; i++) meter.inner()
    expect(() => meter.call()).toThrow("Too many subrequests by single Worker invocation.")
    expect(() => meter.inner()).toThrow("Too many subrequests by single Worker invocation.")
    meter.event()
    meter.call()
    expect(peaks.kinds.object).toMatchObject({ events: 2, calls: calls + 1, inner: inner + 1 })
    expect([...peaks.refused.values()]).toEqual([2])
    peaks.reset()
    expect([peaks.kinds.object.calls, peaks.refused.size]).toEqual([0, 0])
  })

  test("a seventh connection waits for a head, in order, and one that is given up leaves the line", async () => {
    const peaks = new Peaks()
    const meter = new Meter(PLANS.paid, "object", peaks)
    const { done, work } = held()
    const ending = new AbortController()
    for (let i = 0; i < 6; i++) void meter.connected(work)
    const impatient = meter.connected(work, ending.signal)
    void meter.connected(work)
    await settled()
    expect(done).toHaveLength(6)
    ending.abort(new Error("given up"))
    await expect(impatient).rejects.toThrow("given up")
    done[0]?.()
    await settled()
    expect(done).toHaveLength(7)
    expect(peaks.kinds.object).toMatchObject({ waiting: 6, queued: 2 })
  })

  test("ten Dynamic Workers of an object, and four of a request, may have requests in flight", () => {
    for (const [kind, most] of [
      ["object", 10],
      ["request", 4],
    ] as const) {
      const meter = new Meter(PLANS.paid, kind, new Peaks())
      const ends = Array.from({ length: most }, (_, i) => meter.dynamic(`w${i}`))
      // A further request to the same one is none more.
      const second = meter.dynamic("w0")
      expect(() => meter.dynamic("another")).toThrow(`${most} may have requests in flight`)
      ends[0]?.()
      expect(() => meter.dynamic("another")).toThrow(`${most} may have requests in flight`)
      second()
      expect(() => meter.dynamic("another")).not.toThrow()
    }
  })

  test("a request consists of 32 invocations, itself among them", () => {
    const meter = new Meter(PLANS.paid, "object", new Peaks())
    for (let i = 0; i < 31; i++) meter.invocation()
    expect(() => meter.invocation()).toThrow("one request may consist of 32")
  })

  test("the plan is one of two", () => {
    expect(limitsAsked(["--built"])).toBeUndefined()
    expect(limitsAsked(["--limits", "free"])).toBe(PLANS.free)
    expect(limitsAsked(["--limits=paid"])).toBe(PLANS.paid)
    expect(() => limitsAsked(["--limits", "pro"])).toThrow("--limits needs a plan")
  })
})
