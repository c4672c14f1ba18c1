// Serves a tenant's scorers and scores [V1–V22].

import { defined } from "../../../core/defined.ts"
import { lazy } from "../../../core/lazy.ts"
import type { Answers } from "../../../ports/objects.ts"
import type { ScoresPort } from "../../../ports/tenant/quality/scores.ts"
import type { TenantResources } from "../tenant-resources.ts"

const knownScorers = lazy(() => import("../../../engine/score/known-scorers.ts"))

export const scoreRoom = ({ catalog, providers }: TenantResources): Answers<ScoresPort> => ({
  async scorers() {
    const { allScorers } = await knownScorers()
    const { view } = await catalog.ground.current()
    return (await allScorers({ view, models: providers.models() })).map(({ scorer, version, tier }) => {
      const { name, kind, description, judge } = scorer
      return { name, kind, description, version, ...defined({ levels: judge && [...judge.levels] }), tier }
    })
  },
})
