// The journal over a Durable Object's SQLite: the contract of every journal, and what applies only to its rows.

import { runInDurableObject } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { describe, expect, test } from "vitest"
import { SqlJournal } from "../../../src/cloudflare/run/journal-sql.ts"
import type { RunEvent } from "../../../src/core/run/event.ts"
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
      new SqlJournal(storage).commit({ events: [event(1)], after: 0 })
      storage.sql.exec("ALTER TABLE file DROP COLUMN private")
      const journal = new SqlJournal(storage)
      const file = { path: "a", base: null, hash: "h", size: 1, tainted: true, private: true }
      const bad = { ...file, path: "b", size: null as unknown as number }
      expect(() => journal.commit({ events: [event(2)], after: 1, files: [file, bad] })).toThrow()
      journal.commit({ events: [event(2)], after: 1, files: [file] })
      return journal.list("")
    })
    expect(files).toEqual([{ path: "a", hash: "h", size: 1, modified: 2, tainted: true, private: true }])
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

  test("[J15] a commit of one row needs no transaction; a larger commit is rolled back as a whole", async () => {
    const seen = await inObject((storage) => {
      const journal = new SqlJournal(storage)
      journal.commit({ events: [event(1)], after: 0 })
      journal.commit({ events: [event(2)], after: 1 })
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
