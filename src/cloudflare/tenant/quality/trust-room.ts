// Probes a tenant's judges [V10], and tells how far they can be trusted [V22]. Loaded when one asks.

import { defined } from "../../../core/defined.ts"
import { probeKey, PROBE_WAYS } from "../../../core/score/probe-way.ts"
import { isoTime } from "../../../core/text/iso-time.ts"
import type { Answers } from "../../../ports/objects.ts"
import type { JudgeTrust, ScoresPort } from "../../../ports/tenant/quality/scores.ts"
import { clock } from "../../platform/clock.ts"
import type { TenantResources } from "../tenant-resources.ts"
import { MOST_WAITING } from "./scoring-store.ts"
import { trustNow } from "./trust-now.ts"

export const trustRoom = (all: TenantResources): Answers<Pick<ScoresPort, "probe" | "trust">> => {
  const { sql, scorings, probes, trust, judges, known, runs, want } = all
  return {
    async probe({ id, scorer, of, most, budget, by }) {
      const one = await known(scorer)
      if (!one) return { ok: false, code: "not_found" }
      if (!one.scorer.judge) return { ok: false, code: "no_judge" }
      // Nothing bounds what a probe without a budget would use: the judge must have no price.
      if (budget === undefined && !judges.reserve(one, "", { probe: { id } })) return { ok: false, code: "no_budget" }
      const wanted = of.filter(({ run }) => runs.source(run)?.status === "succeeded").slice(0, most)
      if (wanted.length === 0) return { ok: false, code: "no_runs" }
      if (scorings.waiting() + PROBE_WAYS.length * wanted.length > MOST_WAITING) return { ok: false, code: "quota" }
      const now = clock.now()
      sql.write(() => {
        probes.begin({ id, scorer, version: one.version, at: now, ...defined({ budget }) })
        for (const { run, ...row } of wanted)
          for (const way of PROBE_WAYS) {
            const order = { by, ask: id, probe: { id, scorer, way, ...row } }
            scorings.add({ run, scorer: probeKey(scorer, { id, way }), flow: runs.flowOf(run) ?? "", order }, now)
          }
      })
      want(now)
      const { version } = one
      return {
        ok: true,
        probe: { version, at: isoTime(now), status: "running", runs: wanted.length, plain: null, empty: null, urged: null },
      }
    },
    async trust(name) {
      const one = await known(name)
      if (!one) return undefined
      const { versions, probe, figures, isRunning, flags } = await trustNow({ scorings, probes, trust }, one)
      const shown = ((): JudgeTrust["probe"] => {
        if (!probe || !figures) return undefined
        const { flags: _flags, ...means } = figures
        return { version: probe.version, at: isoTime(probe.at), status: isRunning ? "running" : "done", ...means }
      })()
      return {
        versions,
        ...defined({ probe: shown }),
        flags,
      }
    },
  }
}
