// The most that one reply of a model may hold [J20]: a longer one is a failed call, and nothing of it reaches the journal.

import { expect, test } from "vitest"
import { Stand } from "../../support/engine/stand.ts"

const FLOW = "name: f\ndescription: d\nsteps:\n  - { id: a, type: agent, agent: w }\n"
const WORKER = "---\nname: w\ndescription: d\ntools: [ls]\n---\nWork.\n"

test("[J20] a reply of more than 400,000 characters fails", async () => {
  const s = new Stand(FLOW, [WORKER])
  s.start()
  await (await s.next("a")).answer({ text: "x".repeat(400_001) })
  await s.settle()
  expect(s.journal.read(0, 10_000).find((e) => e.type === "model.failed")).toMatchObject({
    message: "the model's reply is longer than 400000 characters",
  })
})

test("[J20] the message of a failed call is cut to 2,000 characters", async () => {
  const s = new Stand(FLOW, [WORKER])
  s.start()
  await (await s.next("a")).answer({ error: { retryable: false, message: "x".repeat(50_000) } })
  await s.settle()
  expect(s.journal.read(0, 10_000).find((e) => e.type === "model.failed")).toMatchObject({ message: "x".repeat(2_000) })
})
