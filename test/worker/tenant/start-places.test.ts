// A start that is refused after its definitions were pinned gives its place back [H6], so that other runs can take it.

import { env } from "cloudflare:workers"
import { expect, test } from "vitest"
import { portOf } from "../../../src/cloudflare/platform/port-of.ts"
import { admin, CATALOG, tenant } from "../../support/worker/service-client.ts"

test("[H6] a subagent that cannot get its session takes no place", async () => {
  const t = await tenant("places-subagent")
  await t.ask("PUT", "/v1/catalog", CATALOG)
  await admin.ask("PUT", `/v1/tenants/${t.id}/quotas`, { concurrent_runs: 1 })
  const refused = await t.ask<{ isError?: boolean }>("POST", "/v1/tools/subagent", { agent: "a", task: "x", sessionId: "nobodys" })
  expect(refused.isError).toBe(true)
  expect((await t.raw("POST", "/v1/flows/quick/runs", { task: "go" })).status).toBe(202)
})

test("[H6] an architect's session that is not opened takes no place", async () => {
  const t = await tenant("places-architect")
  await t.ask("PUT", "/v1/catalog", CATALOG)
  await admin.ask("PUT", `/v1/tenants/${t.id}/quotas`, { concurrent_runs: 1 })
  expect((await t.raw("POST", "/v1/architect", { flow: "nothing", change: "more" })).status).toBe(422)
  expect((await t.raw("POST", "/v1/flows/quick/runs", { task: "go" })).status).toBe(202)
})

test("[N3] a start that was sent before its tenant was deleted starts nothing in the next one of the name", async () => {
  const t = await tenant("places-next")
  await t.ask("PUT", "/v1/catalog", CATALOG)
  const { created } = await admin.ask<{ created: string }>("GET", `/v1/tenants/${t.id}`)
  const pin = (since: number) =>
    portOf(env, t.id, "starts").pin({ flow: "quick" }, { rehearse: false, start: { run: `run_${"n".repeat(26)}`, kind: "api", since } })
  await expect(pin(Date.parse(created) - 1)).rejects.toThrow("was deleted")
  expect(await pin(Date.parse(created))).toMatchObject({ ok: true })
})
