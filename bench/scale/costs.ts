// What the model takes for granted: each figure with where it comes from. docs/SCALE.md repeats them with their dates.

/** Times of one thread, ms; what a run asks of other objects. */
export interface Costs {
  /** The tenant's object: one start, with its place, its pins and its row. An upper bound: see docs/SCALE.md. */
  readonly start: number
  /** The tenant's object: one report of a run. An upper bound too. */
  readonly report: number
  /** The run's object: a run without steps, and a step without its model. */
  readonly run: number
  readonly step: number
  /** Calls to the tenant's object per run, the start among them (`npm run bench:cost`). */
  readonly calls: number
}

/** The design whose bottleneck is sought. The first is what the code does; the others are parameters. */
export interface Design {
  readonly name: string
  /** The share of starts that wait for the tenant's object; the others hold a lease. */
  readonly asked: number
  /** Objects that hold the list of a tenant's runs; without shards, the tenant's own does. */
  readonly shards: number
  /** Reports that reach a list in one call. */
  readonly batch: number
}

export const MEASURED: Costs = { start: 9.25, report: 9.25, run: 8.46, step: 0.79, calls: 2.1 }

export const TODAY: Design = { name: "a tenant's object answers each start", asked: 1, shards: 0, batch: 1 }
/** Issue 12's bound: of 1,000 starts of one tenant at most 50 wait for its object. Shards and batches are what the model asks for. */
export const LEASED: Design = { name: "leases of 20 starts, 16 lists", asked: 0.05, shards: 16, batch: 1 }
export const WIDE: Design = { name: "leases of 2,000 starts, 256 lists, 20 reports a call", asked: 0.0005, shards: 256, batch: 20 }

export const STEPS = 10
