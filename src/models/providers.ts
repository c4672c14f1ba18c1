// Makes a model from a tenant's provider settings and a model id [M2]. Each kind uses one API: `anthropic` is Messages, `google` is
// Gemini's own, `openai` is Responses at OpenAI's address and, unless its `api` says otherwise, Chat Completions with a `baseUrl` (all
// gateways and proxies support it), `openai-compatible` is Chat Completions, `workers-ai` is the account's binding.
//
// The library always gets a key and an address: it would otherwise take them from the environment, and so could
// send the operator's key to a tenant's address. Redirects are not followed, since they would forward the key.

import type { Thinking } from "../core/flow/agent.ts"
import type { Model, ModelError } from "../ports/model.ts"
import type { ProviderSettings } from "../ports/tenant/providers.ts"
import { err, ok, type Result } from "../core/result.ts"
import { fromLanguageModel } from "./ai-sdk.ts"
import type { Wire } from "./wire.ts"
import { boundGemini } from "./bound-gemini.ts"
import { boundThinking } from "./bound-thinking.ts"
import type { Zones } from "../core/tool/policy/closed-hosts.ts"
import { checkBaseUrl, OWN_BASE_URLS } from "./base-url.ts"
import { refusal } from "./reply/failure.ts"
import { cachingPrompts } from "./prompt-caching.ts"
import { gathered } from "./reply/gathered-deltas.ts"
import { keptModel } from "./kept-models.ts"
import { messagesOnly } from "./reply/messages-events.ts"
import { streamsOnly } from "./reply/no-stream.ts"
import { withSettings } from "./request-extras.ts"
import { takesOf } from "./sight.ts"
import { geminiMarks, responsesMarks } from "./reply/stream-marks.ts"
import { checkScripts, scriptedModel } from "./rehearsed/scripted.ts"

export interface ProviderDeps {
  readonly environment: string
  readonly zones?: Zones
  /** The Workers AI binding, if the deployment has one. */
  readonly ai?: unknown
  readonly fetch?: typeof fetch
}

/** The fault of a tenant's settings, or undefined. */
export function checkProvider(settings: ProviderSettings, environment: string, zones?: Zones): string | undefined {
  if (settings.baseUrl !== undefined) {
    const wrong = checkBaseUrl(settings.baseUrl, environment, zones)
    if (wrong !== undefined) return wrong
  }
  // A header allows no other characters, and a client's error about them would show the key.
  if (settings.apiKey !== undefined && !/^[\x21-\x7e]+$/.test(settings.apiKey)) {
    return "apiKey is empty or contains characters that a header cannot carry (spaces, line breaks): copy it again"
  }
  switch (settings.kind) {
    case "anthropic":
    case "google":
    case "openai":
      if (settings.apiKey === undefined && settings.key !== undefined) return noKey(settings.key.secret)
      return settings.apiKey === undefined && settings.baseUrl === undefined
        ? `a provider of kind ${settings.kind} needs an apiKey, unless its baseUrl names a server that needs none`
        : undefined
    case "openai-compatible":
      if (settings.apiKey === undefined && settings.key !== undefined) return noKey(settings.key.secret)
      return settings.baseUrl === undefined
        ? "a provider of kind openai-compatible needs a baseUrl, such as https://api.example.com/v1"
        : undefined
    case "workers-ai":
      return undefined
    case "scripted":
      return checkScripts(settings.turns)
  }
}

const noKey = (scope: string): string =>
  `its key is the vault's scope "${scope}", which has no value: \`sluice secrets put ${scope}\` (PUT /v1/secrets/${scope})`

/** Which API a provider that has a batch API speaks [R32]; undefined: it has none. */
export function apiOf({ kind, api, baseUrl }: ProviderSettings): "messages" | "responses" | "chat" | undefined {
  if (kind === "anthropic") return "messages"
  return kind === "openai" ? (api ?? (baseUrl === undefined ? "responses" : "chat")) : undefined
}

export function providerModel(settings: ProviderSettings, id: string, deps: ProviderDeps): Result<Model, ModelError> {
  return keptModel(settings, id, deps, () => {
    const wrong = checkProvider(settings, deps.environment, deps.zones)
    return wrong === undefined ? newModel(settings, id, deps) : err(refusal(wrong))
  })
}

function newModel(settings: ProviderSettings, id: string, deps: ProviderDeps): Result<Model, ModelError> {
  const apiKey = settings.apiKey ?? ""
  const origin = `${settings.kind} ${settings.baseUrl ?? ""} ${id}`
  const chat = { keeps: "chunks", ownCallsOnly: /gemini|deepseek/i.test(origin) } as const
  const wire = {
    origin,
    secrets: settings.apiKey === undefined ? [] : [settings.apiKey],
    takes: takesOf(settings, id),
    filesInResults: true,
    effort: asIs,
    tellsRates: settings.kind === "anthropic" || settings.kind === "openai" || settings.kind === "openai-compatible",
    ...(settings.silenceSeconds === undefined ? {} : { silence: settings.silenceSeconds * 1_000 }),
  } satisfies Wire
  const plain = straight(withSettings(deps.fetch ?? globalThis.fetch, settings), settings.apiKey === undefined)
  const streamed = (known: Parameters<typeof gathered>[1]): typeof globalThis.fetch => gathered(streamsOnly(plain), known)
  switch (settings.kind) {
    case "anthropic": {
      const baseURL = settings.baseUrl ?? OWN_BASE_URLS.anthropic
      const fetch = streamed(messagesOnly)
      return ok(
        onDemand(async () => {
          const { createAnthropic } = await import("@ai-sdk/anthropic")
          const provider = createAnthropic({ apiKey, baseURL, fetch: boundThinking(cachingPrompts(fetch)) })
          return fromLanguageModel(provider(id), { ...wire, keeps: "parts" })
        }),
      )
    }
    case "google": {
      const baseURL = settings.baseUrl ?? OWN_BASE_URLS.google
      return ok(
        onDemand(async () => {
          const { googleLanguage } = await import("./google.ts")
          const fetch = boundGemini(streamed(geminiMarks))
          // A result takes files only in Gemini 3, and PDFs not in every version: a message after it takes both.
          return fromLanguageModel(googleLanguage({ apiKey, baseURL, fetch }, id), { ...wire, keeps: "parts", filesInResults: false })
        }),
      )
    }
    case "openai": {
      const baseURL = settings.baseUrl ?? OWN_BASE_URLS.openai
      if (apiOf(settings) === "chat") {
        return ok(
          onDemand(async () => {
            const { openaiChat } = await import("./chat-language.ts")
            const language = openaiChat({ apiKey, baseURL, fetch: plain }, id)
            return fromLanguageModel(language, { ...wire, ...chat, filesInResults: false, looseTools: true })
          }),
        )
      }
      return ok(
        onDemand(async () => {
          const { responsesLanguage } = await import("./responses.ts")
          // Nothing is stored at the provider, and no reasoning summary is requested: Sluice would not store it.
          const providerOptions = { openai: { store: false, reasoningSummary: null } }
          const language = responsesLanguage({ apiKey, baseURL, fetch: streamed(responsesMarks) }, id)
          return fromLanguageModel(language, { ...wire, keeps: "parts", looseTools: true, providerOptions })
        }),
      )
    }
    case "openai-compatible":
      return ok(
        onDemand(async () => {
          const { compatibleChat } = await import("./chat-language.ts")
          const language = compatibleChat({ apiKey: settings.apiKey, baseURL: settings.baseUrl ?? "", fetch: plain }, id)
          return fromLanguageModel(language, { ...wire, ...chat, filesInResults: false, effort: commonEffort })
        }),
      )
    case "workers-ai": {
      if (!isBinding(deps.ai)) {
        return err(refusal('this deployment has no Workers AI binding: add [ai] binding = "AI" to wrangler.toml, or use another provider'))
      }
      const binding = deps.ai
      return ok(
        onDemand(async () => {
          const { createWorkersAI } = await import("workers-ai-provider")
          return fromLanguageModel(createWorkersAI({ binding })(id), { ...wire, filesInResults: false })
        }),
      )
    }
    case "scripted":
      return scriptedModel(settings.turns ?? {}, id)
  }
}

/** A model whose adapter is loaded at its first call, and kept. */
function onDemand(load: () => Promise<Model>): Model {
  let loaded: Model | undefined
  return {
    async *reply(request, signal) {
      yield* (loaded ??= await load()).reply(request, signal)
    },
  }
}

const asIs = (level: Thinking): ReturnType<Wire["effort"]> => (level === "off" ? "none" : level)

// Every Chat Completions server with thinking levels knows only these three; `off` leaves the field out.
function commonEffort(level: Thinking): ReturnType<Wire["effort"]> {
  if (level === "off") return undefined
  if (level === "minimal" || level === "low") return "low"
  return level === "medium" ? "medium" : "high"
}

const isBinding = (value: unknown): value is Ai =>
  typeof value === "object" && value !== null && "run" in value && typeof value.run === "function"

/** Without a key, the library's headers for one would be empty, and a server may refuse them. Redirects are not followed. */
export function straight(fetch: typeof globalThis.fetch, keyless: boolean): typeof globalThis.fetch {
  return (input, init) => {
    if (!keyless) return fetch(input, { ...init, redirect: "manual" })
    const headers = new Headers(init?.headers)
    for (const name of ["authorization", "x-api-key", "x-goog-api-key"]) headers.delete(name)
    return fetch(input, { ...init, headers, redirect: "manual" })
  }
}
