// [N4] Long work shares the thread: counted in work, because a test machine's clock says little.

import { describe, expect, test, vi } from "vitest"
import { Breath } from "../../src/ports/breath.ts"

/** A slice and a bit: after each piece of this size, others have a turn. */
const SLICE = 1_000_001

/** How often the event loop went around, as whoever waits at a socket would see it. */
function watched(): { readonly turns: () => number; readonly end: () => void } {
  let turns = 0
  let timer = setTimeout(function again() {
    turns++
    timer = setTimeout(again, 0)
  }, 0)
  return { turns: () => turns, end: () => clearTimeout(timer) }
}

async function pieces(count: number, piece: (n: number) => void): Promise<void> {
  const breath = new Breath()
  for (let n = 0; n < count; n++) await breath.compute(SLICE, () => piece(n))
}

describe("[N4] whoever computes for long lets others have a turn", () => {
  test("[N4] forty tasks at once do not compute their pieces in one turn of the event loop", async () => {
    const loop = watched()
    const seen: number[] = []
    await Promise.all(Array.from({ length: 40 }, () => pieces(2, () => seen.push(loop.turns()))))
    loop.end()
    expect(seen).toHaveLength(80)
    // Without rests all are in the first turn. A busy machine may go around less often than pieces are computed.
    expect(new Set(seen).size).toBeGreaterThan(50)
  })

  test("[N4] who comes later does not wait for the end of who came first", async () => {
    const order: string[] = []
    await Promise.all([pieces(20, () => order.push("long")), pieces(2, () => order.push("short"))])
    expect(order.lastIndexOf("short")).toBeLessThan(8)
  })

  test("[N4] a clock that is put back does not make a rest longer", async () => {
    const real = Date.now.bind(Date)
    let ahead = 0
    const clock = vi.spyOn(Date, "now").mockImplementation(() => real() + ahead)
    const timers = vi.spyOn(globalThis, "setTimeout")
    try {
      const rests = (): number[] => timers.mock.calls.map(([, ms]) => ms ?? 0)
      const first = pieces(2, () => undefined)
      await Promise.resolve()
      ahead = -2_000
      await Promise.all([first, pieces(2, () => undefined)])
      expect(rests().length).toBeGreaterThan(0)
      expect(Math.max(...rests())).toBeLessThan(1_000)
    } finally {
      timers.mockRestore()
      clock.mockRestore()
    }
  })

  test("[N4] little work does not wait", async () => {
    const breath = new Breath()
    await breath.compute(SLICE, () => undefined)
    await breath.compute(1, () => undefined)
    const loop = watched()
    for (let n = 0; n < 1_000; n++) await breath.compute(1, () => undefined)
    expect(loop.turns()).toBe(0)
    loop.end()
  })

  test("[N4] what is stored by the hundred leaves others their turn between a few, and ends with its first fault", async () => {
    const stop = new AbortController()
    let since = 0
    const most: number[] = []
    const loop = watched()
    let last = 0
    await new Breath().each(Array.from({ length: 300 }), async () => {
      since = loop.turns() === last ? since + 1 : 1
      last = loop.turns()
      most.push(since)
    })
    loop.end()
    expect(most).toHaveLength(300)
    // Two times what is stored at once, for what was counted before.
    expect(Math.max(...most)).toBeLessThanOrEqual(12)
    let begun = 0
    const failing = new Breath(stop.signal).each(Array.from({ length: 100 }), async () => {
      if (++begun === 20) throw new Error("the store is full")
    })
    await expect(failing).rejects.toThrow("the store is full")
    expect(begun).toBeLessThan(30)
    stop.abort(new Error("stopped"))
    await expect(new Breath(stop.signal).each(Array.from({ length: 100 }), async () => undefined)).rejects.toThrow("stopped")
  })

  test("[N4] between two pieces of a loop, take() is the same", async () => {
    const loop = watched()
    const seen: number[] = []
    const breath = new Breath()
    for (let n = 0; n < 5; n++) {
      seen.push(loop.turns())
      await breath.take(SLICE)
    }
    loop.end()
    expect(new Set(seen).size).toBe(5)
  })

  test("[N4] work that was stopped while it waited does not go on", async () => {
    const stop = new AbortController()
    const breath = new Breath(stop.signal)
    await breath.compute(SLICE, () => stop.abort(new Error("stopped")))
    await expect(breath.compute(1, () => "more")).rejects.toThrow("stopped")
  })

  test("[N4] what begins elsewhere begins two at a time, and what never ends does not keep it from beginning", async () => {
    const loop = watched()
    const seen: number[] = []
    const breath = new Breath()
    await breath.compute(SLICE, () => undefined)
    await Promise.all(
      Array.from({ length: 12 }, async () => {
        await breath.begin()
        seen.push(loop.turns())
      }),
    )
    loop.end()
    expect(seen).toHaveLength(12)
    expect(new Set(seen).size).toBeGreaterThanOrEqual(4)
  })

  test("[N4] a longer work is done piece by piece, and has its result", async () => {
    const loop = watched()
    const seen: number[] = []
    const result = await new Breath().through(
      (function* () {
        for (let n = 0; n < 4; n++) {
          seen.push(loop.turns())
          yield SLICE
        }
        return "done"
      })(),
    )
    loop.end()
    expect(result).toBe("done")
    expect(new Set(seen).size).toBeGreaterThanOrEqual(3)
  })

  test("[N4] an error of a piece reaches who asked for it, and the next piece waits all the same", async () => {
    const breath = new Breath()
    const failing = breath.compute(SLICE, () => {
      throw new Error("broken")
    })
    await expect(failing).rejects.toThrow("broken")
    expect(await breath.compute(1, () => "next")).toBe("next")
  })
})
