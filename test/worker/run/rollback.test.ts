// [J10, S5] A rollback under a live run: its object wakes with a newer build's event in its table (docs/OPERATING.md). It can be read over every
// route, completes, and does not change that row.

import { evictDurableObject, runInDurableObject } from "cloudflare:test"
import { beforeAll, describe, expect, test } from "vitest"
import { SqlJournal } from "../../../src/cloudflare/run/journal/journal-sql.ts"
import type { RunEvent } from "../../../src/core/run/event.ts"
import { sha256 } from "../../../src/engine/sha256.ts"
import { agent, ask, call, ended, eventsOf, flow, LOCAL, runOf, socket, start, stub, until } from "../../support/worker/house.ts"

const FLOWS = { "news.yaml": flow("news", "  - { id: w, type: wait, signal: go }\n  - { id: a, type: agent, agent: a, blockedBy: w }\n") }

/** Written by a newer build that was rolled back. */
async function withNews(id: string): Promise<{ seq: number; row: string }> {
  const last = (await eventsOf(id)).at(-1)
  if (!last) throw new Error("no events")
  const news = {
    seq: last.seq + 1,
    at: last.at + 1,
    v: 2,
    prev: await sha256(JSON.stringify(last)),
    type: "run.relocated",
    step: "w",
    region: {},
  }
  await runInDurableObject(stub(id), (_, { storage }) =>
    new SqlJournal(storage).commit({ after: last.seq, events: [news as unknown as RunEvent] }),
  )
  await evictDurableObject(stub(id))
  return { seq: news.seq, row: await rowOf(id, news.seq) }
}

const rowOf = (id: string, seq: number): Promise<string> =>
  runInDurableObject(stub(id), (_, { storage }) =>
    storage.sql.exec<{ events: string }>("SELECT events FROM entry WHERE last = ?", seq).one().events.toString(),
  )

beforeAll(() => ask("PUT", "/v1/catalog", { agents: { "a.md": agent("a") }, flows: FLOWS }))

describe("a run that ran under a newer build", () => {
  test("[J10, S5] wakes up, can be read and followed, completes, and its journal keeps the unknown events", async () => {
    const id = await start("news", { rehearse: true })
    await until(id, (r) => r.status === "waiting")
    const before = await runOf(id)
    const { seq, row } = await withNews(id)

    expect(await runOf(id)).toEqual({ ...before, seq })
    for (const door of ["/interactions", "/files", "/steps/a/messages"])
      expect((await call("GET", `/v1/runs/${id}${door}`)).status, door).toBe(200)

    expect((await call("POST", `/v1/runs/${id}/signals/go`, { ok: true })).status).toBeLessThan(300)
    expect((await until(id, ended)).status).toBe("succeeded")

    const events = await eventsOf(id)
    expect(events[seq - 1]).toMatchObject({ type: "run.relocated", v: 2, region: {} })
    for (const [i, e] of events.entries()) if (i > 0) expect(e.prev).toBe(await sha256(JSON.stringify(events[i - 1])))
    expect(await rowOf(id, seq)).toBe(row)

    const stream = await (await call("GET", `/v1/runs/${id}/events`, undefined, { accept: "text/event-stream" })).text()
    expect(stream).toContain("run.relocated")
    expect(stream).toContain("run.ended")
    const original = await call("GET", `/v1/runs/${id}/events?format=pi-flows`, undefined, { accept: "text/event-stream" })
    expect(original.status).toBe(200)
    expect(await original.text()).not.toContain("relocated")
    const { messages } = await socket(`/v1/runs/${id}/events`, { authorization: `Bearer ${LOCAL}` }, (heard) => heard >= events.length)
    expect(messages).toHaveLength(events.length)
  })

  test("[F34, S5] can be canceled", async () => {
    const id = await start("news", { rehearse: true })
    await until(id, (r) => r.status === "waiting")
    await withNews(id)
    expect((await call("POST", `/v1/runs/${id}/cancel`, {})).status).toBeLessThan(300)
    expect((await until(id, ended)).status).toBe("canceled")
  })
})
