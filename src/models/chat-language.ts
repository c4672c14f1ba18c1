// Provides Chat Completions for the kinds `openai` and `openai-compatible`. Loaded at the first call, with the libraries that write the
// requests.

import { createOpenAI } from "@ai-sdk/openai"
import { createOpenAICompatible } from "@ai-sdk/openai-compatible"
import { defined } from "../core/defined.ts"
import type { Language } from "./ai-sdk.ts"
import { capturing } from "./captured.ts"
import { chatCaller, type ChatModel } from "./chat-caller.ts"

export interface ChatSettings {
  readonly apiKey: string | undefined
  readonly baseURL: string
  readonly fetch: typeof fetch
}

export const openaiChat = ({ apiKey = "", baseURL, fetch }: ChatSettings, id: string): Language =>
  called({ kind: "openai", model: createOpenAI({ apiKey, baseURL, fetch: capturing }).chat(id), fetch })

export const compatibleChat = ({ apiKey, baseURL, fetch }: ChatSettings, id: string): Language =>
  called({
    kind: "openai-compatible",
    model: createOpenAICompatible({
      name: "openaiCompatible",
      baseURL,
      ...defined({ apiKey }),
      includeUsage: true,
      fetch: capturing,
    }).chatModel(id),
    fetch,
  })

const called =
  (model: ChatModel): Language =>
  (extras) =>
    chatCaller(model, extras)
