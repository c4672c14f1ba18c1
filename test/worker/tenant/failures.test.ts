// Failures of real runs in groups [H14]: one group for the same failure, opened again by what comes back, at most 500.

import { runInDurableObject } from "cloudflare:test"
import { expect, test } from "vitest"
import type { FailureGroup } from "../../../src/api/doc/insight.doc.ts"
import { FailureStore } from "../../../src/cloudflare/tenant/insight/failure-store.ts"
import { TenantSql } from "../../../src/cloudflare/tenant/tenant-sql.ts"
import type { ListedRun } from "../../../src/ports/tenant/run-list.ts"
import { ended, tenant, tenantObject, until, type Tenant } from "../../support/worker/service-client.ts"

const flow = (id: string, summary: string) => ({ id, summary })
const LOSES = [flow("first", "answered 503 after 12ms"), flow("second", 'file "b" is missing')]

async function withFlows(id: string): Promise<Tenant> {
  const t = await tenant(id)
  await t.ask("PUT", "/v1/settings/providers/m", {
    kind: "scripted",
    turns: Object.fromEntries(LOSES.map(({ id: name, summary }) => [name, [{ finish: { status: "error", summary } }]])),
  })
  await t.ask("PUT", "/v1/catalog", {
    agents: Object.fromEntries(
      LOSES.map(({ id: name }) => [
        `${name}.md`,
        `---\nname: ${name}\ndescription: d\nmodel: m/${name}\ntools: []\n---\nDo it. \${{task}}\n`,
      ]),
    ),
    flows: Object.fromEntries(
      LOSES.map(({ id: name }) => [`${name}.yaml`, `name: ${name}\ndescription: d\nsteps:\n  - { id: a, agent: ${name} }\n`]),
    ),
  })
  return t
}

const groups = async (t: Tenant, query = ""): Promise<FailureGroup[]> =>
  (await t.ask<{ data: FailureGroup[] }>("GET", `/v1/failures${query}`)).data
async function lose(t: Tenant, name: string, count: number): Promise<FailureGroup> {
  const { id } = await t.ask<{ id: string }>("POST", `/v1/flows/${name}/runs`, { task: "go" })
  expect((await ended(t, id)).status).toBe("failed")
  return until(async () => (await groups(t, `?flow=${name}`)).find((group) => group.count === count), `${count} failures of ${name}`)
}

test("[H14] the same failure is one group; a resolved group opens again, a muted one stays", async () => {
  const t = await withFlows("failures")
  const first = await lose(t, "first", 1)
  expect(first).toMatchObject({ flow: "first", step: "a", status: "open", count: 1, rehearsed: false, first: { revision: 1 } })
  expect(first.shape).toContain("answered <n> after <n>ms")
  await lose(t, "second", 1)
  const again = await lose(t, "first", 2)
  expect([again.key, again.runs.length, again.days.at(-1)?.count]).toEqual([first.key, 2, 2])
  expect((await groups(t)).map(({ flow: of }) => of)).toEqual(["first", "second"])

  const resolved = await t.ask<FailureGroup>("POST", `/v1/failures/${first.key}`, { status: "resolved" })
  expect(resolved).toMatchObject({ status: "resolved", by: "all", count: 2 })
  expect(await t.ask("POST", `/v1/failures/${first.key}`, { status: "resolved" })).toEqual(resolved)
  expect((await groups(t, "?status=open")).map(({ flow: of }) => of)).toEqual(["second"])
  const back = await lose(t, "first", 3)
  expect(back).toMatchObject({ status: "open", reopened: { run: back.last.run } })
  expect(back.by).toBeUndefined()

  await t.ask("POST", `/v1/failures/${first.key}`, { status: "muted" })
  expect(await lose(t, "first", 4)).toMatchObject({ status: "muted", by: "all" })
  expect((await t.raw("POST", "/v1/failures/fail_0", { status: "open" })).status).toBe(404)
})

test("[H14] another tenant has none of them", async () => {
  const [one, other] = [await withFlows("failures-one"), await withFlows("failures-other")]
  const { key } = await lose(one, "first", 1)
  expect(await groups(other)).toEqual([])
  expect((await other.raw("POST", `/v1/failures/${key}`, { status: "muted" })).status).toBe(404)
})

test("[H14] of 501 groups the one that was seen longest ago leaves", async () => {
  await runInDurableObject(tenantObject("failures-many"), (_, { storage }) => {
    const store = new FailureStore(new TenantSql(storage), () => 0)
    const fail = (n: number): ListedRun => ({
      id: `r${n}`,
      flow: `f${n}`,
      status: "failed",
      created: n,
      ended: 1_000 + n,
      view: { error: { step: "a", source: "engine", message: "x" }, rehearsed: false },
    })
    for (let n = 1; n <= 501; n++) store.add(fail(n))
    const kept = store.list({ rehearsed: false })
    expect([kept.length, kept[0]?.flow, kept.at(-1)?.flow]).toEqual([500, "f501", "f2"])
    // What is new stays, however late its report comes.
    store.add(fail(0))
    const flows = store.list({ rehearsed: false }).map(({ flow: of }) => of)
    expect([flows.length, flows.includes("f0"), flows.includes("f2")]).toEqual([500, true, false])
  })
})
