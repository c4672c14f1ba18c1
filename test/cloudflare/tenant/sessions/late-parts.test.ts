// What comes late. A part of a conversation whose claim is another's [F71]: nothing names its body, so the sweep hears of it. A claim of a step that
// has ended [J25]: nobody would give it back.

import { expect, test } from "vitest"
import { SessionStore } from "../../../../src/cloudflare/tenant/sessions/session-store.ts"
import { TenantSql } from "../../../../src/cloudflare/tenant/tenant-sql.ts"
import { sqliteStorage } from "../../../support/cloudflare/sqlite-storage.ts"

const PART = { chunk: "a".repeat(64), bytes: 10, tainted: false, private: false }

test("[F71] a part whose claim has lapsed is left to the sweep, and one that is taken is not", () => {
  const left: string[] = []
  const store = new SessionStore(new TenantSql(sqliteStorage()), Date.now, (hashes) => left.push(...hashes))
  const claim = { agent: "a", id: "s", by: "run_1/a/1" }
  store.giveBack(claim, PART)
  expect(left).toEqual([PART.chunk])
  store.claim(claim)
  store.giveBack({ ...claim, by: "run_2/a/1" }, { ...PART, chunk: "b".repeat(64) })
  expect(left).toEqual([PART.chunk, "b".repeat(64)])
  store.giveBack(claim, PART)
  expect([left.length, store.look("a", "s")]).toMatchObject([2, { chunks: [PART.chunk] }])
})

test("[J25] a claim that arrives again when its step has saved its part holds the session no more", () => {
  let now = 1_000_000_000
  const store = new SessionStore(new TenantSql(sqliteStorage()), () => now)
  const claim = { agent: "a", id: "s", by: "run_1/a/1" }
  const next = { ...claim, by: "run_2/a/1" }
  store.claim(claim)
  store.giveBack(claim, PART)
  expect(store.claim(claim)).toMatchObject({ ok: false, code: "busy" })
  expect(store.claim(next)).toMatchObject({ ok: true })
  store.giveBack(next)
  // A step that ended before it had the answer to its claim may claim again.
  expect(store.claim(next)).toMatchObject({ ok: true })
  store.giveBack(next)
  now += 3_600_000
  expect(store.claim(claim)).toMatchObject({ ok: true })
})

test("[J25] whoever finds a session taken hears whether the run that has it has ended", () => {
  const sql = new TenantSql(sqliteStorage())
  const store = new SessionStore(sql, Date.now)
  store.claim({ agent: "a", id: "s", by: "run_1/a/1" })
  const next = { agent: "a", id: "s", by: "run_2/a/1" }
  expect(store.claim(next)).toEqual({ ok: false, code: "busy", by: "run_1/a/1" })
  sql.write((rows) =>
    rows.exec("INSERT INTO run (id, flow, status, created, ended, seq, view) VALUES ('run_1', 'f', 'succeeded', 1, ?, 1, '{}')", Date.now()),
  )
  expect(store.claim(next)).toEqual({ ok: false, code: "busy", by: "run_1/a/1", saves: true })
})
