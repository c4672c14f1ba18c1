// Lists the costs that the model assumes: each figure with its source. docs/SCALE.md repeats them with their dates.

/** Times of one thread in ms, and a run's requests to other objects. */
export interface Costs {
  /** The tenant's object: one start, with its place, its pins and its row (`npm run scale -- --tenant`, as the two below). */
  readonly start: number
  /** The tenant's object: a report that comes alone, and each report of a hundred that come in one message. */
  readonly report: number
  readonly batched: number
  /** The run's object: a run without steps, and a step without its model. */
  readonly run: number
  readonly step: number
  /** Calls to the tenant's object per run, the start among them (`npm run bench:cost`). */
  readonly calls: number
}

/**
 * A design whose bottleneck the model finds: a tenant with few starts, a tenant with many starts and its desks (decision 45), and one that
 * is not built.
 */
export interface Design {
  readonly name: string
  /** The share of starts that wait for the tenant's object; the others hold a lease. */
  readonly asked: number
  /** Objects that hold the list of a tenant's runs; without shards, the tenant's own does. */
  readonly shards: number
  /** Objects that gather reports for a list, each for a tenth of a second or until it has a hundred; 0: each report is a message. */
  readonly desks: number
}

const GATHERED_MS = 100
const MAX_BATCH = 100

/** Reports in one message to a list, at this many starts a second. */
export const batchOf = ({ desks, shards }: Design, rate: number): number =>
  desks === 0 ? 1 : Math.min(MAX_BATCH, Math.max(1, (rate * GATHERED_MS) / 1_000 / desks / Math.max(1, shards)))

export const messageOf = ({ report, batched }: Costs, batch: number): number => report + (batch - 1) * batched

export const MEASURED: Costs = { start: 0.93, report: 1.18, batched: 0.18, run: 8.46, step: 0.79, calls: 2.1 }

export const ALONE: Design = { name: "a tenant's object answers each start", asked: 1, shards: 0, desks: 0 }
/** Of 1,000 starts of one tenant at most 50 wait for its object (test/worker/tenant/desks.test.ts). */
export const DESKS: Design = { name: "16 desks hold leases and gather reports", asked: 0.05, shards: 0, desks: 16 }
/** Not built: decision 59. A desk sends each list its part. */
export const SHARDED: Design = { name: "leases of 2,000 starts, 16 desks, 32 lists", asked: 0.0005, shards: 32, desks: 16 }

export const STEPS = 10
