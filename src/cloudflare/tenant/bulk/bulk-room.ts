// Serves a tenant's bulks [R42–R45]. The runs of a bulk are fixed when it is asked for, in the turn that stores it.

import type { EffectsMode } from "../../../core/tool/policy/effects-modes.ts"
import type { Answers } from "../../../ports/objects.ts"
import { MOST_UNDER_WAY, type BulkRuns, type BulksPort } from "../../../ports/tenant/bulks.ts"
import { clock } from "../../platform/clock.ts"
import { wholeList } from "../run-list/run-list-room.ts"
import type { TenantResources } from "../tenant-resources.ts"
import { bulkRuns } from "./bulk-runs.ts"
import { bulkTold } from "./bulks.ts"

/** Ids that a count gives. */
const SHOWN = 20

export function bulkRoom(all: TenantResources): Answers<BulksPort> {
  const { bulkRows: store, feed, sql, want } = all
  return {
    async count(wanted) {
      await wholeList(all)
      const { runs, complete } = bulkRuns(sql, wanted)
      const effects = { live: 0, staged: 0, dry: 0 }
      for (const { view } of runs) effects[effectsIn(view)]++
      return { count: runs.length, complete, effects, runs: runs.slice(0, SHOWN).map(({ id }) => id) }
    },
    async begin(order, wanted: BulkRuns, most, act = clock.id()) {
      await wholeList(all)
      const id = `bulk_${act}`
      const before = store.find(id)
      if (before) return { ok: true, bulk: { id, action: before.action, count: before.count } }
      const { runs, complete } = bulkRuns(sql, wanted)
      if (runs.length > most) return { ok: false, code: "too_many", count: runs.length }
      if (!complete) return { ok: false, code: "too_wide" }
      if (store.underWay() >= MOST_UNDER_WAY) return { ok: false, code: "busy" }
      const now = clock.now()
      const bulk = store.add(
        id,
        order,
        runs.map((run) => run.id),
        now,
      )
      want(now)
      feed.tell("bulk.changed", bulkTold(bulk))
      return { ok: true, bulk: { id, action: bulk.action, count: bulk.count } }
    },
    list: (page) => store.list(page),
    find: (id) => store.find(id),
    items: (id, page) => store.items(id, page),
    stop(id) {
      const before = store.find(id)
      if (before?.status === "running") {
        store.stop(id)
        const bulk = store.find(id)
        if (bulk) feed.tell("bulk.changed", bulkTold(bulk))
        return bulk
      }
      return before
    },
  }
}

function effectsIn(view: string): EffectsMode {
  const { effects } = JSON.parse(view) as { effects?: EffectsMode }
  return effects ?? "live"
}
