// A tenant created again under an old id has new rules [N3]. A run uses the newest rules that it has seen, so the old tenant's rules
// must not count as newer.

import { env } from "cloudflare:workers"
import { expect, test } from "vitest"
import { portOf } from "../../../src/cloudflare/platform/port-of.ts"
import { admin, tenant } from "../../support/worker/service-client.ts"

const version = async (id: string): Promise<number> => (await portOf(env, id, "settings").rules()).version

test("[N3] the version count of its rules starts above all old ones", async () => {
  const first = await tenant("rules-again")
  for (const reason of ["one", "two", "three"]) await first.ask("PUT", "/v1/settings/policy", { denylist: [{ tool: "bash", reason }] })
  const old = await version(first.id)
  await admin.ask("DELETE", `/v1/tenants/${first.id}`)
  const second = await tenant("rules-again")
  expect(await version(second.id)).toBeGreaterThan(old)
  const before = await version(second.id)
  await second.ask("PUT", "/v1/settings/policy", { denylist: [] })
  expect(await version(second.id)).toBeGreaterThan(before)
})
