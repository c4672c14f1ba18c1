// What counts at a start's beginning and not at its arrival [R13], and who may be gone by then.

import { beforeAll, expect, test } from "vitest"
import { tenant, until, type Tenant } from "../../../support/worker/service-client.ts"

const FLOW = (name: string, start: string): string =>
  `name: ${name}\ndescription: d\ninputs: { repo: { type: string } }\n${start}steps:\n  - { id: a, type: wait, for: 1h }\n`

let t: Tenant

beforeAll(async () => {
  t = await tenant("beginnings")
  await t.ask("PUT", "/v1/settings/providers/live", { kind: "scripted", turns: {} })
  await t.ask("PUT", "/v1/catalog", {
    agents: { "one.md": "---\nname: one\ndescription: d\nmodel: live/one\n---\nDo it.\n" },
    flows: {
      "one.yaml": FLOW("one", "start: { concurrency: {} }\n"),
      "free.yaml": FLOW("free", ""),
      "asks.yaml": FLOW("asks", "").replace("type: wait, for: 1h", "type: agent, agent: one"),
    },
  })
})

interface Seen {
  readonly id: string
  readonly status: string
  readonly effects?: string
  readonly budget?: { readonly limit: object }
  readonly error?: object
}
const start = (flow: string, more: object = {}): Promise<Seen> =>
  t.ask<Seen>("POST", `/v1/flows/${flow}/runs`, { inputs: { repo: "shop" }, ...more })
const view = (id: string): Promise<Seen> => t.ask<Seen>("GET", `/v1/runs/${id}`)
const is = (id: string, status: string): Promise<unknown> => until(async () => (await view(id)).status === status, `${id} is ${status}`)
const cancel = (id: string): Promise<unknown> => t.ask("POST", `/v1/runs/${id}/cancel`)

test("[R13] [K30] the rules and the floor of effects are those of the beginning; what began before keeps its own", async () => {
  const first = await start("one")
  await is(first.id, "waiting")
  const second = await start("one")
  expect(second.status).toBe("queued")
  const { version } = await t.ask<{ version?: number }>("PUT", "/v1/settings/policy", {
    effects: [{ flows: "one", mode: "staged" }],
    tools: { deny: ["bash"] },
  })
  await cancel(first.id)
  await is(second.id, "waiting")
  expect([(await view(first.id)).effects, (await view(second.id)).effects]).toEqual(["live", "staged"])
  const { data } = await t.ask<{ data: { type: string; rules?: { policy?: { tools?: object }; version: number } }[] }>(
    "GET",
    `/v1/runs/${second.id}/events`,
  )
  expect(data[0]).toMatchObject({ type: "run.started", rules: { policy: { tools: { deny: ["bash"] } } } })
  if (version !== undefined) expect(data[0]?.rules?.version).toBe(version)
  await cancel(second.id)
  await t.ask("PUT", "/v1/settings/policy", {})
})

test("[R13] [B6] prices, the day and the bounds of a budget are those of the beginning; a start that cannot begin by them fails, source config", async () => {
  const [holder, bounded] = [await start("one"), await start("one")]
  await is(holder.id, "waiting")
  await t.ask("PUT", "/v1/settings/budget", { run: { most: { tokens: 70 } } })
  await cancel(holder.id)
  await is(bounded.id, "waiting")
  expect((await view(bounded.id)).budget?.limit).toEqual({ tokens: 70 })
  // What bound it at its arrival binds it no more.
  const freed = await start("one")
  await t.ask("PUT", "/v1/settings/budget", {})
  await cancel(bounded.id)
  await is(freed.id, "waiting")
  expect((await view(freed.id)).budget?.limit).toEqual({})
  const unpriced = await start("asks", { start: { delay: 1_500 } })
  expect(unpriced.status).toBe("queued")
  await t.ask("PUT", "/v1/settings/budget", { usd: 5 })
  await is(unpriced.id, "failed")
  expect((await view(unpriced.id)).error).toMatchObject({ source: "config", message: expect.stringContaining("live/one") })
  await t.ask("PUT", "/v1/settings/budget", {})
  await cancel(freed.id)
})

test("[R13] a start begins although its flow and its key are gone; revoking the key with ?starts=cancel cancels what waits", async () => {
  const made = await t.ask<{ id: string; key: string; name: string }>("POST", "/v1/keys", {
    name: "starter",
    scopes: ["runs:write", "runs:read"],
  })
  const by = (key: string) => ({ authorization: `Bearer ${key}` })
  const begun = async (key: string): Promise<Seen> => {
    const r = await t.raw("POST", "/v1/flows/one/runs", { inputs: { repo: "x" } }, by(key))
    return r.json<Seen>()
  }
  const holder = await start("one")
  await is(holder.id, "waiting")
  const [waits, own] = [await begun(made.key), await start("one")]
  expect([waits.status, own.status]).toEqual(["queued", "queued"])
  await t.ask("DELETE", `/v1/keys/${made.id}`)
  expect((await view(waits.id)).status).toBe("queued")
  const next = await t.ask<{ id: string; key: string }>("POST", "/v1/keys", { name: "starter", scopes: ["runs:write", "runs:read"] })
  const more = await begun(next.key)
  // Two keys of one name: each takes its own starts alone, by its id.
  expect((await t.raw("DELETE", `/v1/keys/${next.id}?starts=all`)).status).toBe(422)
  await t.ask("DELETE", `/v1/keys/${next.id}?starts=cancel`)
  await is(more.id, "canceled")
  expect((await view(waits.id)).status).toBe("queued")
  await t.ask("DELETE", `/v1/keys/${made.id}?starts=cancel`)
  await is(waits.id, "canceled")
  expect((await view(own.id)).status).toBe("queued")
  await t.ask("DELETE", "/v1/flows/one?force=1").catch(() => undefined)
  await cancel(holder.id)
  await is(own.id, "waiting")
  await cancel(own.id)
})
