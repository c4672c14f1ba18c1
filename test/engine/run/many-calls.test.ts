// [G6, J8] Replies of many calls through the conductor: commits, rows and hashed text grow with the calls that are taken, not with their
// square, and not with what is refused. Counted, not timed.

import { describe, expect, test } from "vitest"
import type { Commit } from "../../../src/ports/journal.ts"
import { MAX_CALLS } from "../../../src/core/run/session/calls.ts"
import { Stand, type Turn } from "../../support/engine/stand.ts"

const FLOW = "flow: f\nname: f\ndescription: d\nsteps:\n  - id: a\n    type: agent\n    agent: w\n    task: go\n"
const AGENT = "---\nname: w\ndescription: d\ntools: [write, read]\nmodel: m/m\n---\nWork."

interface Cost {
  commits: number
  events: number
  bytes: number
  snapshots: number
}

async function cost(turn: Turn): Promise<{ stand: Stand; cost: Cost }> {
  const stand = new Stand(FLOW, [AGENT])
  const cost: Cost = { commits: 0, events: 0, bytes: 0, snapshots: 0 }
  const commit = stand.journal.commit.bind(stand.journal)
  stand.journal.commit = (entry: Commit) => {
    cost.commits += 1
    cost.events += entry.events.length
    cost.bytes += (entry.texts ?? []).reduce((n, text) => n + text.length, 0) + JSON.stringify(entry.snapshot ?? "").length
    if (entry.snapshot) cost.snapshots += 1
    commit(entry)
  }
  stand.start()
  await expect.poll(() => stand.asked.length).toBe(1)
  await stand.asked[0]?.answer(turn)
  await expect.poll(() => stand.asked.length, { timeout: 30_000, interval: 1 }).toBe(2)
  return { stand, cost }
}

const writes = (count: number, size: number): Turn => ({
  calls: Array.from({ length: count }, (_, i) => ({ name: "write", args: { path: `f${i}.txt`, content: "x".repeat(size) } })),
})

describe("128 calls", () => {
  test.each([10, 1000, 2500])("[J8] writes of %i characters: each call costs the same with 16 calls as with 128", async (size) => {
    const [few, many] = [(await cost(writes(16, size))).cost, (await cost(writes(MAX_CALLS, size))).cost]
    const calls = MAX_CALLS - 16
    // Each call: its start with the result of the call before it, in one commit.
    expect((many.commits - few.commits) / calls).toBeLessThanOrEqual(1.1)
    expect((many.events - few.events) / calls).toBeLessThanOrEqual(4.1)
    // Its arguments are written in the reply, in its own event, and in the few snapshots of this turn.
    expect((many.bytes - few.bytes) / calls).toBeLessThan(1500 + size * (2 + many.snapshots))
    expect(many.snapshots).toBeLessThanOrEqual(2)
  })

  test("[G6] 3,000 calls cost as many commits as 128, and a row for each refused one", async () => {
    const [most, more] = [await cost(writes(MAX_CALLS, 20)), await cost(writes(3000, 20))]
    expect(more.cost.commits).toBe(most.cost.commits)
    expect(more.cost.events).toBe(most.cost.events + 3000 - MAX_CALLS)
    expect(more.stand.journal.list("").length).toBe(MAX_CALLS)
    expect(more.stand.faults).toEqual([])
    const results = more.stand.asked[1]?.request.messages.filter((m) => m.role === "tool")
    expect(results).toHaveLength(3000)
  })

  test("[J22] reads run in parallel, and their results keep the model's order", async () => {
    const calls = Array.from({ length: 200 }, (_, i) => ({ name: "read", args: { path: `f${i}.txt` } }))
    const { stand } = await cost({ calls })
    const results = stand.asked[1]?.request.messages.flatMap((m) => (m.role === "tool" ? [m.callId] : []))
    expect(results).toEqual(calls.map((_, i) => `c${i}`))
    expect(stand.journal.read(0, 10_000).filter((e) => e.type === "tool.called")).toHaveLength(MAX_CALLS)
  })
})

describe("huge arguments", () => {
  test("[G6] a reply whose calls are too large together continues: those that fit run, the others are refused with the limit", async () => {
    const { stand } = await cost(writes(30, 50_000))
    const refused = stand.journal.read(0, 1000).flatMap((e) => (e.type === "tool.refused" ? [e] : []))
    expect(stand.journal.list("").length).toBe(7)
    expect(refused).toHaveLength(23)
    expect(refused[0]).toMatchObject({ code: "invalid_args" })
    expect(refused[0]?.reason).toMatch(/400000/)
    expect(refused[0]?.digest).toMatch(/^[0-9a-f]{64}$/)
    expect(stand.conductor.run.status).toBe("running")
  })

  test("[G6] one call of a megabyte is refused, and the small one beside it runs", async () => {
    const { stand } = await cost({
      calls: [
        { name: "write", args: { path: "big.txt", content: "x".repeat(1_000_000) } },
        { name: "write", args: { path: "small.txt", content: "x" } },
      ],
    })
    expect(stand.journal.list("").map((f) => f.path)).toEqual(["small.txt"])
    expect(JSON.stringify(stand.journal.read(0, 1000)).length).toBeLessThan(50_000)
  })
})
