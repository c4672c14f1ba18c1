// Finds the batch API of a tenant's provider [R32].

import type { Redactor } from "../../core/secrets/redact.ts"
import type { ModelBatches } from "../../ports/model-batches.ts"
import type { ProviderSettings } from "../../ports/tenant/providers.ts"
import { apiOf, type ProviderDeps } from "../providers.ts"
import { anthropicBatches } from "./anthropic-batches.ts"
import { BatchDoor } from "./batch-door.ts"
import { openaiBatches } from "./openai-batches.ts"

/** undefined: the kind has none. */
export function batchesOf(settings: ProviderSettings, deps: ProviderDeps, redactor: Redactor): ModelBatches | undefined {
  const api = apiOf(settings)
  if (api === undefined) return undefined
  const door = new BatchDoor(settings, deps, redactor)
  return api === "messages" ? anthropicBatches(door) : openaiBatches(door, api)
}
