// Does one thing with many runs: cancels them, runs them again, forks or deletes them.

import type { BulkWish, bulk } from "../api/run/bulk.ts"
import type * as shapes from "../api/doc/run/bulk.doc.ts"
import type { BulkCounted, BulkItemRow, BulkRow, BulkStarted } from "../api/doc/run/bulk.doc.ts"
import { listed, Paged } from "./transport/paged.ts"
import { Part } from "./transport/part.ts"
import { part } from "./transport/transport.ts"

export class BulkClient extends Part<typeof bulk, typeof shapes> {
  /** Newest first. */
  readonly list: () => Paged<BulkRow> = this.paged("/v1/bulk")
  /** How many runs it would have; changes nothing. */
  check(wish: BulkWish): Promise<BulkCounted> {
    return this.json("POST", "/v1/bulk", { query: { check: 1 }, body: wish })
  }
  start(wish: BulkWish): Promise<BulkStarted> {
    return this.json("POST", "/v1/bulk", { body: wish })
  }
  readonly get: (bulk: string) => Promise<BulkRow> = this.route("GET /v1/bulk/*")
  items(bulk: string, outcome?: BulkItemRow["outcome"] | readonly BulkItemRow["outcome"][]): Paged<BulkItemRow> {
    return new Paged(this.transport, `/v1/bulk/${part(bulk)}/items`, { outcome: listed(outcome) })
  }
  readonly stop: (bulk: string) => Promise<BulkRow> = this.route("POST /v1/bulk/*/stop")
}
