// A run's journal through today's kernel again, over HTTP [K18]: of a run under way, of one that has ended, with a child.

import { evictDurableObject } from "cloudflare:test"
import { beforeAll, describe, expect, test } from "vitest"
import type { RunView } from "../../../src/core/run/views/view.ts"
import type { Replayed } from "../../../src/ports/run.ts"
import { agent, ask, call, ended, eventsOf, flow, start, stub, until } from "../../support/worker/house.ts"

const replayOf = (id: string): Promise<Replayed> => ask<Replayed>("GET", `/v1/runs/${id}/replay`)

beforeAll(async () => {
  await ask("PUT", "/v1/catalog", {
    agents: { "a.md": agent("a") },
    flows: {
      "child.yaml": flow("child", "  - { id: w, type: wait, signal: go }\n  - { id: x, type: agent, agent: a, blockedBy: w }\n"),
      "parent.yaml": flow("parent", "  - { id: a, type: agent, agent: a }\n  - { id: r, type: flow-ref, flow: child, blockedBy: a }\n"),
    },
  })
})

describe("GET /v1/runs/{id}/replay", () => {
  test("[K18] is identical while the run waits, after it woke again, when it has ended, and of its child; it changes nothing", async () => {
    const id = await start("parent")
    const { children } = await until(id, (r) => r.children.length > 0)
    const [child = ""] = children
    await until(child, (r) => r.status === "waiting")
    const before = await eventsOf(id)
    expect(await replayOf(id)).toEqual({ events: before.length, identical: true })
    await evictDurableObject(stub(id))
    expect(await replayOf(id)).toEqual({ events: before.length, identical: true })
    expect(await eventsOf(id)).toEqual(before)
    await ask("POST", `/v1/runs/${child}/signals/go`, { n: 1 })
    expect((await until(id, ended)).status).toBe("succeeded")
    for (const run of [id, child]) expect(await replayOf(run)).toEqual({ events: (await eventsOf(run)).length, identical: true })
  })

  test("[K18] [H2] of a run that does not exist it is 404", async () => {
    for (const id of [`run_${"0".repeat(26)}`, "nonsense"]) expect((await call("GET", `/v1/runs/${id}/replay`)).status).toBe(404)
  })

  test("[K18] [H6] a run that cannot start replays too", async () => {
    const id = await start("child")
    await ask<RunView>("POST", `/v1/runs/${id}/cancel`)
    expect(await replayOf(id)).toMatchObject({ identical: true })
  })
})
