// What the isolate computes for a run that goes nowhere: hashes, texts of JSON, timers and AbortControllers, from the request to the last report
// [J7, N4]. Counts, so that a loaded machine gives the same; they include what the test's own client does. The tenant is its own: nothing that
// other tests have left there is counted.

import { runInDurableObject } from "cloudflare:test"
import { beforeAll, expect, test, vi } from "vitest"
import { flow, stub } from "../../../support/worker/house.ts"
import { tenant, type Tenant } from "../../../support/worker/service-client.ts"
import { workOf, type WorkCounts } from "../../../support/worker/work-counts.ts"

const DONE = { finish: { status: "complete", summary: "ok", files: [] } }
const chain = (length: number): string =>
  Array.from({ length }, (_, i) => `  - { id: s${i}, agent: worker, task: step ${i}${i > 0 ? `, blockedBy: [s${i - 1}]` : ""} }\n`).join("")

let t: Tenant

beforeAll(async () => {
  t = await tenant("work-counts")
  await t.ask("PUT", "/v1/settings/providers/still", { kind: "scripted", turns: { "*": [DONE] } })
  await t.ask("PUT", "/v1/catalog", {
    agents: { "worker.md": "---\nname: worker\ndescription: w\nmodel: still/m\ntools: []\n---\nDo it: ${{task}}\n" },
    flows: { "chain-10.yaml": flow("chain-10", chain(10)), "chain-20.yaml": flow("chain-20", chain(20)) },
  })
})

const workIn = async (name: string, task: string): Promise<WorkCounts> => {
  const counts = await workOf(async () => {
    const run = await t.ask<{ id: string; status: string }>("POST", `/v1/flows/${name}/runs`, { task }, { prefer: "wait=30" })
    expect(run.status).toBe("succeeded")
    const alarm = (): Promise<number | null> => runInDurableObject(stub(run.id, t.id), (_, { storage }) => storage.getAlarm())
    await vi.waitFor(async () => expect(await alarm()).toBeGreaterThan(Date.now() + 3_600_000))
  })
  console.log(name, JSON.stringify(counts))
  return counts
}

test("[J7] a run of ten steps is at most fifty hashes, and one with a new task one more for each of its requests", async () => {
  for (const name of ["chain-10", "chain-20"]) await workIn(name, "go")
  const [ten, twenty] = [await workIn("chain-10", "go"), await workIn("chain-20", "go")]
  // One for each event, and one of the caller's key.
  expect(ten.hashes).toBeLessThanOrEqual(50)
  expect((twenty.hashes - ten.hashes) / 10).toBeLessThanOrEqual(4)
  const other = await workIn("chain-10", "else")
  // Ten requests that were never made, and their prompt.
  expect(other.hashes).toBeLessThanOrEqual(ten.hashes + 11)
})

test("[N4] a step that goes nowhere makes a text for each event, and neither timer nor AbortController", async () => {
  for (const name of ["chain-10", "chain-20"]) await workIn(name, "go")
  // A slow moment adds some: what is held may be stored by a timer, and the end of a run is looked for once more.
  const least = async (name: string): Promise<WorkCounts> => {
    const runs = [await workIn(name, "go"), await workIn(name, "go"), await workIn(name, "go")]
    const of = (kind: keyof WorkCounts): number => Math.min(...runs.map((counts) => counts[kind]))
    return { hashes: of("hashes"), stringify: of("stringify"), timers: of("timers"), controllers: of("controllers") }
  }
  const [ten, twenty] = [await least("chain-10"), await least("chain-20")]
  // Besides the four events: its scripted call and the size of that, and the long texts of its request.
  expect((twenty.stringify - ten.stringify) / 10).toBeLessThanOrEqual(9)
  expect(ten.stringify).toBeLessThanOrEqual(140)
  expect([ten.controllers, twenty.controllers]).toEqual([0, 0])
  // Each eighth turn lets others have the thread.
  expect(twenty.timers - ten.timers).toBeLessThanOrEqual(4)
  // Each call between own objects has a timer for its limit [J12].
  expect(ten.timers).toBeLessThanOrEqual(13)
})
