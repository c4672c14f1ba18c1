// Defines a tenant's model providers [N6].

import type { ProviderKind } from "../../core/project/provider-body.ts"
import type { JsonObject } from "../../core/json.ts"

/** A tenant's provider settings [N6]. `apiKey` is secret and never appears in errors, logs or answers. */
export interface ProviderSettings {
  readonly kind: ProviderKind
  readonly baseUrl?: string
  readonly apiKey?: string
  /** The vault scope of the key, in place of the key itself. */
  readonly key?: { readonly secret: string }
  /** Only for kind `openai`: which API it speaks. By default Responses at OpenAI's address, and Chat Completions at a `baseUrl`. */
  readonly api?: "responses" | "chat"
  /** Sent with every request. They are no secrets: they are shown. */
  readonly headers?: Readonly<Record<string, string>>
  /** Further members of every request's body. The request's own members come first. */
  readonly options?: JsonObject
  /** Seconds of silence in a reply, or before it, after which the connection counts as lost. */
  readonly silenceSeconds?: number
  /** Only for kind `scripted`: model id (or `*`) → its turns, in the format of a rehearsal file. */
  readonly turns?: Readonly<Record<string, readonly unknown[]>>
}

/** What a test call asks, and of which settings, where it is not what is saved. */
export interface TestWish {
  readonly settings?: ProviderSettings
  readonly ask?: string
}

/** The result of a test call to a provider [N6]. */
export interface ProviderAnswer {
  readonly ok: boolean
  /** null: the kind calls no server. */
  readonly host: string | null
  readonly status?: number
  /** What the model said, or what is wrong and what to do next. */
  readonly message: string
  readonly ms: number
  /** As the provider reports it. */
  readonly usage?: { readonly input: number; readonly output: number }
}

/** [N6] What a provider's own list of models says. */
export interface ProviderModels {
  readonly ok: boolean
  /** null: the kind calls no server. */
  readonly host: string | null
  /** In the provider's order. */
  readonly models: readonly ListedModel[]
  /** false: the list has more. */
  readonly complete: boolean
  readonly status?: number
  /** What is wrong and what to do next. */
  readonly message?: string
  readonly ms: number
}

export interface ListedModel {
  /** As in `provider/ID`. */
  readonly id: string
  /** The provider's name for people. */
  readonly name?: string
}
