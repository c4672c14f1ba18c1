// Usage of real runs [H13]: the sums equal those of their journals, each run once, whatever becomes of its reports, its children and its rows.

import { env, evictDurableObject, runInDurableObject } from "cloudflare:test"
import { afterAll, beforeAll, expect, test, vi } from "vitest"
import type { Usage } from "../../../src/api/doc/insight.doc.ts"
import type { FlowMeasures, Overview } from "../../../src/api/doc/overview.doc.ts"
import { TenantObject } from "../../../src/cloudflare/tenant/tenant-object.ts"
import { portOf } from "../../../src/cloudflare/platform/port-of.ts"
import { TenantSql } from "../../../src/cloudflare/tenant/tenant-sql.ts"
import { UsageStore } from "../../../src/cloudflare/tenant/insight/usage-store.ts"
import type { RunEvent } from "../../../src/core/run/event.ts"
import { noFigures } from "../../../src/core/run/usage/figures.ts"
import { tenantOf } from "../../support/worker/object-calls.ts"
import { ended, tenant, tenantObject, until, type Tenant } from "../../support/worker/service-client.ts"

const agent = (name: string, tools = ""): string =>
  `---\nname: ${name}\ndescription: d\nmodel: m/${name}\ntools: [${tools}]\n---\nDo it. \${{task}}\n`
const PROVIDER = { kind: "openai-compatible", baseUrl: "https://priced-model.example.com/v1", apiKey: "key-of-the-model" } as const
const call = (name: string, args: object) => ({ type: "function", function: { name, arguments: JSON.stringify(args) } })
const TURNS: Readonly<Record<string, readonly (readonly object[])[]>> = {
  worker: [
    [call("write", { path: "a.md", content: "x" }), call("read", { path: "none.md" })],
    [call("finish", { status: "complete", summary: "ok" })],
  ],
  loser: [[call("finish", { status: "error", summary: "answered 503" })]],
}
const chunk = (choice: object, more: object = {}): string =>
  `data: ${JSON.stringify({ id: "c1", created: 1, model: "m", object: "chat.completion.chunk", choices: [{ index: 0, ...choice }], ...more })}\n\n`

/** In place of the network: a model that says what it used, a part of it from its cache. */
function answer(body: string): Response {
  const { model, messages }: { model: string; messages: { role: string }[] } = JSON.parse(body)
  const turn = messages.filter(({ role }) => role === "assistant").length
  const calls = (TURNS[model]?.[turn] ?? []).map((one, index) => ({ index, id: `call_${turn}_${index}`, ...one }))
  const [prompt_tokens, completion_tokens] = [70 + 50 * turn, 20 + 10 * turn]
  const usage = {
    prompt_tokens,
    completion_tokens,
    total_tokens: prompt_tokens + completion_tokens,
    prompt_tokens_details: { cached_tokens: 100 * turn },
  }
  const said = `${chunk({ delta: { role: "assistant", tool_calls: calls } })}${chunk({ delta: {}, finish_reason: "tool_calls" }, { usage })}`
  return new Response(`${said}data: [DONE]\n\n`, { headers: { "content-type": "text/event-stream" } })
}

beforeAll(() => {
  const real = fetch
  vi.stubGlobal("fetch", async (input: string | URL | Request, init?: RequestInit): Promise<Response> =>
    (input instanceof Request ? input.url : String(input)).startsWith(PROVIDER.baseUrl) ? answer(String(init?.body)) : real(input, init),
  )
})
afterAll(() => {
  vi.unstubAllGlobals()
})

async function withFlows(id: string): Promise<Tenant> {
  const t = await tenant(id)
  await t.ask("PUT", "/v1/settings/providers/m", PROVIDER)
  await t.ask("PUT", "/v1/settings/prices", { "m/worker": { input: 3, output: 15, cacheRead: 0.3 } })
  await t.ask("PUT", "/v1/catalog", {
    agents: { "worker.md": agent("worker", "write, read"), "loser.md": agent("loser") },
    flows: {
      "works.yaml": "name: works\ndescription: d\nsteps:\n  - { id: a, agent: worker }\n",
      "loses.yaml": "name: loses\ndescription: d\nsteps:\n  - { id: a, agent: loser }\n",
      "maps.yaml":
        "name: maps\ndescription: d\ninputs: { items: { type: array } }\nsteps:\n  - { id: m, type: map, over: '${{flow.input.items}}', do: works, max_concurrent: 3 }\n  - { id: z, agent: worker, blockedBy: m }\n",
      "waits.yaml":
        "name: waits\ndescription: d\nsteps:\n  - { id: a, agent: worker }\n  - { id: nap, type: wait, for: 10m, blockedBy: a }\n",
    },
  })
  return t
}

const begin = async (t: Tenant, flow: string, body: object = {}): Promise<string> =>
  (await t.ask<{ id: string }>("POST", `/v1/flows/${flow}/runs`, { task: "go", ...body })).id
const eventsOf = async (t: Tenant, id: string): Promise<RunEvent[]> =>
  (await t.ask<{ data: RunEvent[] }>("GET", `/v1/runs/${id}/events?limit=1000`)).data
const usage = (t: Tenant, by: string): Promise<Usage> => t.ask("GET", `/v1/usage?by=${by}`)

function sumOf(events: readonly RunEvent[]) {
  const sum = noFigures()
  for (const e of events) {
    if (e.type === "model.replied") {
      sum.input += e.usage.input
      sum.cached += e.usage.cacheRead ?? 0
      sum.output += e.usage.output
      sum.model_calls += 1
      if (e.cost === null) sum.unpriced += 1
      else sum.usd = Number(((sum.usd ?? 0) + e.cost).toFixed(9))
    }
    if (e.type === "tool.called") sum.tool_calls += 1
    if (e.type === "tool.returned" && e.isError) sum.tool_errors += 1
  }
  return sum
}

test("[H13] equals the sum over the journals: children, a fork, failed runs, reports that come twice, a tenant that dies", async () => {
  const t = await withFlows("usage-sums")
  // The answer to every third report is lost after it was recorded, and with some the tenant's object too.
  const ask = TenantObject.prototype.ask
  let reports = 0
  let lost = 0
  const spy = vi.spyOn(TenantObject.prototype, "ask").mockImplementation(async function (this: TenantObject, ...call) {
    const answer: unknown = await Reflect.apply(ask, this, call)
    if (call[0] === "runs" && call[1] === "note" && tenantOf(this) === t.id && ++reports % 3 === 0 && lost < 5) {
      lost += 1
      throw new Error("the answer is lost")
    }
    return answer
  })
  const roots: string[] = []
  const begun = async (flow: string, body: object = {}): Promise<string> => {
    const id = await begin(t, flow, body)
    roots.push(id)
    return id
  }
  try {
    // The test runner loads a provider's code for the first call: many objects at once would share that wait.
    await ended(t, await begun("works"))
    for (let n = 1; n < 16; n++)
      await (n % 6 === 5 ? begun("maps", { inputs: { items: [1, 2, 3] } }) : begun(n % 4 === 3 ? "loses" : "works"))
    await Promise.all(roots.map((id) => ended(t, id)))
    // Reports whose answers were lost come again to an object that remembers nothing.
    await evictDurableObject(tenantObject(t.id))
    const mapped = roots[5] ?? ""
    const fork = await t.ask<{ id: string }>("POST", `/v1/runs/${mapped}/fork`, { from: { step: "z" } })
    roots.push(fork.id)
    await ended(t, fork.id)
  } finally {
    spy.mockRestore()
  }
  expect(lost).toBeGreaterThan(2)
  const listed = await until(async () => {
    const { data } = await t.ask<{ data: { id: string; ended: string | null; parent?: object; fork?: { seq: number } }[] }>(
      "GET",
      "/v1/runs?children=1&limit=200",
    )
    return data.length === roots.length + 6 && data.every((run) => run.ended !== null) && data
  }, "the ends of all runs in the list")
  const journals = await Promise.all(
    listed.map(async ({ id, fork }) => (await eventsOf(t, id)).filter(({ seq }) => seq > (fork?.seq ?? 0))),
  )
  expect(listed.find(({ id }) => id === roots.at(-1))?.fork?.seq).toBeGreaterThan(5)
  const right = sumOf(journals.flat())
  expect(right.input).toBeGreaterThan(0)
  expect(right.usd).toBeGreaterThan(0)
  for (const by of ["day", "flow"]) {
    const { total, data } = await usage(t, by)
    expect({ ...total, usd: Number(total.usd?.toFixed(9)) }).toMatchObject(right)
    expect(total).toMatchObject({ runs: roots.length, children: 6 })
    expect(data.reduce((sum, row) => sum + row.input, 0)).toBe(right.input)
    expect(data.reduce((sum, row) => sum + row.failed, 0)).toBe(total.failed)
  }
  const models = await usage(t, "model")
  expect(models.data.map(({ key }) => key)).toEqual(["m/worker", "m/loser"])
  expect(models.data.reduce((sum, row) => sum + row.output, 0)).toBe(right.output)
  // [H16] The same from the sums of the hour, which a report that comes twice does not grow either.
  const { total } = await t.ask<Overview>("GET", "/v1/overview")
  const { runs, children, began, ms } = total
  expect(began).toBe(roots.length)
  expect([runs.succeeded + runs.failed, children.succeeded, runs.failed]).toEqual([roots.length, 6, (await usage(t, "day")).total.failed])
  expect(ms?.n).toBe(roots.length)
  expect({ ...total, usd: Number(total.usd?.toFixed(9)) }).toMatchObject({
    input: right.input,
    cached: right.cached,
    output: right.output,
    usd: right.usd,
  })
  expect(total.models.reduce((sum, { calls }) => sum + calls, 0)).toBe(right.model_calls)
  expect(total.tools.reduce((sum, { errors }) => sum + errors, 0)).toBe(right.tool_errors)
  const maps = await t.ask<FlowMeasures>("GET", "/v1/flows/maps/measures")
  // The fork kept the map, and one run in it worked on.
  expect(maps.total.steps.map(({ step, reached, failed }) => [step, reached, failed])).toEqual([
    ["m", 2, 0],
    ["z", 3, 0],
  ])
  expect(maps.total.revisions).toMatchObject([{ runs: { succeeded: 3 }, success: 1 }])
  const works = await t.ask<FlowMeasures>("GET", "/v1/flows/works/measures")
  expect(works.total.children.succeeded).toBe(6)
  expect(works.total.steps[0]?.reached).toBe(works.total.runs.succeeded + 6)
  const tools = await usage(t, "tool")
  expect(tools.data.reduce((sum, row) => sum + row.tool_calls, 0)).toBe(right.tool_calls)
  expect(tools.data.find(({ key }) => key === "read")?.tool_errors).toBe(right.tool_errors)
})

test("[H13] for each day by name, rows add up to the day; of more than 20 names the rest of a day is one row", async () => {
  await runInDurableObject(tenantObject("usage-daily"), (_, { storage }) => {
    const store = new UsageStore(new TenantSql(storage))
    const line = (name: string, no: number) => ({ kind: "flow" as const, name, ...noFigures(), input: no, usd: no / 1_000 })
    for (const day of [100, 101, 103])
      for (let no = 0; no < 30; no++)
        store.add({ day, rehearsed: false, child: false, failed: no === 3, lines: [line(`f${no}`, day * (no + 1))] })
    store.add({ day: 101, rehearsed: true, child: false, failed: false, lines: [line("f0", 9)] })
    const days = store.sums({ by: "day", from: 100, to: 110, rehearsed: false }).data
    const { data, total, complete } = store.sums({ by: "flow", from: 100, to: 110, rehearsed: false, daily: true })
    expect([complete, data.length, total.runs]).toEqual([false, 3 * 21, 90])
    expect(data.map(({ day }) => day)).toEqual(days.flatMap(({ key }) => Array.from({ length: 21 }, () => key)))
    for (const { key, runs, failed, input, usd } of days) {
      const rows = data.filter(({ day }) => day === key)
      const sum = (of: (row: (typeof rows)[number]) => number): number => rows.reduce((all, row) => all + of(row), 0)
      expect([sum((row) => row.runs), sum((row) => row.failed), sum((row) => row.input)]).toEqual([runs, failed, input])
      expect(sum((row) => row.usd ?? 0)).toBeCloseTo(usd ?? 0, 9)
      expect(rows.at(0)?.key).toBe("f29")
      expect(rows.at(-1)).toMatchObject({ key: "(other)", runs: 10 })
    }
    const one = store.sums({ by: "flow", from: 100, to: 100, rehearsed: true, daily: true })
    expect(one).toMatchObject({ data: [], complete: true })
  })
})

test("[H13] what a run had used counts when it is deleted, once, and rehearsed runs are apart", async () => {
  const t = await withFlows("usage-deleted")
  const id = await begin(t, "waits")
  await until(async () => (await eventsOf(t, id)).some(({ type }) => type === "run.waiting"), "the wait")
  expect((await usage(t, "day")).data).toEqual([])
  await t.ask("DELETE", `/v1/runs/${id}`)
  const gone = await until(async () => {
    const seen = await usage(t, "flow")
    return seen.data.length > 0 && seen
  }, "the usage of the deleted run")
  const summed = await t.ask<FlowMeasures>("GET", "/v1/flows/waits/measures")
  expect(summed.total).toMatchObject({
    began: 1,
    runs: { canceled: 1 },
    input: 190,
    steps: [
      { step: "a", reached: 1 },
      { step: "nap", left: 1 },
    ],
  })
  expect(gone.total).toMatchObject({ runs: 1, failed: 0, input: 190, cached: 100, output: 50, model_calls: 2 })
  const done = await begin(t, "works")
  await ended(t, done)
  await until(async () => (await usage(t, "day")).total.runs === 2, "the second run")
  await t.ask("DELETE", `/v1/runs/${done}`)
  await until(async () => (await t.raw("GET", `/v1/runs/${done}`)).status === 404, "the deletion")
  expect((await usage(t, "day")).total.runs).toBe(2)
  expect((await t.ask<Overview>("GET", "/v1/overview")).total).toMatchObject({ began: 2, runs: { succeeded: 1, canceled: 1 } })

  const played = await begin(t, "works", { rehearse: true })
  await ended(t, played)
  const apart = await until(async () => {
    const seen = await t.ask<Usage>("GET", "/v1/usage?rehearsed=1")
    return seen.total.runs === 1 && seen
  }, "the rehearsed run")
  expect(apart.rehearsed).toBe(true)
  expect((await usage(t, "day")).total.runs).toBe(2)
})

test("[H13] a run that is deleted before any of its reports has arrived counts once", async () => {
  const t = await withFlows("usage-unheard")
  const { remove } = portOf(env, t.id, "runs")
  const lines = [{ kind: "flow" as const, name: "quick", ...noFigures(), input: 7 }]
  const last = { usage: { day: Math.floor(Date.now() / 86_400_000), rehearsed: false, child: false, failed: false, lines } }
  for (let n = 0; n < 2; n++) await remove("run_unheard", last)
  expect((await usage(t, "flow")).data).toMatchObject([{ key: "quick", runs: 1, input: 7 }])
})

test("[H13] of more than 500 names on a day the rest is counted together, and days leave after 400", async () => {
  await runInDurableObject(tenantObject("usage-bounds"), (_, { storage }) => {
    const sql = new TenantSql(storage)
    const store = new UsageStore(sql)
    const line = (name: string) => ({ kind: "tool" as const, name, ...noFigures(), tool_calls: 1 })
    const day = (of: number, names: readonly string[]) =>
      store.add({ day: of, rehearsed: false, child: false, failed: true, lines: names.map(line) })
    day(100, ["old"])
    day(100, ["old"])
    for (let n = 0; n < 6; n++)
      day(
        300,
        Array.from({ length: 100 }, (__, i) => `t${n * 100 + i}`),
      )
    const sums = store.sums({ by: "tool", from: 100, to: 300, rehearsed: false })
    expect(sums.data).toHaveLength(502)
    expect(sums.data.find(({ key }) => key === "(other)")).toMatchObject({ tool_calls: 100, runs: 100, failed: 100 })
    expect(sums.data.find(({ key }) => key === "old")?.tool_calls).toBe(2)
    day(501, ["new"])
    expect(store.sums({ by: "tool", from: 0, to: 600, rehearsed: false }).data.some(({ key }) => key === "old")).toBe(false)
    // More names than an answer has rows.
    for (let n = 0; n < 6; n++)
      day(
        502 + n,
        Array.from({ length: 200 }, (__, i) => `x${n * 200 + i}`),
      )
    const many = store.sums({ by: "tool", from: 0, to: 600, rehearsed: false })
    expect([many.data.length, many.complete]).toEqual([1_000, false])
  })
})

test("[H13] what people were asked is in the sums by day and by name, each day by itself, and in the table", async () => {
  const t = await withFlows("usage-asked")
  const day = Math.floor(Date.now() / 86_400_000)
  await runInDurableObject(tenantObject(t.id), (_, ctx) => {
    const store = new UsageStore(new TenantSql(ctx.storage))
    const asked = (approvals: number) => ({ questions: 1, approvals, answered: 2, waited_ms: 90_000 })
    const of = (kind: "flow" | "tool", name: string, approvals?: number) => ({
      kind,
      name,
      ...noFigures(),
      ...(approvals === undefined ? {} : { asked: asked(approvals) }),
    })
    const run = { day, rehearsed: false, child: false, failed: false }
    store.add({ ...run, lines: [of("flow", "mail", 2), of("tool", "send", 2)] })
    store.add({ ...run, lines: [of("flow", "mail", 3)] })
    store.add({ ...run, lines: [of("flow", "quiet")] })
  })
  await evictDurableObject(tenantObject(t.id))
  const mail = { questions: 2, approvals: 5, answered: 4, waited_ms: 180_000 }
  const none = { questions: 0, approvals: 0, answered: 0, waited_ms: 0 }
  expect(await usage(t, "day")).toMatchObject({ data: [{ runs: 3, ...mail }], total: { runs: 3, ...mail } })
  const { data } = await usage(t, "flow")
  expect(data.find(({ key }) => key === "mail")).toMatchObject(mail)
  expect(data.find(({ key }) => key === "quiet")).toMatchObject(none)
  expect((await usage(t, "tool")).data).toMatchObject([{ key: "send", approvals: 2, waited_ms: 90_000 }])
  expect((await t.ask<Usage>("GET", "/v1/usage?by=flow&each=day")).data).toMatchObject([
    { key: "mail", ...mail },
    { key: "quiet", ...none },
  ])
  const table = await (await t.raw("GET", "/v1/usage?by=flow&format=csv")).text()
  expect(table.split("\r\n")[0]).toMatch(/,questions,approvals,answered,waited_ms,lost_calls,lost_tokens$/)
  expect(table).toMatch(/^mail,.*,2,5,4,180000,0,0\r?$/m)
})
