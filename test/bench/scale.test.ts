// The models of `npm run scale`. Against a real server they are checked by `npm run scale -- --check`, which takes minutes and a quiet machine.

import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { costsOf } from "../../bench/scale/check.ts"
import { ALONE, batchOf, DESKS, MEASURED, messageOf, SHARDED } from "../../bench/scale/costs.ts"
import { local } from "../../bench/scale/local.ts"
import { ceiling, platform } from "../../bench/scale/platform.ts"
import { dice, exponential, Simulation } from "../../bench/scale/simulation.ts"

describe("the simulation", () => {
  test("a station serves in the order of arrival, as many at once as it has servers", () => {
    const simulation = new Simulation(10)
    const ended: string[] = []
    for (const name of ["a", "b", "c"]) simulation.visit({ name: "desk", servers: 2 }, 10, () => ended.push(`${name} ${simulation.now}`))
    simulation.run()
    expect(ended).toEqual(["a 10", "b 10", "c 20"])
    expect(simulation.seen()).toEqual([{ name: "desk", offered: 1.5, visits: 3, waited: 10 / 3, longest: 10 }])
  })

  test("whatever is planned happens in the order of its time, and of its making among equals", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(50), { maxLength: 200 }), (times) => {
        const simulation = new Simulation(50)
        const seen: (readonly [number, number])[] = []
        times.forEach((time, n) => simulation.after(time, () => seen.push([time, n])))
        simulation.run()
        expect(seen).toEqual(times.map((time, n) => [time, n] as const).toSorted(([a, m], [b, n]) => a - b || m - n))
      }),
    )
  })

  test("a queue with random arrivals and service waits as theory says: at 80 % for four times the service", () => {
    const simulation = new Simulation(Number.POSITIVE_INFINITY)
    const roll = dice(7)
    let left = 200_000
    const arrive = (): void => {
      if (left-- <= 0) return
      simulation.visit({ name: "desk", servers: 1 }, exponential(8, roll), () => undefined)
      simulation.after(exponential(10, roll), arrive)
    }
    arrive()
    simulation.run()
    expect(Math.abs((simulation.seen()[0]?.waited ?? 0) / 32 - 1)).toBeLessThan(0.1)
  })
})

describe("the local server", () => {
  test("costs are found again from the rates that they lead to", () => {
    const costs = { run: 8, step: 2, outside: 5 }
    const rate = (atOnce: number, steps: number): number => local(costs, { atOnce, steps, runs: 4_000 }).rate
    const found = costsOf(rate(1, 1), rate(8, 1), rate(8, 40))
    expect(found.run / costs.run).toBeCloseTo(1, 1)
    expect(found.step / costs.step).toBeCloseTo(1, 1)
    expect(found.outside / costs.outside).toBeCloseTo(1, 0)
  })
})

describe("one tenant on the platform", () => {
  test("the same seed says the same", () => {
    const load = { rate: 300, starts: 2_000 }
    expect(platform(MEASURED, DESKS, load, 5)).toEqual(platform(MEASURED, DESKS, load, 5))
  })

  test("messages are as full as the reports of a tenth of a second make them, and hold a hundred at most", () => {
    expect([1, 1_000, 1_000_000].map((rate) => batchOf(DESKS, rate))).toEqual([1, 6.25, 100])
    expect(batchOf(ALONE, 1_000)).toBe(1)
    const costs = { ...MEASURED, report: 1.5, batched: 0.5 }
    expect([1, 2, 100].map((batch) => messageOf(costs, batch))).toEqual([1.5, 2, 51])
  })

  test("a thousand starts a second hold with desks, and do not without", () => {
    const load = { rate: 1_000, starts: 20_000 }
    expect(platform(MEASURED, ALONE, load).bottleneck).toBe("tenant's object")
    expect(platform(MEASURED, DESKS, load).bottleneck).toBeUndefined()
  })

  test("a hundred thousand need longer leases and lists of their own", () => {
    const load = { rate: 100_000, starts: 50_000 }
    expect(platform(MEASURED, DESKS, load).bottleneck).toBe("tenant's object")
    expect(platform(MEASURED, SHARDED, load).bottleneck).toBeUndefined()
  })

  test("a design has a bottleneck above its ceiling and none below", () => {
    for (const design of [ALONE, DESKS]) {
      const most = ceiling(MEASURED, design)
      expect(platform(MEASURED, design, { rate: most * 1.5, starts: 20_000 }).bottleneck, design.name).toBeDefined()
      expect(platform(MEASURED, design, { rate: most * 0.6, starts: 20_000 }).bottleneck, design.name).toBeUndefined()
    }
  })
})
