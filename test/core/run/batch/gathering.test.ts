import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { gathered, lookAfter, type GatheredCall, type Gathering } from "../../../../src/core/run/batch/gathering.ts"

const MIB = 1024 * 1024
const call = (n: number, more: Partial<GatheredCall> = {}): GatheredCall => ({
  id: `c${n}`,
  step: "m",
  pass: 1,
  provider: "p",
  model: "x",
  at: 0,
  bytes: 1_000,
  ...more,
})
const at = (now: number, more: Partial<Gathering> = {}): Gathering => ({ now, mayGoOn: () => true, open: () => 0, ...more })
const many = (count: number, more: Partial<GatheredCall> = {}): GatheredCall[] => Array.from({ length: count }, (_, n) => call(n, more))

describe("gathering", () => {
  test("[R33] a batch is sent when it is full, by calls or by bytes", () => {
    expect(gathered(many(4_999), at(1))).toEqual({ at: 600_000 })
    expect(gathered(many(5_000), at(1)).send).toHaveLength(5_000)
    expect(gathered(many(5_001), at(1)).send).toHaveLength(5_000)
    expect(gathered(many(32, { bytes: MIB }), at(1)).send).toBeUndefined()
    expect(gathered(many(33, { bytes: MIB }), at(1)).send).toHaveLength(32)
    expect(gathered([call(0, { bytes: 40 * MIB }), call(1)], at(1)).send).toHaveLength(1)
  })

  test("[R33] it is sent ten minutes after its first call, or once no child can begin or go on", () => {
    expect(gathered(many(3), at(599_999))).toEqual({ at: 600_000 })
    expect(gathered(many(3), at(600_000)).send).toHaveLength(3)
    expect(gathered(many(3), at(1, { mayGoOn: () => false })).send).toHaveLength(3)
    expect(gathered([], at(600_000, { mayGoOn: () => false }))).toEqual({})
  })

  test("[R33] ten batches of a map are under way at most", () => {
    expect(gathered(many(5_000), at(700_000, { open: () => 10 }))).toEqual({})
    expect(gathered(many(5_000), at(700_000, { open: () => 9 })).send).toHaveLength(5_000)
  })

  test("[R36] a refused batch waits for its time", () => {
    expect(gathered([call(0, { notBefore: 900 }), call(1)], at(100, { mayGoOn: () => false }))).toEqual({ at: 900 })
  })

  test("[R36] it is looked at after 30 s, then at doubling intervals up to ten minutes", () => {
    expect([0, 1, 2, 3, 4, 5, 6, 100].map((n) => lookAfter(n) / 1_000)).toEqual([30, 60, 120, 240, 480, 600, 600, 600])
  })

  test("[R33] whatever comes, each call is sent once, with others of its step and model, in order, within its bounds and its time", () => {
    const someCall = fc.record({
      step: fc.constantFrom("m", "n"),
      model: fc.constantFrom("x", "y"),
      provider: fc.constantFrom("p", "q"),
      bytes: fc.integer({ min: 1, max: 20 * MIB }),
      wait: fc.integer({ min: 0, max: 400_000 }),
    })
    fc.assert(
      fc.property(fc.array(someCall, { maxLength: 60 }), fc.boolean(), (specs, mayGoOn) => {
        let [now, waiting] = [0, [] as GatheredCall[]]
        const sent: string[] = []
        const send = (): void => {
          for (;;) {
            const { send: batch, at: due } = gathered(waiting, at(now, { mayGoOn: () => mayGoOn }))
            if (!batch) {
              expect(waiting.length === 0 || due !== undefined).toBe(true)
              expect(due === undefined || due > now).toBe(true)
              return
            }
            const names = new Set(batch.map(({ step, provider, model }) => `${step} ${provider} ${model}`))
            expect(names.size).toBe(1)
            expect(batch.length === 1 || batch.reduce((sum, { bytes }) => sum + bytes, 0) <= 32 * MIB).toBe(true)
            expect(batch.every(({ at: came }) => now - came <= 600_000)).toBe(true)
            sent.push(...batch.map(({ id }) => id))
            waiting = waiting.filter((one) => !batch.includes(one))
          }
        }
        for (const [n, { wait, ...spec }] of specs.entries()) {
          // Time passes as far as the next look, never past it.
          for (const until = now + wait; now < until;) {
            now = Math.min(until, gathered(waiting, at(now)).at ?? until)
            send()
          }
          waiting.push(call(n, { ...spec, at: now }))
          send()
        }
        while (waiting.length > 0) {
          now = gathered(waiting, at(now)).at ?? now
          send()
        }
        expect(sent.toSorted()).toEqual(specs.map((_, n) => `c${n}`).toSorted())
        const orderOf = (name: string): number[] =>
          sent.filter((id) => specs[Number(id.slice(1))]?.step === name).map((id) => Number(id.slice(1)))
        for (const { step, provider, model } of specs) {
          const own = orderOf(step).filter((n) => specs[n]?.provider === provider && specs[n]?.model === model)
          expect(own).toEqual(own.toSorted((a, b) => a - b))
        }
      }),
    )
  })
})
