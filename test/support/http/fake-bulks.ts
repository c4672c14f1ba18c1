// Bulks for tests of the routes: what was asked for, and answers that a test sets.

import type { BulkItemRow, BulkOrder, BulkResult, BulkRow, BulkRuns, BulksPort } from "../../../src/ports/tenant/bulks.ts"

export const BULK: BulkRow = {
  id: "bulk_1",
  action: "again",
  by: "ana",
  created: 1_000,
  status: "running",
  count: 2,
  done: 1,
  skipped: 0,
  failed: 0,
}
const ITEMS: readonly BulkItemRow[] = [{ run: "run_a", outcome: "done", new: "run_b" }]

export class FakeBulks implements BulksPort {
  asked: { order?: BulkOrder; runs: BulkRuns; most?: number; act?: string | undefined }[] = []
  result: BulkResult = { ok: true, bulk: { id: BULK.id, action: "again", count: 2 } }

  async count(runs: BulkRuns): ReturnType<BulksPort["count"]> {
    this.asked.push({ runs })
    return { count: 2, complete: true, effects: { live: 1, staged: 1, dry: 0 }, runs: ["run_a"] }
  }
  async begin(order: BulkOrder, runs: BulkRuns, most: number, act?: string): Promise<BulkResult> {
    this.asked.push({ order, runs, most, act })
    return this.result
  }
  async list({ cursor }: { cursor?: string }): ReturnType<BulksPort["list"]> {
    return cursor === "foreign" ? { badCursor: true } : { data: [BULK], next_cursor: null }
  }
  async find(id: string): ReturnType<BulksPort["find"]> {
    return id === BULK.id ? BULK : undefined
  }
  async items(id: string, { cursor }: { cursor?: string }): ReturnType<BulksPort["items"]> {
    if (id !== BULK.id) return undefined
    return cursor === "foreign" ? { badCursor: true } : { data: ITEMS, next_cursor: null }
  }
  async stop(id: string): ReturnType<BulksPort["stop"]> {
    return id === BULK.id ? { ...BULK, status: "stopped" } : undefined
  }
}
