// What a run costs in its object: commits, rows, alarms, statements and bytes, counted. Each number is an upper bound that a change may only
// lower; docs/decisions/0041 says what they were.

import { evictDurableObject, runInDurableObject } from "cloudflare:test"
import { beforeAll, expect, test, vi } from "vitest"
import type { RunView } from "../../../../src/core/run/views/view.ts"
import { ask, flow, runOf, stub } from "../../../support/worker/house.ts"
import { counting, type RunCounts } from "../../../support/worker/run-counts.ts"

const DONE = { finish: { status: "complete", summary: "ok", files: [] } }
const write = (content: string): object => ({ calls: [{ tool: "write", args: { path: "notes.md", content } }] })
const agent = (name: string, tools = ""): string =>
  `---\nname: ${name}\ndescription: w\nmodel: still/${name}\ntools: [${tools}]\n---\nDo it: \${{task}}\n`
const ids = (n: number): string[] => Array.from({ length: n }, (_, i) => `s${String(i).padStart(3, "0")}`)
const chain = (length: number, by = "worker"): string =>
  ids(length)
    .map((id, i, all) => `  - { id: ${id}, agent: ${by}, task: step ${i}${i > 0 ? `, blockedBy: [${all[i - 1]}]` : ""} }\n`)
    .join("")
const fan = (width: number): string =>
  `${ids(width)
    .map((id, i) => `  - { id: ${id}, agent: worker, task: step ${i} }\n`)
    .join("")}  - { id: join, agent: worker, blockedBy: [${ids(width).join(", ")}] }\n`

beforeAll(async () => {
  await ask("PUT", "/v1/settings/providers/still", { kind: "scripted", turns: { "*": [DONE], writer: [write("one"), write("two"), DONE] } })
  await ask("PUT", "/v1/catalog", {
    agents: { "worker.md": agent("worker"), "writer.md": agent("writer", "write") },
    flows: {
      "chain-10.yaml": flow("chain-10", chain(10)),
      "chain-200.yaml": flow("chain-200", chain(200)),
      "files-130.yaml": flow("files-130", chain(130, "writer")),
      "fan-100.yaml": flow("fan-100", fan(100), "max_concurrent: 100\n"),
    },
  })
})

interface Cost extends RunCounts {
  /** Characters of the events without `prev`, their sequence and their time. */
  readonly payload: number
  readonly id: string
}

/** The cost of a run until everyone knows of its end, and its alarm is that of its deletion. */
const costOf = (name: string): Promise<Cost> =>
  counting(async (countsOf) => {
    // Whoever looks at a run has it stored first, so nothing is asked before its end.
    const run = await ask<RunView>("POST", `/v1/flows/${name}/runs`, { task: "go" }, { prefer: "wait=80" })
    expect(run.status).toBe("succeeded")
    const alarm = (): Promise<number | null> => runInDurableObject(stub(run.id), (_, { storage }) => storage.getAlarm())
    await vi.waitFor(async () => expect(await alarm()).toBeGreaterThan(Date.now() + 3_600_000))
    const counts = await countsOf(run.id)
    const { data } = await ask<{ data: object[] }>("GET", `/v1/runs/${run.id}/events?limit=1000`)
    const payload = data.reduce(
      (sum, e) => sum + JSON.stringify({ ...e, seq: undefined, at: undefined, v: undefined, prev: undefined }).length,
      0,
    )
    console.log(name, JSON.stringify({ ...counts, payload }))
    return { ...counts, payload, id: run.id }
  })

test("[J15] ten steps that stay in the house are three commits, six rows and two alarms", async () => {
  const cost = await costOf("chain-10")
  expect(cost.events).toBe(42)
  expect(cost.tables).toEqual(["entry"])
  expect(cost.commits).toBeLessThanOrEqual(3)
  expect(cost.rowsWritten).toBeLessThanOrEqual(8)
  expect(cost.alarms).toBeLessThanOrEqual(2)
  expect(cost.statements).toBeLessThanOrEqual(10)
  expect(cost.bytes).toBeLessThanOrEqual(16 * 1024)
  expect(cost.journal).toBeLessThanOrEqual(cost.payload + 150 * cost.events)
})

test("[J8] 200 steps take 57 to 64 KB at rest, by where the commits fall", async () => {
  const cost = await costOf("chain-200")
  expect(cost.events).toBe(802)
  // By size alone it is six; a slow machine adds one each second.
  expect(cost.commits).toBeLessThanOrEqual(20)
  expect(cost.alarms).toBeLessThanOrEqual(2)
  expect(cost.bytes).toBeLessThanOrEqual((64 + 12 * Math.max(0, cost.commits - 6)) * 1024)
  expect(cost.journal).toBeLessThanOrEqual(cost.payload + 150 * cost.events)
})

test("[J15] a hundred parallel steps and a join are at most ten commits", async () => {
  const cost = await costOf("fan-100")
  expect(cost.commits).toBeLessThanOrEqual(10)
  expect(cost.rowsWritten).toBeLessThanOrEqual(25)
  // Two more if the isolate does not know yet that the model is scripted: a hundred calls are then counted as leaving [J16].
  expect(cost.alarms).toBeLessThanOrEqual(4)
})

test("[J8] the object of a run with a thousand events, each decision of which was stored, wakes up with fifty rows", async () => {
  const { id, events, commits } = await costOf("files-130")
  expect(events).toBeGreaterThan(1_000)
  expect(commits).toBeGreaterThan(130)
  await evictDurableObject(stub(id))
  const rows = await counting(async (countsOf) => {
    expect((await runOf(id)).status).toBe("succeeded")
    return (await countsOf(id)).rowsRead
  })
  console.log("rows read to wake", rows)
  expect(rows).toBeLessThanOrEqual(50)
})
