// Applies two rules of Anthropic's older models, which think within a token budget, to the outgoing request.
//
// The library adds the thinking budget to `max_tokens`; our limit covers the whole reply [B1], so the budget is taken from it: at most
// half, and none if the API's minimum (1,024) does not fit. After tool results such a model also answers 400 unless its last message begins
// with thinking; if that message has none, because another model wrote it or thinking was off, the turn runs without thinking. Models with
// adaptive thinking have neither rule and are left alone.

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
  if (budget < MIN_BUDGET || lacksThinking(body["messages"])) return JSON.stringify({ ...rest, max_tokens: limit })
  return JSON.stringify({ ...rest, max_tokens: limit, thinking: { ...(isObject(thinking) ? thinking : {}), budget_tokens: budget } })
}

/** Does the conversation go on after tool results, with no thinking before their calls? */
function lacksThinking(messages: unknown): boolean {
  const list: readonly unknown[] = Array.isArray(messages) ? messages : []
  if (!blocksOf(list.at(-1)).some((block) => block["type"] === "tool_result")) return false
  const said = list.findLast((message) => isObject(message) && message["role"] === "assistant")
  return !/^(?:redacted_)?thinking$/.test(String(blocksOf(said)[0]?.["type"]))
}

const blocksOf = (message: unknown): readonly Record<string, unknown>[] => {
  const content: unknown = isObject(message) ? message["content"] : undefined
  return Array.isArray(content) ? content.filter(isObject) : []
}
