// The pace of starts beside other tenants [N4], and who counts as one.

import { describe, expect, test } from "vitest"
import { Neighbours } from "../../../../src/cloudflare/tenant/starts/neighbours.ts"
import { StartGate } from "../../../../src/cloudflare/tenant/starts/start-gate.ts"
import { DEFAULT_QUOTAS } from "../../../../src/ports/tenants.ts"

function gateOf(quotas: { concurrent_runs: number; starts_per_minute: number }, isCrowded: () => boolean) {
  const waited: number[] = []
  let now = 1_000_000
  const gate = new StartGate({
    live: () => [],
    startedAfter: () => [],
    quotas: () => ({ ...DEFAULT_QUOTAS, ...quotas }),
    full: () => undefined,
    meet: isCrowded,
    now: () => now,
    pause: async (ms) => void waited.push(ms),
  })
  return { gate, waited, later: (ms: number) => (now += ms) }
}

const MANY = { concurrent_runs: 10_000, starts_per_minute: 1_200 }

describe("starts of one tenant", () => {
  test("[N4] alone go through at once, up to what the minute allows", async () => {
    const { gate, waited } = gateOf(MANY, () => false)
    for (let n = 0; n < 1_200; n++) expect(await gate.admit(`run_${n}`, "api")).toMatchObject({ ok: true })
    expect(waited).toEqual([])
    expect(await gate.admit("run_more", "api")).toMatchObject({ ok: false })
  })

  test("[N4] beside others go through evenly after a second's worth, and wait five seconds at most", async () => {
    const { gate, waited } = gateOf(MANY, () => true)
    const places = []
    for (let n = 0; n < 200; n++) places.push(await gate.admit(`run_${n}`, "api"))
    expect(places.slice(0, 20).every((p) => p.ok)).toBe(true)
    expect(waited[0]).toBe(50)
    expect(waited.slice(0, 3)).toEqual([50, 100, 150])
    expect(Math.max(...waited)).toBeLessThanOrEqual(5_000)
    const refused = places.find((p) => !p.ok)
    expect(refused).toMatchObject({ ok: false, retry: 5_050 })
    // What was refused has taken no place, neither of the minute nor among those under way.
    expect(refused?.limits.starts.left).toBe(1_200 - waited.length - 20)
  })

  test("[N4] the pace is one of the time since: who was quiet may rush again", async () => {
    const { gate, waited, later } = gateOf(MANY, () => true)
    for (let n = 0; n < 25; n++) await gate.admit(`run_${n}`, "api")
    expect(waited).toHaveLength(5)
    later(3_000)
    for (let n = 0; n < 20; n++) await gate.admit(`again_${n}`, "api")
    expect(waited).toHaveLength(5)
  })

  test("[H4] the same run asked again waits for no second turn", async () => {
    const { gate, waited } = gateOf(MANY, () => true)
    for (let n = 0; n < 100; n++) expect(await gate.admit("run_1", "api")).toMatchObject({ ok: true })
    expect(waited).toEqual([])
  })

  test("[W3] deliveries and fires wait for no turn", async () => {
    const { gate, waited } = gateOf(MANY, () => true)
    for (let n = 0; n < 200; n++) expect(await gate.admit(`run_${n}`, n % 2 ? "webhook" : "schedule")).toMatchObject({ ok: true })
    expect(waited).toEqual([])
  })

  test("[H6] a small quota is held to itself alone: ten at once", async () => {
    const { gate, waited } = gateOf({ concurrent_runs: 50, starts_per_minute: 10 }, () => true)
    for (let n = 0; n < 10; n++) expect(await gate.admit(`run_${n}`, "api")).toMatchObject({ ok: true })
    expect(waited).toEqual([])
  })
})

describe("neighbours", () => {
  test("[N4] are tenants that were at work within five seconds, oneself left out", () => {
    const here = new Neighbours()
    expect(here.meet("acme", 0)).toBe(false)
    expect(here.meet("acme", 100)).toBe(false)
    expect(here.meet("globex", 200)).toBe(true)
    expect(here.meet("acme", 4_000)).toBe(true)
    expect(here.meet("globex", 9_000)).toBe(false)
    expect(here.meet("globex", 9_100)).toBe(false)
  })
})
