// The cost of a fork [K15]: a long history is copied and folded once, and never again.

import { evictDurableObject } from "cloudflare:test"
import { beforeAll, expect, test, vi } from "vitest"
import { SqlJournal } from "../../../../src/cloudflare/run/journal/journal-sql.ts"
import { agent, ask, ended, eventsOf, flow, runOf, start, stub, until } from "../../../support/worker/house.ts"

/** Characters of one write; the journal holds each twice: in the reply and in the call. */
const WRITE = 200_000
const WRITES = 13

beforeAll(async () => {
  const write = { calls: [{ tool: "write", args: { path: "f.txt", content: "x".repeat(WRITE) } }] }
  await ask("PUT", "/v1/settings/providers/sc", {
    kind: "scripted",
    turns: { long: [write, { finish: { status: "complete", summary: "done" } }] },
  })
  const steps = Array.from(
    { length: WRITES },
    (_, n) => `  - { id: s${n}, type: agent, agent: long${n > 0 ? `, blockedBy: s${n - 1}` : ""} }\n`,
  )
  await ask("PUT", "/v1/catalog", {
    agents: { "long.md": agent("long").replace("rehearsal/default", "sc/long") },
    flows: { "long.yaml": flow("long", steps.join("")) },
  })
})

test("[K15] a history of 5 MB is forked, and no wake-up reads it again", { timeout: 120_000 }, async () => {
  const id = await start("long")
  await until(id, ended)
  // The first page, which has at most 4 MiB.
  expect(JSON.stringify(await eventsOf(id)).length).toBeGreaterThan(4_000_000)
  const { id: fork } = await ask<{ id: string }>("POST", `/v1/runs/${id}/fork`, { from: { step: `s${WRITES - 1}`, turn: 1 } })
  await until(fork, ended)
  const { seq = 0 } = (await runOf(fork)).fork ?? {}
  await evictDurableObject(stub(fork))
  // The objects of other files read their journals too.
  const real = SqlJournal.prototype.read
  const from: number[] = []
  const read = vi.spyOn(SqlJournal.prototype, "read").mockImplementation(function (this: SqlJournal, ...call) {
    if (this.fork()?.own === seq + 1) from.push(call[0])
    return Reflect.apply(real, this, call)
  })
  try {
    await runOf(fork)
    expect(from).not.toEqual([])
    for (const after of from) expect(after).toBeGreaterThanOrEqual(seq)
  } finally {
    read.mockRestore()
  }
})
