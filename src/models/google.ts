// Provides Gemini through its own API, streamGenerateContent. Loaded at the first call: 51 KiB (gzip) that no other provider needs.

import { createGoogle } from "@ai-sdk/google"
import type { Language } from "./ai-sdk.ts"

export interface GoogleSettings {
  readonly apiKey: string
  readonly baseURL: string
  readonly fetch: typeof fetch
}

export const googleLanguage = (settings: GoogleSettings, id: string): Language => createGoogle(settings)(id)
