// Marks the parts of a request that Anthropic may cache [M6]: only marked parts are cached, and a later turn pays a tenth for them. Other
// providers cache by themselves.
//
// At most four marks, the API's limit: the tools, the system prompt, the end of the conversation, and the end of the turn before. The last
// one finds the entry that the previous turn wrote, since the API looks back only 20 blocks and one turn may hold more calls than that.

import { isObject } from "../core/json.ts"

const MARK = { type: "ephemeral" } as const

export function cachingPrompts(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return (input, init) => fetch(input, typeof init?.body === "string" ? { ...init, body: marked(init.body) } : init)
}

function marked(text: string): string {
  const body: unknown = JSON.parse(text)
  if (!isObject(body)) return text
  const said = listOf(body["messages"]).filter((message) => isObject(message) && message["role"] === "user")
  const ends = said.slice(-2).map((message) => (isObject(message) ? message["content"] : undefined))
  for (const list of [body["tools"], body["system"], ...ends]) mark(listOf(list).at(-1))
  return JSON.stringify(body)
}

/** The API refuses a mark on an empty text. */
function mark(block: unknown): void {
  if (isObject(block) && block["text"] !== "") block["cache_control"] = MARK
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
