// What a run's row tells the messages to receivers [W6].

import { expect, test } from "vitest"
import { rowOf } from "../../../src/cloudflare/run/run-row.ts"
import { Stand } from "../../support/engine/stand.ts"

const FLOW = "name: f\ndescription: d\nsteps:\n  - { id: a, type: agent, agent: w }\n"
const WORKER = "---\nname: w\ndescription: d\ntools: [ls]\n---\nWork.\n"

test("[W6] an output of more than 131,072 characters of JSON is left out of a message, and named", async () => {
  const s = new Stand(FLOW, [WORKER])
  s.start()
  const notices = [{ seq: 1, at: 0, type: "run.succeeded" }]
  const told = (chars: number) => {
    const run = { ...s.conductor.run, notices, output: "x".repeat(chars - 2) }
    return rowOf(run as unknown as typeof s.conductor.run).told
  }
  expect(told(131_072)).toEqual({ output: "x".repeat(131_070) })
  expect(told(131_073)).toEqual({ omitted: ["output"] })
})

test("[Q2] a row has the newest 200 answers of its run, and none that expired", () => {
  const s = new Stand(FLOW, [WORKER])
  s.start()
  const interactions = Object.fromEntries(
    Array.from({ length: 203 }, (_, n) => [`i${n}`, { id: `i${n}`, kind: "fork", status: n === 202 ? "expired" : "answered", decided: n }]),
  )
  const row = rowOf({ ...s.conductor.run, interactions } as unknown as typeof s.conductor.run)
  expect(row.decided?.map(({ id }) => id)).toEqual(Array.from({ length: 200 }, (_, n) => `i${n + 2}`))
  expect(rowOf(s.conductor.run).decided).toBeUndefined()
})
