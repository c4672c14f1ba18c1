// The kinds of provider that the console connects, in the order of the choice, with what a person knows of each.

import type { ProviderKind } from "../../../../src/core/project/provider-body.ts"

interface Kind {
  readonly kind: ProviderKind
  readonly words: string
  /** How its keys begin; absent: it needs none. */
  readonly key?: string
  /** Where a person gets a key. */
  readonly get?: string
  readonly needsAddress?: true
}

export const KINDS = [
  { kind: "anthropic", words: "Anthropic", key: "sk-ant-…", get: "https://console.anthropic.com/settings/keys" },
  { kind: "openai", words: "OpenAI", key: "sk-…", get: "https://platform.openai.com/api-keys" },
  { kind: "google", words: "Google", key: "AIza…", get: "https://aistudio.google.com/apikey" },
  { kind: "openai-compatible", words: "OpenAI-compatible", key: "if it needs one", needsAddress: true },
  { kind: "workers-ai", words: "Workers AI" },
] as const satisfies readonly Kind[]

export type ConnectKind = (typeof KINDS)[number]["kind"]

export const kindOf = (kind: ProviderKind): Kind => KINDS.find((one) => one.kind === kind) ?? { kind, words: kind }
export const kindWords = (kind: ProviderKind): string => (kind === "scripted" ? "Scripted replies" : kindOf(kind).words)
