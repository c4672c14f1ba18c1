// A tenant that starts much: its starts do not wait for its one object [N4], and everything that a write or a list promises still holds.

import { evictDurableObject, runInDurableObject } from "cloudflare:test"
import { describe, expect, test } from "vitest"
import { forgetRules } from "../../../src/cloudflare/clients/cache/rules-cache.ts"
import { amount } from "../../support/amount.ts"
import { counted } from "../../support/worker/counted-calls.ts"
import {
  admin,
  CATALOG,
  client,
  ended,
  runObject,
  start,
  tenant,
  tenantObject,
  until,
  type Tenant,
} from "../../support/worker/service-client.ts"

const AT_ONCE = 16

/** The answers of `count` starts, a few at a time. */
async function starts(
  t: Tenant,
  count: number,
  flow = "quick",
  headers: Record<string, string> = {},
): Promise<{ status: number; id: string; limits: string | null }[]> {
  const seen: { status: number; id: string; limits: string | null }[] = []
  let next = 0
  const lane = async (): Promise<void> => {
    while (next++ < count) {
      const answer = await t.raw("POST", `/v1/flows/${flow}/runs`, { task: "go" }, headers)
      const { id = "" } = await answer.json<{ id?: string }>()
      seen.push({ status: answer.status, id, limits: answer.headers.get("ratelimit") })
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, lane))
  return seen
}

async function listed(t: Tenant): Promise<string[]> {
  const ids: string[] = []
  for (let cursor = ""; ;) {
    const page = await t.ask<{ data: { id: string }[]; next_cursor: string | null }>("GET", `/v1/runs?limit=200${cursor}`)
    ids.push(...page.data.map(({ id }) => id))
    if (page.next_cursor === null) return ids
    cursor = `&cursor=${page.next_cursor}`
  }
}

async function busy(id: string, quotas: object = {}): Promise<Tenant> {
  const t = await tenant(id)
  await t.ask("PUT", "/v1/catalog", CATALOG)
  await admin.ask("PUT", `/v1/tenants/${id}/quotas`, { concurrent_runs: 1_000, starts_per_minute: 10_000, ...quotas })
  return t
}

describe("a tenant that starts much", () => {
  test("[N4] of many starts at most 50 wait for its object, and each run is in the list once", async () => {
    const t = await busy("desks-many")
    const count = amount(1_000, 250)
    let ids: string[] = []
    const { calls } = await counted(t.id, async () => {
      const answers = await starts(t, count, "quick", { prefer: "wait=60" })
      expect(answers.filter(({ status }) => status !== 200)).toEqual([])
      ids = answers.map(({ id }) => id)
    })
    const asked = calls.filter((call) => call.startsWith("tenant "))
    // A request that waits for its run asks once in a while whether its key holds: how often, the machine decides.
    const later = new Set(["tenant desks.report", "tenant runs.note", "tenant keys.holds"])
    const waited = asked.filter((call) => !later.has(call))
    const counts = Object.entries(Object.groupBy(asked, (call) => call)).map(([call, all]) => `${call}: ${all?.length}`)
    expect(waited.length, counts.join("\n")).toBeLessThanOrEqual(amount(50, 30))
    expect(asked.filter((call) => call !== "tenant keys.holds").length, counts.join("\n")).toBeLessThanOrEqual((count * 2) / 5)
    expect((await listed(t)).toSorted()).toEqual(ids.toSorted())
  })

  test("[F71] [S18] a revision, a policy and a revoked key hold for every start after their answer", async () => {
    const t = await busy("desks-writes")
    await starts(t, 40)
    const made = await t.ask<{ id: string; key: string }>("POST", "/v1/keys", { name: "other", scopes: ["runs:write", "runs:read"] })
    const other = client(made.key)
    for (let n = 1; n <= 6; n++) {
      const long = CATALOG.flows["long.yaml"].replace("description: d", `description: d${n}`)
      const { revision } = await t.ask<{ revision: number }>("PUT", "/v1/catalog", { flows: { ...CATALOG.flows, "long.yaml": long } })
      const begun = await Promise.all(
        [...(await starts(t, 12, "long"))].map(({ id }) => t.ask<{ pinned: { revision: number } }>("GET", `/v1/runs/${id}`)),
      )
      expect(begun.map(({ pinned }) => pinned.revision)).toEqual(begun.map(() => revision))
    }
    expect((await other.raw("POST", "/v1/flows/quick/runs", { task: "go" })).status).toBe(202)
    await t.ask("DELETE", `/v1/keys/${made.id}`)
    expect((await other.raw("POST", "/v1/flows/quick/runs", { task: "go" })).status).toBe(401)
  })

  test("[H6] near its quota nobody is refused for what desks hold, and nobody passes it", async () => {
    const t = await busy("desks-quota", { concurrent_runs: 40 })
    const answers = await starts(t, 60, "long")
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(40)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(20)
    const { data } = await t.ask<{ data: object[] }>("GET", "/v1/runs?limit=200")
    expect(data).toHaveLength(40)
  })

  test("[J14] [H5] runs that desks began are in the list at once, and when desks and the object have died", async () => {
    const t = await busy("desks-die")
    await starts(t, 20)
    const answers = await starts(t, 30, "long")
    const ids = new Set(answers.map(({ id }) => id))
    expect((await listed(t)).filter((id) => ids.has(id))).toHaveLength(30)
    const more = await starts(t, 10, "long")
    // As a crash of each: nothing that was only in memory is left.
    for (const name of [`${t.id}/desk-0`, t.id])
      await runInDurableObject(tenantObject(name), (_, ctx) => ctx.abort("killed by the test")).catch(() => undefined)
    const all = [...ids, ...more.map(({ id }) => id)]
    await until(async () => {
      const seen = new Set(await listed(t))
      return all.every((id) => seen.has(id))
    }, "the reports of all runs")
  })

  test("[J13] a desk's answers keep no run in memory: each can be evicted at once", async () => {
    const t = await busy("desks-evicted")
    await starts(t, 20)
    for (let i = 0; i < 6; i++) {
      // The run asks its desk for them.
      forgetRules(t.id)
      const id = await start(t, "quick")
      await ended(t, id)
      await evictDurableObject(runObject(t.id, id))
    }
  })
})
