// A tenant is deleted while its object, a run or its memory dies [N3]: everything goes, and the next tenant of the name begins with nothing.

import { runInDurableObject } from "cloudflare:test"
import { afterEach, describe, expect, test, vi } from "vitest"
import { RunObject } from "../../../src/cloudflare/run/run-object.ts"
import { Aborts, TRIED, type Place } from "../../support/worker/aborted-calls.ts"
import { nameOf } from "../../support/worker/object-calls.ts"
import { admin, CATALOG, runObject, start, tenant, until } from "../../support/worker/service-client.ts"

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

test("[N3] a start that comes again after its run was erased leaves no run behind", async () => {
  const name = "aborts-gone-again"
  const t = await tenant(name)
  await t.ask("PUT", "/v1/catalog", CATALOG)
  const { start: starts, erase } = RunObject.prototype
  let asked: Parameters<RunObject["start"]> | undefined
  const starting = vi.spyOn(RunObject.prototype, "start").mockImplementation(function (this: RunObject, ...call) {
    if (nameOf(this)?.startsWith(`${name}/`) === true) asked ??= call
    return Reflect.apply(starts, this, call)
  })
  const run = await start(t, "long")
  starting.mockRestore()
  const other = await start(t, "long")
  // The other one's object takes its time, so this one's row is still in the list.
  const [held, isErased] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const erasing = vi.spyOn(RunObject.prototype, "erase").mockImplementation(async function (this: RunObject, ...call) {
    if (nameOf(this) === `${name}/${other}`) await held.promise
    await Reflect.apply(erase, this, call)
    if (nameOf(this) === `${name}/${run}`) isErased.resolve()
  })
  const deleting = admin.raw("DELETE", `/v1/tenants/${name}`)
  await isErased.promise
  if (!asked) throw new Error("no start was asked for")
  const again: Pick<RunObject, "start"> = runObject(name, run)
  await again.start(...asked)
  const tables = (): Promise<string[]> =>
    runInDurableObject(runObject(name, run), (_, { storage }) =>
      storage.sql
        .exec<{ name: string }>("SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_%' ESCAPE '\\'")
        .toArray()
        .map((row) => row.name),
    )
  await until(async () => (await tables()).length === 0, "its erasure")
  held.resolve()
  expect((await deleting).status).toBe(200)
  erasing.mockRestore()
  expect(await tables()).toEqual([])
})
