// Maps whose calls go through a provider's batch API, from the start to the last reply.

import { afterAll, beforeAll, expect, test } from "vitest"
import { BatchStand, eventsNamed, putBatchFlows } from "../../support/worker/batch-stand.ts"
import { ask, runOf, start } from "../../support/worker/house.ts"

let stand: BatchStand

beforeAll(async () => {
  stand = new BatchStand("messages")
  await ask("PUT", "/v1/settings/providers/claude", { kind: "anthropic", apiKey: "test-key" })
  await ask("PUT", "/v1/settings/providers/gpt", { kind: "openai", apiKey: "test-key" })
  await putBatchFlows()
})
afterAll(() => stand.restore())

test("[R33] the calls of a map's children leave in one batch once none can go on, and their replies come back to them", async () => {
  const run = await start("ba-map", { inputs: { list: ["a", "b", "c", "d", "e", "f"] } })
  await stand.until("a batch of six", () => stand.calls === 6)
  await stand.until("sent", async () => (await eventsNamed(run, "batch.sent")).length === 1)
  expect((await runOf(run)).steps["m"]).toMatchObject({ batch: { sent: 6, answered: 0, waiting: 6, until: expect.any(String) } })
  const [child = ""] = await stand.childrenOf(run)
  expect(await runOf(child)).toMatchObject({ status: "waiting", waiting: { reason: "batch" } })
  stand.answer()
  expect(await stand.toEnd(run)).toMatchObject({ status: "succeeded", output: { outputs: { succeeded: 6 } } })
  expect(await eventsNamed(run, "batch.ended")).toMatchObject([{ answered: 6, failed: 0, expired: 0, canceled: 0 }])
  expect(await eventsNamed(child, "model.batched")).toMatchObject([{ step: "a", turn: 0, run }])
  expect(await eventsNamed(child, "model.replied")).toMatchObject([{ batch: expect.any(String), usage: { input: 100, output: 20 } }])
  expect(stand.provider.removed).toHaveLength(1)
})
