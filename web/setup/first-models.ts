// Says which of a provider's models are proposed for the two roles that every flow can use: the newest one that writes well, and one that is quick and
// cheap. A proposal only: both can be chosen from the whole list.

import { compareVersions, modelName } from "../../src/core/money/model-name.ts"

export interface FirstModels {
  readonly standard: string
  readonly fast: string
}

/** They hear, draw, embed or judge. */
const OTHER =
  /embed|whisper|tts|audio|image|dall-e|sora|veo|realtime|moderation|transcribe|search|rerank|guard|vision-only|codex|computer-use/i
/** By kind, from the best match on. */
const STANDARD = [/sonnet/i, /^gpt-\d+(\.\d+)?$/i, /gemini.*pro/i, /^gpt-/i, /gemini/i, /large|70b|maverick/i] as const
const FAST = [/haiku/i, /^gpt-\d+(\.\d+)?-mini$/i, /gemini.*flash/i, /mini|nano|flash|small|lite|8b/i] as const

export function firstModels(ids: readonly string[]): FirstModels | undefined {
  const usable = ids.filter((id) => !OTHER.test(id))
  const [first] = usable.length > 0 ? usable : ids
  if (first === undefined) return undefined
  const standard = newest(usable, STANDARD) ?? first
  return { standard, fast: newest(usable, FAST) ?? standard }
}

function newest(ids: readonly string[], patterns: readonly RegExp[]): string | undefined {
  for (const pattern of patterns) {
    const [found] = ids
      .filter((id) => pattern.test(id))
      .sort((a, b) => compareVersions(modelName(b).version, modelName(a).version) || a.length - b.length)
    if (found !== undefined) return found
  }
  return undefined
}
