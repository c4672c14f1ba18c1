// The journal over a Durable Object's SQLite: the contract of every journal, and what applies only to its rows.

import { runInDurableObject } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { describe, expect, test } from "vitest"
import { SqlJournal } from "../../../src/cloudflare/run/journal/journal-sql.ts"
import { sha256 } from "../../../src/cloudflare/platform/sha256.ts"
import type { RunEvent } from "../../../src/core/run/event.ts"
import { newStep, type RunHead, type StepState } from "../../../src/core/run/state.ts"
import type { Commit } from "../../../src/ports/journal.ts"
import { journalContract } from "../../contract/journal.ts"

let n = 0
const inObject = <T>(body: (storage: DurableObjectStorage) => T): Promise<T> =>
  runInDurableObject(env.RUN.get(env.RUN.idFromName(`journal/${n++}`)), (_, ctx) => body(ctx.storage))

journalContract("sql", (body) => inObject((storage) => body(new SqlJournal(storage), () => new SqlJournal(storage))))

const event = (seq: number): RunEvent => ({ seq, at: seq, v: 1, prev: "0".repeat(64), type: "warning", code: "x", message: "m" })

describe("rows", () => {
  test("[J15] the events of one decision are one row", async () => {
    const rows = await inObject((storage) => {
      const journal = new SqlJournal(storage)
      journal.commit({ events: [event(1), event(2), event(3)], after: 0 })
      journal.commit({ events: [event(4)], after: 3 })
      return storage.sql.exec("SELECT first, last FROM entry ORDER BY last").toArray()
    })
    expect(rows).toEqual([
      { first: 1, last: 3 },
      { first: 4, last: 4 },
    ])
  })

  test("[J7] a row contains exactly the texts that were hashed", async () => {
    const body = await inObject((storage) => {
      const journal = new SqlJournal(storage)
      journal.commit({ events: [event(1), event(2)], texts: ['{"seq": 1}', '{"seq": 2}'], after: 0 })
      return storage.sql.exec("SELECT events FROM entry").one()["events"]
    })
    expect(body).toBe('[{"seq": 1},{"seq": 2}]')
  })

  /** A commit as the conductor makes it: each event with the hash of the one before it. */
  const chained = (from: number, to: number, message = "m", prev = "0".repeat(64)): Commit & { texts: string[] } => {
    const events: RunEvent[] = []
    const texts: string[] = []
    for (let seq = from; seq <= to; seq++) {
      const e: RunEvent = {
        ...event(seq),
        prev: texts.length === 0 ? prev : sha256(texts.at(-1) ?? ""),
        message: `${message} ${seq}`,
      } as RunEvent
      events.push(e)
      texts.push(JSON.stringify(e))
    }
    return { events, texts, after: from - 1, isChained: true }
  }

  test("[J7] long rows are compressed, leave out what their own events say, and read back to the byte", async () => {
    const seen = await inObject((storage) => {
      const entry = chained(1, 60, "é😀")
      const journal = new SqlJournal(storage)
      journal.commit(entry)
      const again = new SqlJournal(storage)
      return {
        texts: entry.texts,
        read: again.read(0, 100).map((e) => JSON.stringify(e)),
        page: again.read(17, 3).map((e) => e.seq),
        picked: JSON.stringify(again.pick([31])[0]),
        body: again.rows(0, 60, 1e9)[0]?.body,
        type: storage.sql.exec("SELECT typeof(events) AS t FROM entry").one()["t"],
        size: Number(storage.sql.exec("SELECT length(events) AS n FROM entry").one()["n"]),
      }
    })
    expect(seen.read).toEqual(seen.texts)
    expect(seen.page).toEqual([18, 19, 20])
    expect(seen.picked).toBe(seen.texts[30])
    expect(seen.body).toBe(`[${seen.texts.join(",")}]`)
    expect(seen.type).toBe("blob")
    // The hashes alone would be 60 × 32 bytes.
    expect(seen.size).toBeLessThan(1_500)
  })

  test("[J7] events that are not a chain keep what they say of the one before", async () => {
    const events = Array.from({ length: 60 }, (_, i) => ({ ...event(i + 1), prev: "ab".repeat(32) }))
    const read = await inObject((storage) => {
      new SqlJournal(storage).commit({ events, after: 0 })
      return new SqlJournal(storage).read(0, 100)
    })
    expect(read).toEqual(events)
  })

  test("[K8] the cuts of a compressed row are those of its commit", async () => {
    const cuts = await inObject((storage) => {
      const journal = new SqlJournal(storage)
      journal.commit({ ...chained(1, 60), cuts: [7, 30, 60] })
      journal.commit({ events: [event(61)], after: 60 })
      return new SqlJournal(storage).cuts()
    })
    expect(cuts).toEqual([7, 30, 60, 61])
  })

  test("[J8] a snapshot is the head and the groups of steps that were touched; a step without a group is one of its own", async () => {
    const seen = await inObject((storage) => {
      const step = (pass: number): StepState => ({ ...newStep(), pass })
      const head = { seq: 1, task: "t" } as unknown as RunHead
      const snapshot = { head, steps: { a: step(3), b: step(4), c: step(5) }, groups: { "0": ["a", "b"] } }
      new SqlJournal(storage).commit({ events: [event(1)], after: 0, snapshot })
      const names = storage.sql.exec("SELECT name FROM part ORDER BY name").toArray()
      return { read: new SqlJournal(storage).snapshot(), names: names.map((r) => r["name"]) }
    })
    expect(seen.read).toMatchObject({ head: { seq: 1 }, steps: { a: { pass: 3 }, b: { pass: 4 }, c: { pass: 5 } } })
    expect(seen.names).toEqual(["group/0", "group/of c", "top"])
  })

  test("[J15] a commit of one row needs no transaction; a larger commit is rolled back as a whole", async () => {
    const seen = await inObject((storage) => {
      const journal = new SqlJournal(storage)
      journal.commit({ events: [event(1)], after: 0 })
      journal.commit({ events: [event(2)], after: 1, files: [{ path: "b", base: null, hash: "h", size: 1 }] })
      storage.sql.exec("DROP TABLE file")
      expect(() => journal.commit({ events: [event(3)], after: 2, files: [{ path: "a", base: null, hash: "h", size: 1 }] })).toThrow()
      return [journal.last(), new SqlJournal(storage).read(0, 10).map((e) => e.seq)]
    })
    expect(seen).toEqual([2, [1, 2]])
  })

  test("[J13] an object that never held a run has no tables, and reading creates none", async () => {
    const tables = await inObject((storage) => {
      const journal = new SqlJournal(storage)
      journal.read(0, 10)
      journal.stat("x")
      journal.list("")
      journal.snapshot()
      return storage.sql.exec("SELECT name FROM sqlite_master WHERE type = 'table' AND name IN ('entry', 'part', 'file')").toArray()
    })
    expect(tables).toEqual([])
  })
})
