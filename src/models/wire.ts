// Describes one provider's API for the adapter.

import type { LanguageModelV4CallOptions, SharedV4ProviderOptions } from "@ai-sdk/provider"
import type { Thinking } from "../core/flow/agent.ts"
import type { Takes } from "./sight.ts"

export interface Wire {
  /** The provider, its address and the model: what one origin wants back goes to no other [J20]. */
  readonly origin: string
  /** Where the API has what it wants back: in the library's parts, or in members of the chunks that the library may not know. */
  readonly keeps?: "parts" | "chunks"
  /** Calls of other models are told as text, because this model refuses calls that are not its own. */
  readonly ownCallsOnly?: boolean
  /** Removed from every message. */
  readonly secrets: readonly string[]
  /** How long the provider may say nothing, in milliseconds; absent: as long as is usual. */
  readonly silence?: number
  /** [F56] Which files the model takes, and whether a tool result may contain them. */
  readonly takes: Takes
  readonly filesInResults: boolean
  /** The provider's name for a thinking level; undefined keeps the provider's default. */
  readonly effort: (level: Thinking) => LanguageModelV4CallOptions["reasoning"]
  /** [R25] Its answers say how its limits stand. */
  readonly tellsRates?: boolean
  /** Sends `strict: false` to providers that default to strict. */
  readonly looseTools?: boolean
  readonly providerOptions?: SharedV4ProviderOptions
}
