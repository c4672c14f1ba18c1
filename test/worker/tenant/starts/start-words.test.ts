// A `start` block from every place, with real objects: a flow's file, a body, a hook, a schedule [R1, R3, R17, R21].

import { runDurableObjectAlarm, runInDurableObject, SELF } from "cloudflare:test"
import { beforeAll, expect, test } from "vitest"
import { admin, tenant, tenantObject, until, type Tenant } from "../../../support/worker/service-client.ts"

const HEAD = (name: string, start: string): string =>
  `name: ${name}\ndescription: d\ninputs: { repo: { type: string } }\nstart: ${start}\nsteps:\n  - { id: a, type: wait, for: 1h }\n`
const FLOWS = {
  "flows/one.yaml": HEAD("one", '{ concurrency: { key: "${{flow.input.repo}}" } }'),
  "flows/once.yaml": HEAD("once", '{ concurrency: { key: "${{flow.input.repo}}", overlap: skip } }'),
  "flows/low.yaml": HEAD("low", "{ priority: low }"),
  "flows/free.yaml": "name: free\ndescription: d\ninputs: { repo: { type: string } }\nsteps:\n  - { id: a, type: wait, for: 1h }\n",
}

let t: Tenant

beforeAll(async () => {
  t = await tenant("start-words")
  await t.ask("PUT", "/v1/catalog", {
    flows: Object.fromEntries(Object.entries(FLOWS).map(([path, text]) => [path.slice("flows/".length), text])),
  })
})

interface Seen {
  readonly id: string
  readonly status: string
  readonly trigger?: { readonly overruled?: readonly string[] }
  readonly start?: { readonly concurrency?: { readonly pool: string; readonly key: string; readonly limit: number } }
}
const start = (flow: string, repo: string, more: object = {}): Promise<Seen> =>
  t.ask<Seen>("POST", `/v1/flows/${flow}/runs`, { inputs: { repo }, ...more })
const is = (id: string, status: string): Promise<Seen> =>
  until(async () => {
    const seen = await t.ask<Seen>("GET", `/v1/runs/${id}`)
    return seen.status === status && seen
  }, `${id} is ${status}`)
const cancel = (id: string): Promise<unknown> => t.ask("POST", `/v1/runs/${id}/cancel`)

test("[R1] [R4] a flow's block makes a second start of its key wait, whoever sends it, and no start of another key", async () => {
  const first = await start("one", "shop")
  const second = await start("one", "shop")
  const other = await start("one", "blog")
  expect([(await is(first.id, "waiting")).start?.concurrency, second.status]).toEqual([{ pool: "one", key: "shop", limit: 1 }, "queued"])
  await is(other.id, "waiting")
  await cancel(first.id)
  await is(second.id, "waiting")
  await Promise.all([cancel(second.id), cancel(other.id)])
})

test("[R3] a body adds a rule that the flow lacks, and its key is literal", async () => {
  const said = { start: { concurrency: { key: "${{flow.input.repo}}", limit: 1 } } }
  const first = await start("free", "a", said)
  const second = await start("free", "b", said)
  expect(second.status).toBe("queued")
  expect((await is(first.id, "waiting")).start?.concurrency).toMatchObject({ key: "${{flow.input.repo}}" })
  await cancel(first.id)
  await is(second.id, "waiting")
  await cancel(second.id)
})

test("[R17] skip answers 409 key_busy and leaves no run", async () => {
  const first = await start("once", "shop")
  await is(first.id, "waiting")
  await expect(start("once", "shop")).rejects.toThrow(/409.*key_busy/s)
  const other = await start("once", "blog")
  await Promise.all([cancel(first.id), cancel(other.id)])
})

test("[R17] [R4] a hook's deliveries of a busy key are skipped, with a reason and no run, and can be redelivered", async () => {
  await t
    .ask("PUT", "/v1/secrets/hs", { values: ["s3cret-of-the-hook"] })
    .catch(() => t.ask("PUT", "/v1/secrets/hs", { value: "s3cret-of-the-hook" }))
  const block = { concurrency: { key: "${{trigger.body.repo}}", overlap: "skip" } }
  const made = await t.ask<{ id: string }>("POST", "/v1/hooks", { flow: "free", kind: "token", secret: "hs", start: block })
  const send = async (repo: string) => {
    const headers = { "content-type": "application/json", authorization: "Bearer s3cret-of-the-hook" }
    const r = await SELF.fetch(`http://sluice/v1/hooks/${made.id}`, {
      method: "POST",
      headers,
      body: JSON.stringify({ repo, at: Math.random() }),
    })
    return { status: r.status, body: await r.json<{ run: string | null; verdict: string; delivery: string; reason?: string }>() }
  }
  const first = await send("shop")
  expect([first.status, first.body.verdict]).toEqual([202, "accepted"])
  const second = await send("shop")
  expect([second.status, second.body.verdict, second.body.run]).toEqual([202, "skipped", null])
  expect(second.body.reason).toContain("shop")
  const other = await send("blog")
  expect(other.body.verdict).toBe("accepted")
  await cancel(first.body.run ?? "")
  const again = await until(async () => {
    const r = await t.ask<{ run: string | null; verdict: string }>(
      "POST",
      `/v1/hooks/${made.id}/deliveries/${second.body.delivery}/redeliver`,
    )
    return r.verdict === "accepted" && r
  }, "redelivered")
  const test_ = await t.ask<{ starts: { start: { concurrency: object } } }>("POST", `/v1/hooks/${made.id}/test`, { body: { repo: "shop" } })
  expect(test_.starts.start.concurrency).toMatchObject({ pool: "free", key: "shop", limit: 1, overlap: "skip" })
  await Promise.all([cancel(other.body.run ?? ""), cancel(again.run ?? "")])
})

test("[R3] a flow that gains a rule later overrules its schedule's, with a warning", async () => {
  const flows = { ...FLOWS, "flows/late.yaml": FLOWS["flows/free.yaml"].replace("name: free", "name: late") }
  const put = (all: Record<string, string>) =>
    t.ask("PUT", "/v1/catalog", {
      flows: Object.fromEntries(Object.entries(all).map(([path, text]) => [path.slice("flows/".length), text])),
    })
  await put(flows)
  const made = await t.ask<{ id: string }>("POST", "/v1/schedules", {
    flow: "late",
    cron: "0 0 1 1 *",
    start: { concurrency: { key: "k", limit: 5 } },
  })
  await put({ ...flows, "flows/late.yaml": HEAD("late", "{ concurrency: {} }") })
  const fired = await t.ask<{ run: string }>("POST", `/v1/schedules/${made.id}/fire`)
  const seen = await is(fired.run, "waiting")
  expect([seen.trigger?.overruled, seen.start?.concurrency]).toEqual([["concurrency"], { pool: "late", key: "", limit: 1 }])
  const { data } = await t.ask<{ data: { type: string; code?: string }[] }>("GET", `/v1/runs/${fired.run}/events`)
  expect(data.filter(({ type }) => type === "warning").map(({ code }) => code)).toEqual(["start_rule"])
  await cancel(fired.run)
  await expect(t.ask("POST", "/v1/schedules", { flow: "late", cron: "0 0 1 1 *", start: { concurrency: {} } })).rejects.toThrow(
    /422.*\/start\/concurrency/s,
  )
})

test("[R12] [H6] a delivery whose block has a priority alone waits for room, and begins when there is some", async () => {
  const own = await tenant("start-words-room")
  await own.ask("PUT", "/v1/catalog", { flows: { "low.yaml": FLOWS["flows/low.yaml"], "free.yaml": FLOWS["flows/free.yaml"] } })
  await own.ask("PUT", "/v1/secrets/hs", { value: "s3cret-of-the-hook" })
  await admin.ask("PUT", `/v1/tenants/${own.id}/quotas`, { concurrent_runs: 1 })
  const first = await own.ask<Seen>("POST", "/v1/flows/free/runs", { inputs: { repo: "a" } })
  const made = await own.ask<{ id: string }>("POST", "/v1/hooks", { flow: "low", kind: "token", secret: "hs" })
  const headers = { "content-type": "application/json", authorization: "Bearer s3cret-of-the-hook" }
  const r = await SELF.fetch(`http://sluice/v1/hooks/${made.id}`, { method: "POST", headers, body: "{}" })
  const { run } = await r.json<{ run: string }>()
  const seen = () => own.ask<Seen>("GET", `/v1/runs/${run}`).catch(() => undefined)
  await until(async () => (await seen())?.status === "queued", "it is queued")
  // The queue's alarm asks its object more than once meanwhile.
  for (let n = 0; n < 3; n++) await runDurableObjectAlarm(tenantObject(own.id))
  expect((await seen())?.status).toBe("queued")
  await own.ask("POST", `/v1/runs/${first.id}/cancel`)
  await until(async () => {
    await runDurableObjectAlarm(tenantObject(own.id))
    return (await seen())?.status === "waiting"
  }, "it has begun")
  await own.ask("POST", `/v1/runs/${run}/cancel`)
  const next = await own.ask<Seen>("POST", "/v1/flows/free/runs", { inputs: { repo: "b" } })
  expect(next.status).toBe("waiting")
})

test("[R21] nothing is left of them", async () => {
  const left = () => runInDurableObject(tenantObject(t.id), (_, { storage }) => storage.sql.exec("SELECT run FROM start_line").toArray())
  await until(async () => (await left()).length === 0, "the line is empty")
})
