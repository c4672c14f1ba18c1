// The conductor of a run whose definitions are lost [J12]: what it shows in addition to the journal is not part of the run.

import { expect, test } from "vitest"
import type { Stage } from "../../../src/engine/run/conduct/stage.ts"
import { MemoryJournal } from "../../support/engine/memory-journal.ts"
import { StrandedConductor } from "../../../src/engine/run/stranded-conductor.ts"
import { strandedPlan } from "../../../src/core/run/stranded.ts"
import { agent, done, flow, sha256, Stand } from "../../support/engine/stand.ts"

async function stranded() {
  const stand = new Stand(flow("  - { id: a, type: agent, agent: a }\n  - { id: b, type: agent, agent: a, blockedBy: a }\n"), [agent("a")])
  stand.start()
  await (await stand.next("a")).answer(done())
  const events = stand.events()
  const journal = new MemoryJournal()
  journal.commit({ events, after: 0 })
  const stage: Stage = {
    journal,
    clock: { now: () => 9_000, id: () => "x", random: () => 0.5 },
    hash: sha256,
    perform: () => Promise.reject(new Error("lost")),
    publish: () => undefined,
    alarm: () => undefined,
    fault: () => undefined,
  }
  return { journal, last: events.length, conductor: new StrandedConductor(strandedPlan("f", events), stage, "the flow is lost") }
}

test("[J12] shows why the run is stopped, without making that part of the run: its end matches the journal", async () => {
  const { conductor, journal, last } = await stranded()
  const before = conductor.run
  expect([before.error, before.steps["a"]?.status]).toEqual([{ source: "engine", message: "the flow is lost" }, "complete"])
  expect(conductor.tell({ type: "steer", step: "b", id: "s", message: "go on", by: "ann" })).toEqual({
    ok: false,
    error: { code: "definitions_lost", why: "the flow is lost" },
  })
  expect(journal.last()).toBe(last)
  expect(conductor.tell({ type: "cancel", by: "ann" }).ok).toBe(true)
  expect([conductor.run.status, conductor.run.error, journal.last()]).toEqual(["canceled", undefined, last + 1])
})
