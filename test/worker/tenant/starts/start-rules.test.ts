// What a flow says of its starts counts as the catalog has it when the line is gone through [R3].

import { beforeAll, expect, test } from "vitest"
import { CATALOG, start, tenant, until, type Tenant } from "../../../support/worker/service-client.ts"

let t: Tenant
const flowOf = (limit: number): string =>
  `name: bound\ndescription: d\nstart: { concurrency: { key: k, limit: ${limit} } }\nsteps:\n  - { id: a, type: wait, for: 10m }\n`

beforeAll(async () => {
  t = await tenant("start-rules")
  await t.ask("PUT", "/v1/catalog", { ...CATALOG, flows: { ...CATALOG.flows, "bound.yaml": flowOf(1) } })
})

test("[R3] [R5] a limit that is raised works off what waits, with the write", async () => {
  const ids = [await start(t, "bound"), await start(t, "bound"), await start(t, "bound")]
  const statuses = async (): Promise<string[]> =>
    Promise.all(ids.map(async (id) => (await t.ask<{ status: string }>("GET", `/v1/runs/${id}`)).status))
  expect(await statuses()).toEqual(["waiting", "queued", "queued"])
  await t.ask("PUT", "/v1/catalog", { ...CATALOG, flows: { ...CATALOG.flows, "bound.yaml": flowOf(2) } })
  await until(async () => (await statuses())[1] === "waiting", "the second one begins")
  expect((await statuses())[2]).toBe("queued")
  for (const id of ids) await t.ask("POST", `/v1/runs/${id}/cancel`)
})
