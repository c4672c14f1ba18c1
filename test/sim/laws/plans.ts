// Plans: the plan that a run's pinned definitions give, from the bodies in R2; and the run that its journal folds to [K5].

import { Fold, type Era } from "../../../src/core/run/fork/fold.ts"
import type { Pins } from "../../../src/core/run/event-parts.ts"
import type { Plan } from "../../../src/core/run/plan.ts"
import type { Run } from "../../../src/core/run/state.ts"
import { planOf } from "../../../src/cloudflare/definitions/plan.ts"
import { loadDefinitions } from "../../../src/engine/catalog/definitions.ts"
import { order } from "../world/order-tool.ts"
import type { Bucket } from "../platform/r2.ts"
import type { Journal } from "./journals.ts"

export class Plans {
  readonly #bucket: Bucket
  readonly #folded = new WeakMap<Journal, { readonly at: number; readonly run: Promise<Run> }>()

  constructor(bucket: Bucket) {
    this.#bucket = bucket
  }

  async of(tenant: string, pins: Pins): Promise<Plan> {
    const get = (hash: string): Promise<Uint8Array | undefined> =>
      Promise.resolve(this.#bucket.kept.get(`t/${tenant}/blob/${hash}`)?.bytes as Uint8Array | undefined)
    const definitions = await loadDefinitions(pins, { get, put: () => Promise.reject(new Error("nothing is put here")) })
    const plan = planOf({} as Parameters<typeof planOf>[0], tenant, definitions)
    // The Worker of a project knows it.
    return { ...plan, tools: new Map([...plan.tools, [order.name, order]]) }
  }

  /** Folded once for each state of a journal. */
  folded(journal: Journal): Promise<Run> {
    const at = journal.events.length
    const before = this.#folded.get(journal)
    if (before?.at === at) return before.run
    const run = this.#fold(journal)
    this.#folded.set(journal, { at, run })
    return run
  }

  async #fold({ tenant, events }: Journal): Promise<Run> {
    const eras: Era[] = []
    for (const e of events)
      if ((e.type === "run.started" || e.type === "run.forked") && e.pinned)
        eras.push({ from: e.seq, plan: await this.of(tenant, e.pinned) })
    const [first, ...more] = eras
    if (!first) throw new Error("a journal names no definitions")
    const fold = new Fold([first, ...more])
    for (const e of events) fold.take(e)
    return fold.run
  }
}
