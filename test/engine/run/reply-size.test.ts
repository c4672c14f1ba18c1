// The most that one reply of a model may hold [J20]: a longer one is a failed call, and nothing of it reaches the journal.

import { expect, test } from "vitest"
import { MAX_CALLS } from "../../../src/ports/model.ts"
import { Stand } from "../../support/engine/stand.ts"

const FLOW = "name: f\ndescription: d\nsteps:\n  - { id: a, type: agent, agent: w }\n"
const WORKER = "---\nname: w\ndescription: d\ntools: [ls]\n---\nWork.\n"
const calls = (count: number) => Array.from({ length: count }, () => ({ name: "ls", args: {} }))

test("[J20] a reply with more calls than the limit fails, and says how many it has", async () => {
  const s = new Stand(FLOW, [WORKER])
  s.start()
  await (await s.next("a")).answer({ calls: calls(MAX_CALLS + 1) })
  await s.settle()
  const events = s.journal.read(0, 10_000)
  expect(events.filter((e) => e.type === "model.replied" || e.type === "tool.called")).toEqual([])
  expect(events.find((e) => e.type === "model.failed")).toMatchObject({
    message: `the model's reply has ${MAX_CALLS + 1} tool calls; at most ${MAX_CALLS} are allowed`,
  })
})

test("[J20] a reply with as many calls as the limit is carried out", async () => {
  const s = new Stand(FLOW, [WORKER])
  s.start()
  await (await s.next("a")).answer({ calls: calls(MAX_CALLS) })
  await s.settle()
  expect(s.journal.read(0, 10_000).filter((e) => e.type === "tool.returned")).toHaveLength(MAX_CALLS)
})

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
