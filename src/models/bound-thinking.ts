// Two rules of Anthropic's older models, which think within a token budget, held on the request as it leaves.
//
// The library adds the thinking budget to `max_tokens`; ours is a bound on everything that comes back [B1], so the budget is taken
// out of it: half at most, and none when the API's least budget (1,024) does not fit. And after tool results such a model
// wants its own earlier thinking back, or answers 400; our messages do not keep it, so that turn is asked without thinking.
// Models that think adaptively have neither rule and are left alone.

import { isObject } from "../core/json.ts"

const LEAST_BUDGET = 1024

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
  if (budget < LEAST_BUDGET || continuesAfterTools(body["messages"])) return JSON.stringify({ ...rest, max_tokens: limit })
  return JSON.stringify({ ...rest, max_tokens: limit, thinking: { ...(isObject(thinking) ? thinking : {}), budget_tokens: budget } })
}

function continuesAfterTools(messages: unknown): boolean {
  const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined
  const content: unknown = isObject(last) ? last["content"] : undefined
  return Array.isArray(content) && content.some((block) => isObject(block) && block["type"] === "tool_result")
}
