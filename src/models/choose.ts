// Finds the model behind a pinned model reference [M2, F52]: `provider/model[:thinking]`, looked up in the tenant's providers at call time.
// A new key takes effect within 5 s, or once the old key fails; the choice of model stays fixed from the run's start.

import type { Thinking } from "../core/flow/agent.ts"
import { parseModelRef } from "../core/flow/model-ref.ts"
import type { Rehearsal } from "../core/case/rehearsal.ts"
import { defined } from "../core/defined.ts"
import type { Model, ModelError } from "../ports/model.ts"
import type { ModelGate, PacedCall } from "../ports/tenant/pacing.ts"
import type { ProviderSettings } from "../ports/tenant/providers.ts"
import { messageOf } from "../core/text/fault-text.ts"
import type { BatchedModel } from "../ports/model-batches.ts"
import { refusal } from "./reply/failure.ts"
import { providerModel, type ProviderDeps } from "./providers.ts"
import { rehearsalModel } from "./rehearsed/rehearsal.ts"

export interface ChooseDeps extends ProviderDeps {
  provider(name: string): Promise<ProviderSettings | undefined>
  /** [R32] How the model is asked in batches; absent: it is not. */
  batched?(settings: ProviderSettings, id: string, deps: ProviderDeps): BatchedModel | undefined
  /** [R26] What stands before the models of a provider; absent: nothing does. */
  gate?(settings: ProviderSettings, provider: string, id: string): ((call: PacedCall) => ModelGate) | undefined
  /** The parsed rehearsal file of the run's flow, if any. */
  readonly rehearsal: Rehearsal | undefined
}

export type ModelChoice =
  | {
      readonly model: Model
      readonly id: string
      readonly thinking?: Thinking
      readonly batched?: () => BatchedModel | undefined
      /** [R26] A call waits there for its turn; absent: its calls are not paced. */
      readonly gate?: (call: PacedCall) => ModelGate
    }
  | { readonly error: ModelError }

export async function chooseModel(ref: string, deps: ChooseDeps): Promise<ModelChoice> {
  const parsed = parseModelRef(ref)
  if (parsed.kind !== "provider") {
    return { error: refusal(`"${ref}" names no provider: write provider/model, or map the role in settings/roles`) }
  }
  const { provider, id, thinking } = parsed
  const level = defined({ thinking })
  // The name is reserved: a tenant's provider of this name could make a rehearsed run cost money.
  if (provider === "rehearsal") return { model: rehearsalModel(deps.rehearsal), id, ...level }
  let settings: ProviderSettings | undefined
  try {
    settings = await deps.provider(provider)
  } catch (error) {
    // The tenant's object may be moving or restarting; the next try may reach it.
    const reason = messageOf(error)
    return { error: { message: `the settings of provider "${provider}" could not be read: ${reason}`, retryable: true } }
  }
  if (!settings) return { error: refusal(`the provider "${provider}" is not set: PUT /v1/settings/providers/${provider}`) }
  const made = providerModel(settings, id, deps)
  const own = settings
  return made.ok
    ? {
        model: made.value,
        id,
        ...level,
        batched: () => deps.batched?.(own, id, deps),
        ...defined({ gate: deps.gate?.(own, provider, id) }),
      }
    : { error: prefixed(provider, made.error) }
}

const prefixed = (provider: string, error: ModelError): ModelError => ({ ...error, message: `provider "${provider}": ${error.message}` })
