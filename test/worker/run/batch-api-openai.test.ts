// Maps whose calls go through OpenAI's Batch API.

import { afterAll, beforeAll, expect, test } from "vitest"
import { BatchStand, eventsNamed, foundBatchTenant, start } from "../../support/worker/batch-stand.ts"

let stand: BatchStand

beforeAll(async () => {
  stand = new BatchStand("responses")
  await foundBatchTenant("batch-responses")
})
afterAll(() => stand.restore())

test("[R37] a batch whose answer was lost is found by its name: no item is asked twice", async () => {
  stand.provider.lose = { path: /POST \/batches$/, when: "after" }
  const run = await start("ba-map-two", { inputs: { list: ["x", "y"] } })
  await stand.until("tried", () => stand.calls === 2)
  stand.pass(60_000)
  await stand.ring(run)
  await stand.until("found", async () => (await eventsNamed(run, "batch.sent")).length === 1)
  expect(await stand.toEndWith(run)).toMatchObject({ status: "succeeded", output: { outputs: { succeeded: 2 } } })
  expect([...stand.provider.seen.values()]).toEqual([1, 1])
  expect((await eventsNamed(run, "action.begun")).filter(({ kind }) => kind === "batch").map(({ attempt }) => attempt)).toEqual([1, 2])
})

test("[R37] one that never arrived is sent again, and costs nothing twice", async () => {
  stand.provider.seen.clear()
  stand.provider.lose = { path: /POST \/batches$/, when: "before" }
  const run = await start("ba-map-two", { inputs: { list: ["z"] } })
  await stand.until("tried", () => stand.provider.lose === undefined)
  expect(await stand.toEndWith(run)).toMatchObject({ status: "succeeded" })
  expect([...stand.provider.seen.values()]).toEqual([1])
})
