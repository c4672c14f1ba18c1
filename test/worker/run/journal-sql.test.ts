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
  test.each([["tainted", "private"], ["private"]])(
    "[G11] the table of a run from before a mark gets its column with the next file",
    async (...missing) => {
      const file = await inObject((storage) => {
        const before = new SqlJournal(storage)
        before.commit({ events: [event(1)], after: 0, files: [{ path: "old", base: null, hash: "h", size: 1 }] })
        for (const column of missing) storage.sql.exec(`ALTER TABLE file DROP COLUMN ${column}`)
        const journal = new SqlJournal(storage)
        const old = [journal.stat("old"), journal.list("")]
        const both = { path: "new", base: null, hash: "h", size: 1, tainted: true, private: true }
        journal.commit({ events: [event(2)], after: 1, files: [both] })
        return { old, now: new SqlJournal(storage).list("") }
      })
      const entry = { path: "old", hash: "h", size: 1, modified: 1 }
      expect(file.old).toEqual([entry, [entry]])
      expect(file.now).toEqual([{ path: "new", hash: "h", size: 1, modified: 2, tainted: true, private: true }, entry])
    },
  )

  test("[G11, J15] if the commit that adds a column fails, the next one adds it", async () => {
    const files = await inObject((storage) => {
      new SqlJournal(storage).commit({ events: [event(1)], after: 0, files: [{ path: "z", base: null, hash: "h", size: 1 }] })
      storage.sql.exec("ALTER TABLE file DROP COLUMN private")
      const journal = new SqlJournal(storage)
      const file = { path: "a", base: null, hash: "h", size: 1, tainted: true, private: true }
      const bad = { ...file, path: "b", size: null as unknown as number }
      expect(() => journal.commit({ events: [event(2)], after: 1, files: [file, bad] })).toThrow()
      journal.commit({ events: [event(2)], after: 1, files: [file] })
      return journal.list("")
    })
    expect(files).toEqual([
      { path: "a", hash: "h", size: 1, modified: 2, tainted: true, private: true },
      { path: "z", hash: "h", size: 1, modified: 1 },
    ])
  })

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

  test("[S5] before a rollback, rows are made text again, byte for byte, and new ones stay text", async () => {
    const seen = await inObject((storage) => {
      const [first, second] = [chained(1, 60), chained(61, 120)]
      new SqlJournal(storage).commit(first)
      const plain = new SqlJournal(storage, { packs: false })
      plain.commit(second)
      plain.makePlain()
      plain.makePlain()
      const rows = storage.sql.exec<{ events: string }>("SELECT events FROM entry ORDER BY last").toArray()
      return { rows: rows.map(({ events }) => events), bodies: [first, second].map(({ texts }) => `[${texts.join(",")}]`) }
    })
    expect(seen.rows).toEqual(seen.bodies)
  })

  test("[J10] a run of an earlier build goes on in plain text, because the length of a row says where its decisions end", async () => {
    const types = await inObject((storage) => {
      const journal = new SqlJournal(storage)
      journal.commit({ events: [event(1)], after: 0 })
      storage.sql.exec("ALTER TABLE entry DROP COLUMN cuts")
      const later = new SqlJournal(storage)
      later.commit(chained(2, 60))
      return storage.sql
        .exec("SELECT typeof(events) AS t FROM entry ORDER BY last")
        .toArray()
        .map((r) => r["t"])
    })
    expect(types).toEqual(["text", "text"])
  })

  test("[J8] a snapshot is the head and the groups of steps that were touched; an older build's is read until there is a newer one", async () => {
    const seen = await inObject((storage) => {
      const head = (seq: number) => ({ seq, task: "t" }) as unknown as RunHead
      const step = (pass: number): StepState => ({ ...newStep(), pass })
      const journal = new SqlJournal(storage)
      journal.commit({ events: [event(1)], after: 0 })
      storage.sql.exec("CREATE TABLE part (name TEXT PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID")
      const put = (name: string, body: unknown): void =>
        void storage.sql.exec("INSERT INTO part (name, body) VALUES (?, ?)", name, JSON.stringify(body))
      put("head", head(1))
      put("step/a", step(1))
      put("step/b", step(2))
      const old = new SqlJournal(storage)
      const before = old.snapshot()
      old.commit({
        events: [event(2)],
        after: 1,
        snapshot: { head: head(2), steps: { a: step(3), b: step(4), c: step(5) }, groups: { "0": ["a", "b"] } },
      })
      const after = new SqlJournal(storage).snapshot()
      const names = storage.sql
        .exec("SELECT name FROM part ORDER BY name")
        .toArray()
        .map((r) => r["name"])
      return { before, after, names }
    })
    expect(seen.before).toMatchObject({ head: { seq: 1 }, steps: { a: { pass: 1 }, b: { pass: 2 } }, isOld: true })
    expect(seen.after).toMatchObject({ head: { seq: 2 }, steps: { a: { pass: 3 }, b: { pass: 4 }, c: { pass: 5 } } })
    expect(seen.after?.isOld).toBeUndefined()
    expect(seen.names).toEqual(["group/0", "group/of c", "head", "step/a", "step/b", "top"])
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
