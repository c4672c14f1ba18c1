// A tenant's provider settings and a model id, made into a model [M2]. One kind is one wire: `anthropic` is Messages, `openai`
// is Responses at its own address and Chat Completions behind a `baseUrl` (gateways and proxies all speak that one),
// `openai-compatible` is Chat Completions, `workers-ai` the account's own binding.
//
// The key and the address are always given to the library, never left out: it would fill the gap from the environment, and so
// send the operator's key to a tenant's address. Redirects are not followed, since they would carry the key along.

import { createAnthropic } from "@ai-sdk/anthropic"
import { createOpenAI } from "@ai-sdk/openai"
import { createOpenAICompatible } from "@ai-sdk/openai-compatible"
import { createWorkersAI } from "workers-ai-provider"
import type { Thinking } from "../core/flow/agent.ts"
import type { Model, ModelError, ProviderSettings } from "../ports/model.ts"
import { err, ok, type Result } from "../core/result.ts"
import { fromLanguageModel, type Wire } from "./ai-sdk.ts"
import { boundThinking } from "./bound-thinking.ts"
import { checkBaseUrl } from "./base-url.ts"
import { refusal } from "./failure.ts"
import { gathered } from "./gathered-deltas.ts"
import { checkScripts, scriptedModel } from "./scripted.ts"

export interface ProviderDeps {
  readonly environment: string
  /** The Workers AI binding, when the deployment has one. */
  readonly ai?: unknown
  readonly fetch?: typeof fetch
}

/** What is wrong with settings as a tenant wrote them, or undefined. */
export function checkProvider(settings: ProviderSettings, environment: string): string | undefined {
  if (settings.baseUrl !== undefined) {
    const wrong = checkBaseUrl(settings.baseUrl, environment)
    if (wrong !== undefined) return wrong
  }
  // A header takes no other characters, and the error of a client that tries shows the key.
  if (settings.apiKey !== undefined && !/^[\x21-\x7e]+$/.test(settings.apiKey)) {
    return "apiKey is empty or holds characters that no header can carry (spaces, line ends): copy it again"
  }
  switch (settings.kind) {
    case "anthropic":
    case "openai":
      return settings.apiKey === undefined ? `a provider of kind ${settings.kind} needs an apiKey` : undefined
    case "openai-compatible":
      return settings.baseUrl === undefined
        ? "a provider of kind openai-compatible needs a baseUrl, such as https://api.example.com/v1"
        : undefined
    case "workers-ai":
      return undefined
    case "scripted":
      return checkScripts(settings.turns)
  }
}

export function providerModel(settings: ProviderSettings, id: string, deps: ProviderDeps): Result<Model, ModelError> {
  const wrong = checkProvider(settings, deps.environment)
  if (wrong !== undefined) return err(refusal(wrong))
  const apiKey = settings.apiKey ?? ""
  const wire = { secrets: settings.apiKey === undefined ? [] : [settings.apiKey], images: true, effort: asIs } satisfies Wire
  const fetch = gathered(straight(deps.fetch ?? globalThis.fetch))
  switch (settings.kind) {
    case "anthropic": {
      const provider = createAnthropic({ apiKey, baseURL: settings.baseUrl ?? "https://api.anthropic.com/v1", fetch: boundThinking(fetch) })
      return ok(fromLanguageModel(provider(id), wire))
    }
    case "openai": {
      const provider = createOpenAI({ apiKey, baseURL: settings.baseUrl ?? "https://api.openai.com/v1", fetch })
      if (settings.baseUrl !== undefined) return ok(fromLanguageModel(provider.chat(id), { ...wire, images: false, looseTools: true }))
      // Nothing is kept at the provider, and no summary of its thoughts is asked for: we would not store it.
      const providerOptions = { openai: { store: false, reasoningSummary: null } }
      return ok(fromLanguageModel(provider.responses(id), { ...wire, looseTools: true, providerOptions }))
    }
    case "openai-compatible": {
      const provider = createOpenAICompatible({
        name: "openaiCompatible",
        baseURL: settings.baseUrl ?? "",
        ...(settings.apiKey === undefined ? {} : { apiKey }),
        includeUsage: true,
        fetch,
      })
      return ok(fromLanguageModel(provider.chatModel(id), { ...wire, images: false, effort: commonEffort }))
    }
    case "workers-ai": {
      if (!isBinding(deps.ai)) {
        return err(refusal('this deployment has no Workers AI binding: add [ai] binding = "AI" to wrangler.toml, or use another provider'))
      }
      return ok(fromLanguageModel(createWorkersAI({ binding: deps.ai })(id), { ...wire, images: false }))
    }
    case "scripted":
      return scriptedModel(settings.turns ?? {}, id)
  }
}

const asIs = (level: Thinking): ReturnType<Wire["effort"]> => (level === "off" ? "none" : level)

// Of the levels only these three are known to every Chat Completions server that knows any; `off` is said by silence.
function commonEffort(level: Thinking): ReturnType<Wire["effort"]> {
  if (level === "off") return undefined
  if (level === "minimal" || level === "low") return "low"
  return level === "medium" ? "medium" : "high"
}

const isBinding = (value: unknown): value is Ai =>
  typeof value === "object" && value !== null && "run" in value && typeof value.run === "function"

function straight(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return (input, init) => fetch(input, { ...init, redirect: "manual" })
}
