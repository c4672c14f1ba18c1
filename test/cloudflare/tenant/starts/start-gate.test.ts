// The pace of starts while other tenants are active [N4], and which tenants count as active.

import { describe, expect, test } from "vitest"
import { ActiveTenants } from "../../../../src/cloudflare/platform/active-tenants.ts"
import { StartGate } from "../../../../src/cloudflare/tenant/starts/start-gate.ts"
import { DEFAULT_QUOTAS } from "../../../../src/ports/tenant/tenants.ts"

function gateOf(quotas: { concurrent_runs: number; starts_per_minute: number }, isCrowded: () => boolean) {
  const waited: number[] = []
  const dropped: [run: string, isLapsed: boolean][] = []
  let now = 1_000_000
  let isFull = false
  const gate = new StartGate({
    live: () => [],
    startedAfter: () => [],
    quotas: () => ({ ...DEFAULT_QUOTAS, ...quotas }),
    full: () => undefined,
    dropped(...it) {
      if (isFull) throw new Error("disk is full")
      dropped.push(it)
    },
    meet: isCrowded,
    now: () => now,
    pause: async (ms) => void waited.push(ms),
  })
  return { gate, waited, dropped, later: (ms: number) => (now += ms), fill: (full: boolean) => void (isFull = full) }
}

const MANY = { concurrent_runs: 10_000, starts_per_minute: 1_200 }

describe("starts of one tenant", () => {
  test("[N4] alone, start at once, up to the quota per minute", async () => {
    const { gate, waited } = gateOf(MANY, () => false)
    for (let n = 0; n < 1_200; n++) expect(await gate.admit(`run_${n}`, "api")).toMatchObject({ ok: true })
    expect(waited).toEqual([])
    expect(await gate.admit("run_more", "api")).toMatchObject({ ok: false })
  })

  test("[N4] beside active tenants, are spread evenly after a second's worth, and wait at most five seconds", async () => {
    const { gate, waited } = gateOf(MANY, () => true)
    const places = []
    for (let n = 0; n < 200; n++) places.push(await gate.admit(`run_${n}`, "api"))
    expect(places.slice(0, 20).every((p) => p.ok)).toBe(true)
    expect(waited[0]).toBe(50)
    expect(waited.slice(0, 3)).toEqual([50, 100, 150])
    expect(Math.max(...waited)).toBeLessThanOrEqual(5_000)
    const refused = places.find((p) => !p.ok)
    expect(refused).toMatchObject({ ok: false, retry: 5_050 })
    // A refused start takes no place, neither in the minute nor among the concurrent runs.
    expect(refused?.limits.starts.left).toBe(1_200 - waited.length - 20)
  })

  test("[N4] after a quiet time a tenant may burst again", async () => {
    const { gate, waited, later } = gateOf(MANY, () => true)
    for (let n = 0; n < 25; n++) await gate.admit(`run_${n}`, "api")
    expect(waited).toHaveLength(5)
    later(3_000)
    for (let n = 0; n < 20; n++) await gate.admit(`again_${n}`, "api")
    expect(waited).toHaveLength(5)
  })

  test("[F71] a place that nobody gives back lapses, since whoever took it may have died with its files stored", async () => {
    const { gate, dropped, later } = gateOf(MANY, () => false)
    for (const run of ["run_1", "run_2", "run_3"]) await gate.admit(run, "api")
    gate.giveBack("run_1")
    gate.note("run_2", false)
    later(30_001)
    gate.sweep()
    expect(dropped).toEqual([
      ["run_1", false],
      ["run_3", true],
    ])
  })

  test("[H6] a place whose row a full disk keeps is dropped by a later look", async () => {
    const { gate, dropped, later, fill } = gateOf(MANY, () => false)
    for (const run of ["run_1", "run_2"]) await gate.admit(run, "api")
    fill(true)
    expect(() => gate.giveBack("run_1")).toThrow("disk is full")
    later(30_001)
    expect(() => gate.sweep()).toThrow("disk is full")
    expect(dropped).toEqual([])
    fill(false)
    gate.sweep()
    expect(dropped).toEqual([
      ["run_1", true],
      ["run_2", true],
    ])
  })

  test("[H4] asking again for the same run does not wait a second time", async () => {
    const { gate, waited } = gateOf(MANY, () => true)
    for (let n = 0; n < 100; n++) expect(await gate.admit("run_1", "api")).toMatchObject({ ok: true })
    expect(waited).toEqual([])
  })

  test("[W3] deliveries and fires do not wait for a turn", async () => {
    const { gate, waited } = gateOf(MANY, () => true)
    for (let n = 0; n < 200; n++) expect(await gate.admit(`run_${n}`, n % 2 ? "webhook" : "schedule")).toMatchObject({ ok: true })
    expect(waited).toEqual([])
  })

  test("[H6] with a small quota a burst is ten starts", async () => {
    const { gate, waited } = gateOf({ concurrent_runs: 50, starts_per_minute: 10 }, () => true)
    for (let n = 0; n < 10; n++) expect(await gate.admit(`run_${n}`, "api")).toMatchObject({ ok: true })
    expect(waited).toEqual([])
  })
})

describe("neighbours", () => {
  test("[N4] are the other tenants that were active within five seconds", () => {
    const here = new ActiveTenants()
    expect(here.meet("acme", 0)).toBe(false)
    expect(here.meet("acme", 100)).toBe(false)
    expect(here.meet("globex", 200)).toBe(true)
    expect(here.meet("acme", 4_000)).toBe(true)
    expect(here.meet("globex", 9_000)).toBe(false)
    expect(here.meet("globex", 9_100)).toBe(false)
  })
})
