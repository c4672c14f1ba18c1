// Transcripts of sticky sessions [J25]: one run's part of a conversation as it is kept, and earlier parts as they are read again.

import { messages, type Turn } from "./conversation.ts"
import type { RunEvent } from "./event.ts"
import { finishNameOf } from "./finish.ts"
import type { Run, Transcript } from "./state.ts"

/** One run's part of a conversation, fit to stand before another: every call in it has an answer, as providers demand. */
export function turnsOf(run: Run, transcript: Transcript, entries: readonly RunEvent[]): Turn[] {
  const ending = finishNameOf(run.plan.agents[transcript.agent])
  const said = messages(transcript, entries)
  const turns: Turn[] = []
  for (const [i, turn] of said.entries()) {
    turns.push(turn)
    const next = said[i + 1]
    if (turn.role === "user" || next?.role === "tool") continue
    const at = turns.findLastIndex((t) => t.role === "assistant")
    const asked = turns[at]
    if (asked?.role !== "assistant") continue
    const answered = new Set(turns.slice(at + 1).flatMap((t) => (t.role === "tool" ? [t.callId] : [])))
    for (const call of asked.toolCalls) {
      if (answered.has(call.id)) continue
      const isEnd = call.name === ending
      const text = isEnd ? "Accepted." : "There is no result: the session ended before."
      turns.push({ role: "tool", callId: call.id, tool: call.name, content: [{ type: "text", text }], isError: !isEnd })
    }
  }
  return turns
}

/** Earlier conversations, oldest first. Their calls get ids of their own: providers refuse a conversation that has one twice. */
export function earlierTurns(chunks: readonly (readonly Turn[])[]): Turn[] {
  return chunks.flatMap((turns, n) => {
    const ids = new Map<string, string>()
    let count = 0
    return turns.map((turn): Turn => {
      if (turn.role === "user") return turn
      if (turn.role === "tool") return { ...turn, callId: ids.get(turn.callId) ?? turn.callId }
      return {
        ...turn,
        toolCalls: turn.toolCalls.map((call) => {
          const id = `earlier_${n}_${(count += 1)}`
          ids.set(call.id, id)
          return { ...call, id }
        }),
      }
    })
  })
}
