// Says how far a judge can be trusted as it is now [V22]: agreement with people, and what its newest probe shows.

import { probeFigures } from "../../../core/score/probe.ts"
import { trustFlags, trustOf, type TrustFlag } from "../../../core/score/trust.ts"
import { Breath } from "../../../ports/breath.ts"
import type { KnownScorer } from "../../../ports/tenant/quality/scorers.ts"
import { sha256 } from "../../platform/sha256.ts"
import type { TenantStores } from "../tenant-stores.ts"

export type TrustStores = Pick<TenantStores, "scorings" | "probes" | "trust">

export async function trustNow({ scorings, probes, trust }: TrustStores, { scorer, version }: KnownScorer) {
  const breath = new Breath()
  const { name, judge } = scorer
  const versions = judge
    ? await breath.through(
        trustOf(
          trust.pairs(name),
          version,
          judge.levels.map(({ score }) => score),
        ),
      )
    : []
  const probe = probes.find({ scorer: name })
  const figures = probe && (await breath.through(probeFigures(probes.runs(probe.id), sha256(probe.id))))
  const isRunning = probe !== undefined && scorings.ofProbe(probe.id) > 0
  const isOfNow = !isRunning && probe?.version === version
  const [now] = versions
  const flags: readonly TrustFlag[] = now ? trustFlags(now, isOfNow ? (figures?.flags ?? []) : []) : []
  return { versions, probe, figures, isRunning, flags }
}

/** [V41] What makes a judge's scores decide nothing. Few grades do not. */
export async function distrustOf(stores: TrustStores, known: KnownScorer): Promise<TrustFlag | undefined> {
  const { flags } = known.scorer.judge ? await trustNow(stores, known) : { flags: [] }
  return flags.find((flag) => flag !== "few_grades")
}
