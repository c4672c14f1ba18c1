// The cost of a start in calls between objects, each a round trip: counted before and after the answer.

import { beforeAll, describe, expect, test, vi } from "vitest"
import { forgetKeys } from "../../../../src/cloudflare/clients/cache/key-cache.ts"
import { carriedSecrets, forgetSecrets } from "../../../../src/cloudflare/platform/secret-cache.ts"
import { RunObject } from "../../../../src/cloudflare/run/run-object.ts"
import { objectCalls } from "../../../support/worker/object-calls.ts"
import { CATALOG, start, tenant, until, type Tenant } from "../../../support/worker/service-client.ts"

let t: Tenant

beforeAll(async () => {
  t = await tenant("start-cost")
  await t.ask("PUT", "/v1/catalog", CATALOG)
})

/** The calls of a start before its answer, and after it until the tenant's object has the run's report. */
async function callsOfStart(): Promise<{ before: string[]; after: string[] }> {
  const { calls, stop } = objectCalls(t.id)
  try {
    await start(t, "long")
    const answered = calls.findIndex((call) => call === "tenant runs.note")
    const before = calls.slice(0, answered < 0 ? calls.length : answered)
    await until(async () => calls.includes("tenant runs.note"), "the word to the tenant")
    return { before, after: calls.slice(before.length) }
  } finally {
    stop()
  }
}

/** Clears the caches, as in an isolate that serves this tenant for the first time. */
function forgetAll(): void {
  forgetKeys(t.id)
  forgetSecrets(t.id, Date.now() - 1)
}

/** Keys and vaults are cached for 5 s: if a slow machine takes longer between two starts, the test tries again. */
const cached = (look: () => Promise<void>): Promise<void> => vi.waitFor(look, { timeout: 120_000, interval: 1 })

describe("the round trips of a start", () => {
  test("[N4] with nothing cached: the key, the definitions with the vault, the run", async () => {
    forgetAll()
    expect(await callsOfStart()).toEqual({
      before: ["tenant keys.verify", "tenant starts.pinOpen", "run start"],
      after: ["tenant runs.note"],
    })
  })

  test("[N4] with the key and vault cached: the definitions, the run", async () => {
    await cached(async () =>
      expect(await callsOfStart()).toEqual({ before: ["tenant starts.pin", "run start"], after: ["tenant runs.note"] }),
    )
  })

  test("[B4] with a daily budget, the first slice takes one more", async () => {
    await t.ask("PUT", "/v1/settings/budget", { tokens: 1_000_000 })
    await cached(async () => expect((await callsOfStart()).before).toEqual(["tenant starts.pin", "run start", "tenant dayBudget.lease"]))
    await t.ask("PUT", "/v1/settings/budget", {})
  })

  test("[T32] the start carries the vault to the run's object, even in another isolate", async () => {
    forgetAll()
    await callsOfStart()
    const now = (): number => Date.now()
    const real = RunObject.prototype.start
    const spy = vi.spyOn(RunObject.prototype, "start").mockImplementationOnce(function (this: RunObject, ...call) {
      // The run's isolate has nothing cached.
      forgetSecrets(t.id, 0)
      return Reflect.apply(real, this, call)
    })
    const [, vault] = await start(t, "long").then(() => spy.mock.calls[0] ?? [])
    spy.mockRestore()
    expect(vault).toMatchObject({ from: expect.any(String), at: expect.any(Number) })
    expect(carriedSecrets(t.id, now)).toEqual(vault)
  })
})
