// Applies two rules of Anthropic's older models, which think within a token budget, to the outgoing request.
//
// The library adds the thinking budget to `max_tokens`; our limit covers the whole reply [B1], so the budget is taken
// from it: at most half, and none if the API's minimum (1,024) does not fit. After tool results such a model also
// requires its earlier thinking, or answers 400; our messages do not keep it, so that turn runs without thinking.
// Models with adaptive thinking have neither rule and are left alone.

import { isObject } from "../core/json.ts"

const MIN_BUDGET = 1024

export function boundThinking(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return (input, init) => fetch(input, typeof init?.body === "string" ? { ...init, body: bound(init.body) } : init)
}

function bound(text: string): string {
  const body: unknown = JSON.parse(text)
  if (!isObject(body) || !isObject(body["thinking"]) || body["thinking"]["type"] !== "enabled") return text
  const asked = Number(body["thinking"]["budget_tokens"])
  const limit = Number(body["max_tokens"]) - asked
  const budget = Math.min(asked, Math.floor(limit / 2))
  const { thinking, ...rest } = body
  if (budget < MIN_BUDGET || continuesAfterTools(body["messages"])) return JSON.stringify({ ...rest, max_tokens: limit })
  return JSON.stringify({ ...rest, max_tokens: limit, thinking: { ...(isObject(thinking) ? thinking : {}), budget_tokens: budget } })
}

function continuesAfterTools(messages: unknown): boolean {
  const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined
  const content: unknown = isObject(last) ? last["content"] : undefined
  return Array.isArray(content) && content.some((block) => isObject(block) && block["type"] === "tool_result")
}
