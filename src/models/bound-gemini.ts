// Leaves a Gemini model room to answer [B1]: its output limit also covers its thoughts, so a thinking budget as large as that limit could
// use up the whole reply. As with Anthropic, at most half of the limit is for thinking.

import { isObject } from "../core/json.ts"

export function boundGemini(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return (input, init) => fetch(input, typeof init?.body === "string" ? { ...init, body: bound(init.body) } : init)
}

function bound(text: string): string {
  const body: unknown = JSON.parse(text)
  const config = isObject(body) ? body["generationConfig"] : undefined
  const thinking = isObject(config) ? config["thinkingConfig"] : undefined
  if (!isObject(config) || !isObject(thinking)) return text
  const [asked, limit] = [thinking["thinkingBudget"], config["maxOutputTokens"]]
  // -1: the model decides by itself, within the limit.
  if (typeof asked !== "number" || typeof limit !== "number" || asked <= limit / 2) return text
  thinking["thinkingBudget"] = Math.floor(limit / 2)
  return JSON.stringify(body)
}
