// Stores one run's part of a sticky session's conversation, and reads the parts of earlier runs [J25].

import { defined } from "../../defined.ts"
import { messages, type Turn } from "./conversation.ts"
import type { RunEvent } from "../event.ts"
import { keepsApart } from "./apart.ts"
import { toldOf, type FirstMessage } from "./told.ts"
import { finishNameOf } from "./finish.ts"
import type { Run, Session, Transcript } from "../state.ts"
import type { Prompt } from "./sticky.ts"

/** One run's part of the conversation, as stored. */
export interface Chunk {
  readonly v: 1
  /** Absent in the parts of earlier versions. */
  readonly run?: string
  readonly prompt: Prompt
  readonly turns: readonly Turn[]
}

/**
 * `entries` are the journal's events of `transcript.seqs`; `sealed` reads a row of the journal. The part must outlive the run, so it
 * contains the sealed state of a reply [J20].
 */
export function chunkOf(
  run: Run,
  transcript: Transcript,
  entries: readonly RunEvent[],
  sealed: (row: string) => string | undefined,
): Chunk {
  let told: FirstMessage = { task: "" }
  let attached: Session["attached"]
  let prompt: Prompt = {
    definition: run.pins?.agents[transcript.agent] ?? "",
    inputs: {},
    body: "",
    ...(keepsApart(run) ? { apart: true } : {}),
  }
  for (const e of entries) {
    if (e.type === "step.opened") {
      told = toldOf(e)
      prompt = { ...prompt, inputs: e.inputs ?? {}, body: e.body ?? "" }
    }
    if (e.type === "context.read" && (e.attached || e.unseen)) attached = { seq: e.seq, files: e.attached ?? [], unseen: e.unseen ?? [] }
    if (e.type === "session.opened" && e.body !== undefined) prompt = { ...prompt, body: e.body }
  }
  const turns = messages({ task: told.task, told, ...defined({ attached }) }, entries).map((turn) => carried(turn, sealed))
  return { v: 1, run: run.id, prompt, turns: closed(turns, finishNameOf(run.plan.agents[transcript.agent])) }
}

function carried(turn: Turn, sealed: (row: string) => string | undefined): Turn {
  if (turn.role !== "assistant" || turn.state === undefined || !("row" in turn.state)) return turn
  const { state, ...rest } = turn
  const body = sealed(state.row)
  return body === undefined ? rest : { ...rest, state: { model: state.model, sealed: body } }
}

/** Makes a part ready to precede another part: every call gets an answer, as providers require. */
function closed(said: readonly Turn[], ending: string): Turn[] {
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

/** Earlier conversations, oldest first. Their calls get new ids: providers refuse a conversation with a repeated id. */
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
