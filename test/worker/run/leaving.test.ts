// A run is being deleted while its tenant's object does not answer [H2, J12]: the alarm keeps trying for as long as that takes.

import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test"
import { expect, test } from "vitest"
import { CATALOG, ended, runObject, start, tenant, tenantObject } from "../../support/worker/service-client.ts"

test("[J12] a deletion that has failed a dozen times is tried again, and ends when the tenant's object answers", async () => {
  const t = await tenant("leaving-tries")
  await t.ask("PUT", "/v1/catalog", CATALOG)
  const run = await start(t, "quick")
  await ended(t, run)
  // From here on, removing a row from the list fails.
  const rename = (from: string, to: string) =>
    runInDurableObject(tenantObject(t.id), (_, ctx) => void ctx.storage.sql.exec(`ALTER TABLE ${from} RENAME TO ${to}`))
  await rename("callback_message", "hidden")
  try {
    expect((await t.raw("DELETE", `/v1/runs/${run}`)).status).toBe(204)
    await runInDurableObject(runObject(t.id, run), (_, ctx) => ctx.storage.kv.put("alarm_failures", 11))
    expect(await runDurableObjectAlarm(runObject(t.id, run))).toBe(true)
    expect(await runInDurableObject(runObject(t.id, run), (_, ctx) => ctx.storage.getAlarm())).not.toBeNull()
  } finally {
    await rename("hidden", "callback_message")
  }
  await runDurableObjectAlarm(runObject(t.id, run))
  const left = await runInDurableObject(runObject(t.id, run), (_, ctx) => [...ctx.storage.kv.list()].length)
  expect(left).toBe(0)
})

test("[N3] a deletion that finds no room has not begun, and the next request begins it", async () => {
  const t = await tenant("leaving-full")
  await t.ask("PUT", "/v1/catalog", CATALOG)
  const run = await start(t, "quick")
  await ended(t, run)
  await runInDurableObject(runObject(t.id, run), async (object, { storage: { kv } }) => {
    Object.defineProperty(kv, "put", {
      configurable: true,
      value: () => {
        throw new Error("database or disk is full: SQLITE_FULL")
      },
    })
    await expect(Reflect.get(object, "remove").call(object)).rejects.toThrow("SQLITE_FULL")
    Reflect.deleteProperty(kv, "put")
  })
  expect(await t.ask("GET", `/v1/runs/${run}`)).toMatchObject({ id: run })
  expect((await t.raw("DELETE", `/v1/runs/${run}`)).status).toBe(204)
  expect(await t.ask("GET", "/v1/runs")).toMatchObject({ data: [] })
})
