// A provider that replaces the network and whose model answers when the test allows it: a call stays under way for as long as the test
// needs, however slow the machine. It polls for the release, since a promise of another object cannot be awaited.

import { afterEach, vi } from "vitest"

export interface HeldTurn {
  readonly tool: string
  readonly args: object
}

export interface HeldModel {
  /** How many calls have been held, including current ones. */
  asked: number
  /** How many calls were aborted while they were held. */
  aborted: number
  /** Holds every answer until it is false. */
  held: boolean
  /** The messages of each call. */
  readonly sent: { readonly role: string; readonly content?: unknown }[][]
}

/** Settings of the provider; its only model is `m`. */
export const HELD_PROVIDER = {
  kind: "openai-compatible",
  baseUrl: "https://held-model.example.com/v1",
  apiKey: "key-of-the-model",
} as const

const chunk = (choice: object, more: object = {}): string =>
  `data: ${JSON.stringify({ id: "c1", created: 1, model: "m", object: "chat.completion.chunk", choices: [{ index: 0, ...choice }], ...more })}\n\n`

/** One tool call, as Chat Completions streams it. */
function calling({ tool, args }: HeldTurn): string {
  const call = { index: 0, id: "call_1", type: "function", function: { name: tool, arguments: JSON.stringify(args) } }
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }
  return `${chunk({ delta: { role: "assistant", tool_calls: [call] } })}${chunk({ delta: {}, finish_reason: "tool_calls" }, { usage })}data: [DONE]\n\n`
}

const standing = new Set<HeldModel>()

/** In place until the test ends; answers a conversation's n-th call with its n-th turn. Turns before `from` are not held. */
export function heldModel(turns: readonly HeldTurn[], from = 0): HeldModel {
  const state: HeldModel = { asked: 0, aborted: 0, held: true, sent: [] }
  standing.add(state)
  const real = fetch
  vi.stubGlobal("fetch", async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    if (!(input instanceof Request ? input.url : String(input)).startsWith(HELD_PROVIDER.baseUrl)) return real(input, init)
    const signal = init?.signal ?? (input instanceof Request ? input.signal : undefined)
    const { messages }: { messages: HeldModel["sent"][number] } = JSON.parse(String(init?.body))
    state.sent.push(messages)
    const turn = messages.filter((message) => message.role === "assistant").length
    if (turn >= from) {
      state.asked++
      while (state.held) {
        if (signal?.aborted === true) state.aborted++
        signal?.throwIfAborted()
        await new Promise((resolve) => setTimeout(resolve, 10))
      }
    }
    const next = turns[turn]
    if (next === undefined) throw new Error(`the model has no turn ${turn}`)
    return new Response(calling(next), { headers: { "content-type": "text/event-stream" } })
  })
  return state
}

afterEach(() => {
  for (const state of standing) state.held = false
  standing.clear()
  vi.unstubAllGlobals()
})
