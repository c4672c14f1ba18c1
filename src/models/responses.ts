// Provides OpenAI's Responses API. Loaded at the first call.

import { createOpenAI } from "@ai-sdk/openai"
import type { Language } from "./ai-sdk.ts"

export interface ResponsesSettings {
  readonly apiKey: string
  readonly baseURL: string
  readonly fetch: typeof fetch
}

export const responsesLanguage = (settings: ResponsesSettings, id: string): Language => createOpenAI(settings).responses(id)
