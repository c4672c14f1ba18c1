// The cost of a late reader in SQLite rows [J8]: the platform bills rows read, and a run may have ten thousand.

import { runInDurableObject } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { expect, test } from "vitest"
import { SqlJournal } from "../../../../src/cloudflare/run/journal/journal-sql.ts"
import type { Fact, RunEvent } from "../../../../src/core/run/event.ts"
import { Harness } from "../../../../src/core/run/views/harness.ts"
import { Projections } from "../../../../src/engine/run/projections.ts"
import { readMessages } from "../../../../src/engine/run/read-messages.ts"

const said = (turn: number): Fact => ({
  type: "model.replied",
  step: "a",
  pass: 1,
  turn,
  key: `a/1/${turn}/model`,
  text: `turn ${turn}`,
  toolCalls: [],
  usage: { input: 1, output: 1 },
  cost: null,
  stopReason: "stop",
  system: "s",
})

/** A journal with this many turns, one row each, over a storage that counts the rows read. */
async function measured<T>(turns: number, body: (journal: SqlJournal, rows: () => number) => T): Promise<T> {
  return runInDurableObject(env.RUN.get(env.RUN.idFromName(`rows/${turns}`)), (_, ctx) => {
    const journal = new SqlJournal(ctx.storage)
    const event = (seq: number, fact: Fact): RunEvent => ({ seq, at: seq, v: 1, prev: "0".repeat(64), ...fact })
    journal.commit({ events: [event(1, { type: "step.opened", step: "a", stepType: "agent", agent: "a", pass: 1, tools: [] })], after: 0 })
    for (let i = 0; i < turns; i++) journal.commit({ events: [event(i + 2, said(i))], after: i + 1 })
    const cursors: SqlStorageCursor<Record<string, SqlStorageValue>>[] = []
    const sql = new Proxy(ctx.storage.sql, {
      get: (target, name) =>
        name === "exec"
          ? (query: string, ...values: SqlStorageValue[]) => {
              const cursor = target.exec(query, ...values)
              cursors.push(cursor)
              return cursor
            }
          : Reflect.get(target, name),
    })
    const storage = new Proxy(ctx.storage, {
      get(target, name): unknown {
        const it: unknown = name === "sql" ? sql : Reflect.get(target, name)
        return typeof it === "function" ? it.bind(target) : it
      },
    })
    return body(new SqlJournal(storage), () => cursors.reduce((sum, cursor) => sum + cursor.rowsRead, 0))
  })
}

const lastMessages = (turns: number): Promise<number> =>
  measured(turns, (journal, rows) => {
    const page = readMessages(journal, { step: "a", opened: 1, after: turns - 4, chars: 4_000_000 })
    expect(page.data.map((m) => m.seq)).toEqual([turns - 3, turns - 2, turns - 1, turns, turns + 1])
    return rows()
  })

test("[J8] [J21] the last messages of 2,000 turns read as many rows as those of 200", async () => {
  const [short, long] = [await lastMessages(200), await lastMessages(2_000)]
  expect(long).toBeLessThan(100)
  expect(long).toBeLessThanOrEqual(short + 5)
})

test("[H6] the sizes of a run's files are summed only after a change, not for each report", async () => {
  await measured(3, (journal, rows) => {
    const files = Array.from({ length: 50 }, (_, i) => ({ path: `f${i}`, base: null, hash: "h", size: 2 }))
    const next = (seq: number): RunEvent => ({ seq, at: seq, v: 1, prev: "0".repeat(64), ...said(seq) })
    expect(journal.size()).toBe(0)
    journal.commit({ events: [next(5)], after: 4, files })
    expect(journal.size()).toBe(100)
    journal.commit({ events: [next(6)], after: 5 })
    const before = rows()
    expect(journal.size()).toBe(100)
    expect(rows()).toBe(before)
    journal.commit({ events: [next(7)], after: 6, files: [{ path: "f0", base: "h", hash: null, size: 0 }] })
    expect(journal.size()).toBe(98)
  })
})

test("[J8] [E3] a projection read page by page reads each row once", async () => {
  const rows = await measured(1_000, (journal, count) => {
    const places = new Projections(journal)
    for (let after = 0; after < 1_001;) {
      const projection = places.at("harness", after, () => new Harness())
      const events = journal.read(after, 100)
      for (const e of events) projection.frames(e)
      after = events.at(-1)?.seq ?? 1_001
      places.keep("harness", after, projection)
    }
    return count()
  })
  expect(rows).toBeLessThan(1_100)
})
