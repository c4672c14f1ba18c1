// A large write of the memory [T23]: in pieces of bounded work [N4], and still all at once for whoever reads.

import { runInDurableObject } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { describe, expect, test } from "vitest"
import { MemorySql } from "../../../src/cloudflare/memory/memory-sql.ts"
import type { MemoryBatch } from "../../../src/ports/objects.ts"
import { worked } from "../../support/worked.ts"

/** A stretch of computing is about 1,000,000 (ports/breath.ts). */
const MOST_WORK = 800_000

const over = (tenant: string, work: (sql: MemorySql, storage: DurableObjectStorage) => void): Promise<void> =>
  runInDurableObject(env.MEMORY.get(env.MEMORY.idFromName(tenant)), (_, ctx) => work(new MemorySql(ctx.storage), ctx.storage))

const texts = (count: number, word: string): string[] => Array.from({ length: count }, (_, n) => `${word} ${n} ${"x y z ".repeat(400)}`)
const batch = (contents: readonly string[], more: Partial<MemoryBatch> = {}): MemoryBatch => ({
  namespace: "docs",
  contents,
  replaces: false,
  meta: { tainted: false },
  ...more,
})
const all = (sql: MemorySql): string[] => sql.read("docs", 500).map(({ content }) => content.slice(0, 8).trim())
const rows = (storage: DurableObjectStorage): number => Number(storage.sql.exec("SELECT count(*) AS n FROM words").one()["n"])

describe("a large write", () => {
  test("[T23] [N4] of a megabyte is many pieces, and nobody sees half of it", () =>
    over("m-pieces", (sql) => {
      worked(sql.write(batch(["old one", "old two"]), 1))
      const work = sql.write(batch(texts(420, "fresh"), { replaces: true }), 2)
      let most = 0
      let count = 0
      let step = work.next()
      for (; step.done !== true; step = work.next()) {
        const seen = new Set(all(sql).map((content) => content.split(" ")[0]))
        expect(seen.size).toBe(1)
        expect(sql.match("fresh", undefined, 10).length === 0).toBe(seen.has("old"))
        expect(sql.match("old", "docs", 10)).toHaveLength(seen.has("old") ? 2 : 0)
        most = Math.max(most, step.value)
        count++
      }
      expect(step.value).toMatchObject({ ok: true, value: { version: 2 } })
      expect(step.value.ok && step.value.value.numbers.length).toBe(420)
      expect(count).toBeGreaterThan(50)
      expect(most).toBeLessThan(MOST_WORK)
      expect(all(sql)).not.toContain("old one")
      // What is replaced goes in pieces too.
      const { count: removed, most: heaviest } = worked(sql.write(batch(["last"], { replaces: true }), 3))
      expect(removed).toBeGreaterThan(50)
      expect(heaviest).toBeLessThan(MOST_WORK)
      expect(all(sql)).toEqual(["last"])
    }))

  test("[T23] [J11] that a crash interrupts leaves nothing, and is made again under its key", () =>
    over("m-crash", (sql, storage) => {
      worked(sql.write(batch(["kept"]), 1))
      const wish = batch(texts(100, "fresh"), { meta: { tainted: true, key: "run/call" } })
      const lost = sql.write(wish, 2)
      for (let n = 0; n < 5; n++) lost.next()
      expect(rows(storage)).toBeGreaterThan(30)
      expect(all(sql)).toEqual(["kept"])
      // The object begins anew on the same rows.
      const again = new MemorySql(storage)
      const first = worked(again.write(wish, 3)).value
      expect(all(again)).toHaveLength(101)
      expect(rows(storage)).toBe(101)
      expect(worked(again.write(wish, 4)).value).toEqual(first)
      expect(rows(storage)).toBe(101)
    }))

  test("[T23] a memory that was made without the index of hidden entries is read and written as before", () =>
    over("m-old", (sql, storage) => {
      worked(sql.write(batch(["one"]), 1))
      storage.sql.exec("DROP INDEX entry_hidden")
      const now = new MemorySql(storage)
      expect(all(now)).toEqual(["one"])
      expect(worked(now.write(batch(["two"]), 2)).value).toMatchObject({ ok: true, value: { version: 2 } })
      expect(all(now)).toEqual(["one", "two"])
    }))
})
