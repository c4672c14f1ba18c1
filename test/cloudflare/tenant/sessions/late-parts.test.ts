// A part of a conversation that comes when its claim is another's [F71]: nothing names its body, so the sweep hears of it.

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
