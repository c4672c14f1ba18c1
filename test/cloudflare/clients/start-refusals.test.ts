// A tenant that has used up its starts of the minute is refused from memory [N4]: its flood calls no object and delays no other tenant.

import { beforeEach, describe, expect, test } from "vitest"
import { forgetRefusals, refusing } from "../../../src/cloudflare/clients/start-refusals.ts"
import type { ApplyingCatalog } from "../../../src/ports/tenant/authoring/apply.ts"
import type { PinOptions, PinResult, CatalogPort } from "../../../src/ports/tenant/catalog.ts"

let now = 1_000
let asked: string[] = []
let waited: number[] = []
let answer: PinResult

const refused = (left: number, retry = 30_000): PinResult => ({
  ok: false,
  code: "quota",
  message: "used up",
  retry,
  limits: { concurrent: { quota: 5, left: 5 }, starts: { quota: 2, left, reset: retry } },
})
const port = (tenant: string): Pick<CatalogPort, "pin"> => {
  const inner = { pin: async ({ flow }: { flow?: string }) => (asked.push(`${tenant} ${flow ?? ""}`), answer) }
  // Only `pin` is used.
  return refusing(tenant, inner as unknown as ApplyingCatalog, { now: () => now, pause: async (ms) => void waited.push(ms) })
}
const api: PinOptions = { rehearse: false, start: { run: "run_1", kind: "api" } }
const start = (tenant = "acme", flow = "f", options: PinOptions = api) => port(tenant).pin({ flow }, options)

beforeEach(() => {
  forgetRefusals()
  now = 1_000
  asked = []
  waited = []
  answer = refused(0)
})

describe("a used-up minute", () => {
  test("[N4] is checked once a second, and Retry-After counts down", async () => {
    expect(await start()).toMatchObject({ retry: 30_000 })
    now += 400
    expect(await start()).toMatchObject({ ok: false, code: "quota", retry: 29_600 })
    now += 599
    await start()
    expect(asked).toHaveLength(1)
    now += 1
    answer = { ok: false, code: "not_found" }
    expect(await start()).toEqual(answer)
    expect(asked).toHaveLength(2)
  })

  test("[N4] ends on time, even within the cached second", async () => {
    answer = refused(0, 300)
    await start()
    now += 300
    await start()
    expect(asked).toHaveLength(2)
  })

  test("[N4] applies to one tenant and one flow: no one else is refused, and no flow's existence is revealed", async () => {
    await start()
    await start("globex")
    await start("acme", "other")
    expect(asked).toEqual(["acme f", "globex f", "acme other"])
  })

  test("[N4] does not apply to concurrent runs, deliveries or schedules, or after quotas were changed", async () => {
    answer = refused(1)
    await start()
    await start()
    expect(asked).toHaveLength(2)
    answer = refused(0)
    await start()
    await start("acme", "f", { rehearse: false, start: { run: "run_1", kind: "webhook" } })
    await start("acme", "f", { rehearse: false })
    expect(asked).toHaveLength(5)
    forgetRefusals()
    await start()
    expect(asked).toHaveLength(6)
  })
})

describe("a client that ignores Retry-After", () => {
  test("[N4] gets fifty refusals at once, then fifty a second, and never waits longer than two seconds", async () => {
    for (let n = 0; n < 50; n++) await start()
    expect(waited).toEqual([])
    for (let n = 0; n < 3; n++) await start()
    expect(waited).toEqual([20, 40, 60])
    for (let n = 0; n < 500; n++) await start()
    expect(Math.max(...waited)).toBe(2_000)
    now += 10_000
    waited = []
    await start()
    expect(waited).toEqual([])
  })

  test("[N4] delays no other tenant, for any refusal", async () => {
    answer = refused(1)
    for (let n = 0; n < 60; n++) await start()
    expect(waited).toHaveLength(10)
    expect(asked).toHaveLength(60)
    waited = []
    await start("globex")
    expect(waited).toEqual([])
  })

  test("[H6] gets a Retry-After that is shorter by the time it has waited", async () => {
    for (let n = 0; n < 50; n++) await start()
    expect(await start()).toMatchObject({ retry: 29_980 })
  })
})
