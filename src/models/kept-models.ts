// Caches models by their provider's settings: creating one costs 0.4 ms, and each turn would create one. They are cached with the settings
// object, so they disappear when it changes, and no secret becomes a key of a table.

import type { Result } from "../core/result.ts"
import type { Model, ModelError } from "../ports/model.ts"
import type { ProviderSettings } from "../ports/tenant/providers.ts"

type Made = Result<Model, ModelError>

/** A tenant's agents may name ever more models. */
const MOST_MODELS = 32 // limit: models that are kept made for one provider's settings → they are made anew

/** What else a model is made with, or refused by. */
interface Ground {
  readonly fetch?: unknown
  readonly ai?: unknown
  readonly environment?: unknown
  readonly zones?: unknown
}

interface Kept extends Ground {
  readonly models: Map<string, Made>
}

const kept = new WeakMap<ProviderSettings, Kept>()

export function keptModel(settings: ProviderSettings, id: string, ground: Ground, make: () => Made): Made {
  let known = kept.get(settings)
  if (!known || !isSame(known, ground)) {
    const { fetch, ai, environment, zones } = ground
    kept.set(settings, (known = { fetch, ai, environment, zones, models: new Map() }))
  }
  const { models } = known
  const before = models.get(id)
  if (before) return before
  if (models.size >= MOST_MODELS) models.clear()
  const made = make()
  models.set(id, made)
  return made
}

const isSame = (a: Ground, b: Ground): boolean =>
  a.fetch === b.fetch && a.ai === b.ai && a.environment === b.environment && a.zones === b.zones
