// Holds a write of settings that changes a model of a flow whose scores the gate compares [V40]: it is judged like a write of files.

import { HeldWrite, isProven, proofOf, reachedByModels } from "../../../engine/catalog/catalog-gate.ts"
import { scoredRules } from "../../../core/score/gate-score.ts"
import type { Held, WriteAs } from "../../../ports/tenant/authoring/gate.ts"
import type { HeldModels } from "../../../ports/tenant/authoring/held-models.ts"
import { heldModels } from "../starts/start-room.ts"
import type { TenantResources } from "../tenant-resources.ts"

/** `change`: what the write sets. undefined: it may be written. */
export const gatedModels =
  ({ catalog, providers, settings, starts }: Pick<TenantResources, "catalog" | "providers" | "settings" | "starts">) =>
  async (change: Partial<HeldModels>, as: WriteAs = {}): Promise<Held | undefined> => {
    const gate = settings.get("gate")
    if (as.forced || scoredRules(gate).length === 0) return undefined
    const { ground } = catalog
    const now = await ground.current()
    const before = providers.models()
    const models = { ...before, ...change }
    const flows = await reachedByModels(gate, now.view, { before, after: models, flowOf: ground.flowOf })
    if (flows.length === 0) return undefined
    const proof = await proofOf(gate, now.revision, JSON.stringify(heldModels(models)), before)
    return isProven(as.proof, proof) ? undefined : starts.held(new HeldWrite(proof, now, { flows, changes: [], models }))
  }
