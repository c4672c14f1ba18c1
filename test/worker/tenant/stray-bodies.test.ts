// A body that nobody ever owned [F71]: a look through R2, after a run has lost an effect, leaves it to the sweep, and nothing else.

import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { afterEach, expect, test, vi } from "vitest"
import { contentBlobs } from "../../../src/cloudflare/clients/content-blobs.ts"
import { TenantObject } from "../../../src/cloudflare/tenant/tenant-object.ts"
import { ahead, between } from "../../support/worker/between.ts"
import { CATALOG, ended, start, tenant, tenantObject, until } from "../../support/worker/service-client.ts"

afterEach(() => void vi.restoreAllMocks())

const WRITES =
  "steps:\n  a:\n    - calls: [{ tool: write, args: { path: a.md, content: hello } }]\n    - finish: { status: complete, summary: done }\n"

test("[F71] what nobody owns is left to the sweep once a run says that it lost an effect", async () => {
  const t = await tenant("strays")
  await t.ask("PUT", "/v1/catalog", { ...CATALOG, flows: { ...CATALOG.flows, "quick.rehearsal.yaml": WRITES } })
  const stray = await contentBlobs(env, t.id).put(new TextEncoder().encode("nobody names this"))
  between(TenantObject, t.id, ["runs", "note"], (go, [, , [row]]) => {
    Object.assign(Object(row), { lost: Date.now() })
    return go()
  })
  const hashes = (query: string): Promise<string[]> =>
    runInDurableObject(tenantObject(t.id), (_, { storage }) =>
      storage.sql
        .exec<{ hash: string }>(query)
        .toArray()
        .map(({ hash }) => hash),
    )
  await ended(t, await start(t, "quick"))
  await until(async () => (await hashes("SELECT hash FROM body_owner")).length > 0, "the report of what the run owns")
  await ahead(301_000, () => runDurableObjectAlarm(tenantObject(t.id)))
  expect(await hashes("SELECT hash FROM body_left")).toEqual([stray])
  const due = await runInDurableObject(tenantObject(t.id), (_, { storage }) => Reflect.get(Object(storage.kv.get("strays")), "due"))
  expect(due).toBeUndefined()
})
