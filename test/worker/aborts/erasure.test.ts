// A tenant is deleted while its object, a run or its memory dies [N3]: everything goes, and the next tenant of the name begins with nothing.

import { afterEach, describe, expect, test } from "vitest"
import { Aborts, TRIED, type Place } from "../../support/worker/aborted-calls.ts"
import { admin, CATALOG, tenant } from "../../support/worker/service-client.ts"

let aborts: Aborts | undefined
afterEach(() => aborts?.restore())

describe.each(["erase of a run", "erase of the memory"])("%s", (what) => {
  test.each(TRIED)("%s", async (moment) => {
    const name = `aborts-gone-${what.at(-1)}-${moment}`
    const place: Place = `tenant ${name}`
    aborts = new Aborts(name)
    const t = await tenant(name)
    await t.ask("PUT", "/v1/catalog", CATALOG)
    const runs = await Promise.all(
      ["quick", "long"].map(async (flow) => (await t.ask<{ id: string }>("POST", `/v1/flows/${flow}/runs`, { task: "go" })).id),
    )
    await aborts.calm(async () => (await aborts?.rows("SELECT id FROM run WHERE seq > 0"))?.length === 2)
    aborts.arm(moment, (call) => call.name === "erase" && call.to.startsWith(what.endsWith("run") ? "run " : "memory "))
    const deleting = admin.raw("DELETE", `/v1/tenants/${name}`).catch(() => undefined)
    const call = await aborts.met()
    if (moment !== "broken" && moment !== "unsaid") await aborts.kill(place)
    const isGone = async (): Promise<boolean> => {
      for (const id of runs) if ((await aborts?.events(id))?.length !== 0) return false
      return (await aborts?.tables(place))?.includes("api_key") === false
    }
    await aborts.calm(isGone)
    if (moment === "late") {
      await aborts.arrive()
      await aborts.calm(isGone)
    }
    await deleting
    expect(call.name).toBe("erase")
    expect((await admin.raw("DELETE", `/v1/tenants/${name}`)).status).toBeOneOf([200, 404])
    const next = await tenant(name)
    expect(await next.ask("GET", "/v1/runs")).toMatchObject({ data: [] })
    for (const id of runs) expect((await next.raw("GET", `/v1/runs/${id}`)).status).toBe(404)
    await aborts.calm(async () => true)
    for (const id of runs) expect(await aborts.tables(`run ${name}/${id}`)).toEqual([])
    expect((await admin.raw("DELETE", `/v1/tenants/${name}`)).status).toBe(200)
  })
})
