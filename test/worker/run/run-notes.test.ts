// What doors remember of a run [P24, P27]: within bounds, and no longer than the run.

import { beforeAll, describe, expect, test } from "vitest"
import { env } from "cloudflare:workers"
import { runPort } from "../../../src/cloudflare/clients/run-port.ts"
import { CATALOG, ended, start, tenant, type Tenant } from "../../support/worker/service-client.ts"

let t: Tenant
beforeAll(async () => {
  t = await tenant("runnotes")
  await t.ask("PUT", "/v1/catalog", CATALOG)
})

describe("notes of a run", () => {
  test("[P27] a note is replaced; a name or a text that is too long, and one note too many, are not kept", async () => {
    const id = await start(t, "quick")
    await ended(t, id)
    const port = runPort(env, t.id, id)
    await port.note("a", { n: 1 })
    await port.note("a", { n: 2 })
    expect([await port.noted("a"), await port.noted("b")]).toEqual([{ n: 2 }, undefined])
    await port.note("x".repeat(65), 1)
    await port.note("large", "x".repeat(64 * 1024))
    expect([await port.noted("x".repeat(65)), await port.noted("large")]).toEqual([undefined, undefined])
    for (let n = 0; n < 999; n++) await port.note(`n${n}`, n)
    await port.note("too many", 1)
    await port.note("a", { n: 3 })
    expect([await port.noted("n998"), await port.noted("too many"), await port.noted("a")]).toEqual([998, undefined, { n: 3 }])
    expect((await t.raw("DELETE", `/v1/runs/${id}`)).status).toBe(204)
    await port.note("late", 1)
    expect(await port.noted("a")).toBeUndefined()
  })
})
