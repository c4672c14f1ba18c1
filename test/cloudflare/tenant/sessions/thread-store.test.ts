// Who speaks last on a thread [P7]: a claim bridges the time until its run is in the list, and never for longer.

import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { RunIndex } from "../../../../src/cloudflare/tenant/run-list/run-index.ts"
import { TenantSql } from "../../../../src/cloudflare/tenant/tenant-sql.ts"
import { ThreadStore } from "../../../../src/cloudflare/tenant/sessions/thread-store.ts"
import { sqliteStorage } from "../../../support/cloudflare/sqlite-storage.ts"

beforeEach(() => void vi.useFakeTimers({ now: 1_000_000, toFake: ["Date"] }))
afterEach(() => void vi.useRealTimers())

function stand() {
  const sql = new TenantSql(sqliteStorage())
  const runs = new RunIndex(sql, "t")
  const threads = new ThreadStore(sql, runs)
  const newest = (): string | null => threads.newest("f", "t1")
  const listed = (id: string, created = Date.now()): void =>
    runs.note({ id, flow: "f", status: "running", created, view: { id, seq: 1, thread: "t1" } })
  return { threads, runs, newest, listed, claim: (run: string, seen: string | null) => threads.claim("f", "t1", run, seen) }
}

test("[P7] a claim whose run never came is no run after a minute, and the thread goes on", () => {
  const { newest, listed, claim } = stand()
  expect(claim("r1", null)).toBe("r1")
  listed("r1")
  expect(claim("r2", "r1")).toBe("r2")
  expect(newest()).toBe("r2")
  vi.advanceTimersByTime(59_999)
  expect(newest()).toBe("r2")
  vi.advanceTimersByTime(1)
  expect(newest()).toBe("r1")
  expect(claim("r3", "r1")).toBe("r3")
  listed("r3")
  expect(newest()).toBe("r3")
})

test("[P7] a clock that was set back keeps no claim for longer", () => {
  const { newest, claim } = stand()
  claim("r1", null)
  vi.setSystemTime(10_000)
  expect(newest()).toBe(null)
})

test("[P7] the clocks of runs say nothing about who claimed last", () => {
  for (const skew of [-5_000, 0, 5_000]) {
    const { newest, listed, claim } = stand()
    claim("r1", null)
    listed("r1", Date.now() + skew)
    claim("r2", "r1")
    expect(newest()).toBe("r2")
    // A third message has not seen the claim.
    expect(claim("r3", "r1")).toBe("r2")
    listed("r2", Date.now() + 2 * skew + 1)
    vi.advanceTimersByTime(90_000)
    expect(newest()).toBe("r2")
  }
})

test("[P7] a claim that took over a lost one comes after what is in the list", () => {
  const { newest, listed, claim } = stand()
  listed("r1", Date.now() + 5_000)
  claim("lost", "r1")
  expect(claim("r2", "lost")).toBe("r2")
  expect(newest()).toBe("r2")
})
