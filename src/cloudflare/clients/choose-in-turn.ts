// Chooses the model of a call that belongs to no run's journal, such as a try [K19] or a live backtest [K23]: it waits for its turn like the calls
// of runs [R26].

import { chooseModel, type ChooseDeps, type ModelChoice } from "../../models/choose.ts"
import { inItsTurn } from "../../engine/run/call/in-its-turn.ts"
import type { PacedCall } from "../../ports/tenant/pacing.ts"
import { clock } from "../platform/clock.ts"
import { portOf } from "../platform/port-of.ts"
import type { TenantNamespace } from "../platform/stubs.ts"
import { ModelPacing } from "./cache/model-pacing.ts"

export async function chooseInTurn(
  { env, tenant, rank }: { readonly env: TenantNamespace; readonly tenant: string; readonly rank: PacedCall["rank"] },
  ref: string,
  deps: Omit<ChooseDeps, "provider" | "gate">,
): Promise<ModelChoice> {
  const settings = portOf(env, tenant, "settings")
  const pacing = new ModelPacing({ tenant, ask: (name, questions) => settings.paced(name, questions), now: () => clock.now() })
  pacing.expect(ref)
  const chosen = await chooseModel(ref, {
    ...deps,
    provider: (name) => pacing.provider(name),
    gate: (own, provider, id) => pacing.gate(own, provider, id),
  })
  if ("error" in chosen) return chosen
  const key = clock.id()
  return { ...chosen, model: inItsTurn(chosen.model, chosen.gate, { key, family: key, rank }) }
}
