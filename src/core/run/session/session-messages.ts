// Shows a sticky session's conversation to readers [J25], in the form of a step's messages [J21]. The sealed state of a provider and the
// system prompt are not shown.

import { defined } from "../../defined.ts"
import { isObject, type Json, type JsonObject } from "../../json.ts"
import type { Chunk } from "./transcript.ts"
import type { ToolTurn, Turn } from "./conversation.ts"
import type { AssistantSaid } from "./step-messages.ts"

/** `part`: the number of the run's part in the conversation, from 1. `at`: when that part was saved, in milliseconds. */
export type SessionMessage = { readonly part: number; readonly at: number; readonly run?: string } & (
  | { readonly role: "user"; readonly text: string }
  | AssistantSaid
  | ToolTurn
)

export function sessionMessages({ run, turns }: Pick<Chunk, "run" | "turns">, part: number, at: number): SessionMessage[] {
  const place = { part, at, ...defined({ run }) }
  return turns.map((turn) => ({ ...place, ...said(turn) }))
}

function said(turn: Turn) {
  switch (turn.role) {
    case "user":
      return { role: turn.role, text: turn.text }
    case "assistant": {
      const { role, text, toolCalls } = turn
      return { role, text, toolCalls: toolCalls.map(({ id, name, args }) => ({ id, name, args: argsOf(args) })) }
    }
    case "tool": {
      const { role, callId, tool, content, isError } = turn
      return { role, callId, tool, content, isError }
    }
  }
}

/** Arguments are stored as the text of a JSON object. */
function argsOf(text: string): JsonObject {
  const args: Json = JSON.parse(text)
  return isObject(args) ? args : {}
}
