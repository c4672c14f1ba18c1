// A start whose caller waits for the end shares the commit of what follows [J15]. If nothing could be stored there is no run, and nobody else hears of
// one that is not stored.

import { runInDurableObject } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { beforeAll, expect, test, vi } from "vitest"
import { portOf } from "../../../src/cloudflare/platform/port-of.ts"
import { RunObject } from "../../../src/cloudflare/run/run-object.ts"
import type { RunRpc } from "../../../src/ports/objects.ts"
import type { StartRequest } from "../../../src/ports/run.ts"
import { tenantOf } from "../../support/worker/object-calls.ts"
import { withFullDisk } from "../../support/worker/full-disk.ts"
import { admin, CATALOG, start, tenant, type Tenant } from "../../support/worker/service-client.ts"

let t: Tenant
const stub = (id: string) => env.RUN.get(env.RUN.idFromName(`${t.id}/${id}`))

beforeAll(async () => {
  t = await tenant("start-held")
  await t.ask("PUT", "/v1/catalog", CATALOG)
})

async function requestOf(id: string): Promise<StartRequest> {
  const found = await portOf(env, t.id, "starts").pin({ flow: "quick" }, { rehearse: false })
  if (!found.ok) throw new Error(JSON.stringify(found))
  const said = { task: "go", inputs: {}, autonomous: true, rehearsed: false, trigger: { kind: "api" as const } }
  return { ...said, tenant: t.id, run: id, flow: "quick", pins: found.pins }
}

test("[J14] a start that waits and cannot be stored fails and leaves no run, and a later start works", async () => {
  const id = `run_${"h".repeat(26)}`
  const request = await requestOf(id)
  const startIn = (object: unknown): Promise<{ status: string }> =>
    (object as RunRpc).start(request, undefined, 30_000) as Promise<{ status: string }>
  const message = await runInDurableObject(stub(id), (object, { storage }) => withFullDisk(storage, () => startIn(object)))
  expect(message).toMatch(/disk full|could not be stored/)
  await expect(t.ask("GET", `/v1/runs/${id}`)).rejects.toThrow(/404/)
  expect((await runInDurableObject(stub(id), startIn)).status).toBe("succeeded")
})

test("[J14] a start whose object goes away before anything is stored begins again, and its caller has the run", async () => {
  const real = RunObject.prototype.start
  let lost = 0
  const spy = vi.spyOn(RunObject.prototype, "start").mockImplementation(function (this: RunObject, ...call) {
    if (tenantOf(this) === t.id && lost++ === 0) return Promise.reject(new Error("the object is lost"))
    return Reflect.apply(real, this, call)
  })
  try {
    const { id } = await t.ask<{ id: string }>("POST", "/v1/flows/quick/runs", { task: "go" }, { prefer: "wait=30" })
    expect(lost).toBe(2)
    await vi.waitFor(async () => expect((await t.ask<{ status: string }>("GET", `/v1/runs/${id}`)).status).toBe("succeeded"), 60_000)
  } finally {
    spy.mockRestore()
  }
})

test("[H6] a start that waits for room, and then comes again when there is some, leaves nothing that waits", async () => {
  const id = `run_${"w".repeat(26)}`
  await admin.ask("PUT", `/v1/tenants/${t.id}/quotas`, { concurrent_runs: 1 })
  await start(t, "long")
  const request = await requestOf(id)
  const startIn = (asked: StartRequest) => runInDurableObject(stub(id), (object) => (object as unknown as RunRpc).start(asked))
  const isHeld = () => runInDurableObject(stub(id), (_, { storage }) => storage.kv.get("held") !== undefined)
  expect([(await startIn({ ...request, held: true })).status, await isHeld()]).toEqual(["queued", true])
  await startIn(request)
  expect(await isHeld()).toBe(false)
})
