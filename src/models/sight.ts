// Decides which models take pictures and PDFs [F56]. No API reports this, so the model's name decides: words for vision come first, then
// the families that only read text. Unknown names are shown pictures, except on Workers AI, most of whose models only read text.

import type { MediaType } from "../core/media/media.ts"
import type { ProviderSettings } from "../ports/tenant/providers.ts"

/** The media types that a model takes. */
export type Takes = (type: MediaType) => boolean

/** Any of these patterns, which spaces part. */
const anyOf = (patterns: string): RegExp => new RegExp(patterns.trim().split(/\s+/).join("|"), "i")

const SEES = anyOf(String.raw`
  vision multimodal omni llava pixtral uform ocr
  \bvl\b -vl vl\d?- glm-[\d.]+v
  llama-?4 gemma-?3(?!-1b|n) gemma-?[4-9] mistral-small-3\.[1-9] qwen-?3\.[5-9] kimi-k2\.[5-9]
`)

const READS_TEXT = anyOf(String.raw`
  gpt-3 gpt-4(?![.\dao])(?!-turbo) gpt-oss \bo1-(?:mini|preview) \bo3-mini claude-(?:1|2|instant)
  deepseek codestral devstral mixtral mistral-(?:7b|nemo|tiny) llama-?[23] code-?llama
  qwq qwen kimi-k2 \bglm grok-(?:1|2|3|code) minimax nova-micro \bphi- gemma command-
  jamba granite nemotron starcoder falcon hermes
`)

/** Models whose makers take PDFs in Chat Completions; gateways keep their names. */
const READS_PDF = anyOf(String.raw`gpt-(?:4o|4\.|[5-9]) chatgpt \bo[1-9]\b claude gemini`)

export function takesOf({ kind, baseUrl = "" }: Pick<ProviderSettings, "kind" | "baseUrl">, model: string): Takes {
  const sees = SEES.test(model)
  const readsOnly = !sees && READS_TEXT.test(model)
  // Gemini takes every picture but GIFs.
  const isGif = (type: MediaType): boolean => type === "image/gif" && (kind === "google" || /gemini/i.test(model))
  switch (kind) {
    case "anthropic":
    case "google":
    case "openai":
      return (type) => !readsOnly && !isGif(type)
    case "openai-compatible": {
      // Gemini's own address takes pictures in Chat Completions, and PDFs only by its own API.
      const readsPdf = READS_PDF.test(model) && !/\.googleapis\.com/i.test(baseUrl)
      return (type) => !readsOnly && !isGif(type) && (type !== "application/pdf" || readsPdf)
    }
    case "workers-ai":
      return (type) => sees && type !== "application/pdf"
    case "scripted":
      return () => false
  }
}
