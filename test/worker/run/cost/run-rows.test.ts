// What a row of the list says [H5]: its task and revision, where the run is, what it asks, or why it failed.

import { expect, test } from "vitest"
import type { RunRow } from "../../../../src/api/doc/run/runs.doc.ts"
import type { RunView } from "../../../../src/core/run/views/view.ts"
import { ended, tenant, until, type Tenant } from "../../../support/worker/service-client.ts"

const agent = (name: string, tools = ""): string =>
  `---\nname: ${name}\ndescription: d\nmodel: m/${name}\ntools: [${tools}]\n---\nDo it. \${{task}}\n`
const DONE = { finish: { status: "complete", summary: "ok" } }

async function withFlows(id: string): Promise<Tenant> {
  const t = await tenant(id)
  const ask = { calls: [{ tool: "ask_user", args: { type: "input", question: `Which one? ${"é😀".repeat(100)}` } }] }
  await t.ask("PUT", "/v1/settings/providers/m", {
    kind: "scripted",
    turns: {
      asker: [ask, DONE],
      worker: [DONE],
      loser: [{ finish: { status: "error", summary: `went wrong ${"x".repeat(300)}` } }],
    },
  })
  await t.ask("PUT", "/v1/secrets/own", { value: "hunter22hunter22" })
  await t.ask("PUT", "/v1/catalog", {
    agents: { "asker.md": agent("asker", "ask_user"), "worker.md": agent("worker"), "loser.md": agent("loser") },
    flows: {
      "asks.yaml": "name: asks\ndescription: d\nsteps:\n  - { id: a, agent: worker }\n  - { id: b, agent: asker, blockedBy: a }\n",
      "loses.yaml": "name: loses\ndescription: d\nsteps:\n  - { id: a, agent: loser }\n",
      "maps.yaml":
        "name: maps\ndescription: d\ninputs: { items: { type: array } }\nsteps:\n  - { id: m, type: map, over: '${{flow.input.items}}', do: asks, max_concurrent: 3 }\n",
      "waits.yaml": "name: waits\ndescription: d\nsteps:\n  - { id: nap, type: wait, for: 10m }\n",
    },
  })
  return t
}

const rowOf = async (t: Tenant, id: string): Promise<RunRow | undefined> =>
  (await t.ask<{ data: RunRow[] }>("GET", "/v1/runs")).data.find((row) => row.id === id)
const start = async (t: Tenant, flow: string, body: object = {}): Promise<string> =>
  (await t.ask<{ id: string }>("POST", `/v1/flows/${flow}/runs`, { task: "go", autonomous: false, ...body })).id

test("[H5] a waiting run's row says what is asked, a failed one's why, and both their task and revision", async () => {
  const t = await withFlows("rows-now")
  const { revision } = await t.ask<{ revision: number }>("GET", "/v1/catalog")
  const task = `Ask hunter22hunter22 ${"a".repeat(300)}`
  const asks = await start(t, "asks", { task })
  const waiting = await until(async () => {
    const row = await rowOf(t, asks)
    return row?.now?.asks && row
  }, "the question in the list")
  const { task: whole } = await t.ask<RunView>("GET", `/v1/runs/${asks}`)
  expect(waiting.task).toBe(whole.slice(0, 200))
  expect(JSON.stringify(waiting)).not.toContain("hunter22")
  expect(waiting.revision).toBe(revision)
  expect(waiting.now).toMatchObject({ step: "b", reason: "interaction", asks: { kind: "ask_user" } })
  expect(waiting.now?.asks?.text).toMatch(/^Which one\? (é😀)+é?$/u)
  expect(waiting.now?.asks?.text.length).toBeLessThanOrEqual(200)

  const loses = await start(t, "loses")
  await ended(t, loses)
  const lost = await until(async () => {
    const row = await rowOf(t, loses)
    return row?.status === "failed" && row
  }, "the failure in the list")
  expect(lost.now).toMatchObject({ step: "a", source: lost.error?.source })
  expect(lost.now?.message).toHaveLength(200)
  expect(lost.now?.message).toContain("went wrong")

  await t.ask("POST", `/v1/runs/${asks}/cancel`)
  const over = await until(async () => {
    const row = await rowOf(t, asks)
    return row?.status === "canceled" && row
  }, "the cancel in the list")
  expect(over.now).toBeUndefined()
})

test("[H5] a run's row says what the runs below it ask, how many they are and how they are", async () => {
  const t = await withFlows("rows-below")
  const root = await start(t, "maps", { inputs: { items: [1, 2, 3] } })
  const row = await until(async () => {
    const seen = await rowOf(t, root)
    return seen?.children?.count === 3 && seen.children.worst === "waiting" && seen.now?.asks !== undefined && seen
  }, "what the children ask")
  expect(row.now).toMatchObject({ step: "m", asks: { kind: "ask_user" } })
  const { data } = await t.ask<{ data: RunRow[] }>("GET", "/v1/runs?children=1")
  expect(data).toHaveLength(4)
  expect(data.map(({ id }) => id)).toContain(row.now?.asks?.run)
  const count = await t.ask<object>("GET", "/v1/runs/counts")
  expect(count).toEqual({ by: "status", data: [{ key: "waiting", count: 1 }], total: 1, complete: true })
  const flows = await t.ask<{ data: object[] }>("GET", "/v1/runs/counts?by=flow&children=1")
  expect(flows.data).toEqual([
    { key: "asks", count: 3 },
    { key: "maps", count: 1 },
  ])
  await t.ask("POST", `/v1/runs/${root}/cancel`)
})

test("[H5] a row says the step that works; the view how many model calls and retries a step has had", async () => {
  const t = await withFlows("rows-work")
  const naps = await start(t, "waits")
  const row = await until(async () => {
    const seen = await rowOf(t, naps)
    return seen?.now !== undefined && seen
  }, "the step in the list")
  expect(row.now).toMatchObject({ step: "nap", pass: 1 })
  const asks = await start(t, "asks")
  await until(async () => (await rowOf(t, asks))?.now?.asks !== undefined, "the question")
  const { steps } = await t.ask<RunView>("GET", `/v1/runs/${asks}`)
  expect(steps["a"]).toMatchObject({ model_calls: 1, attempts: 1, retries: 0 })
})
