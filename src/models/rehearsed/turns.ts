// Plays one scripted turn like a provider: its delay, its text in pieces, its calls, or its error. Rehearsals and
// scripted providers share this code, so a flow that passes with one passes with the other.

import type { ScriptedCall, RehearsedTurn } from "../../core/case/rehearsal.ts"
import { defined } from "../../core/defined.ts"
import type { JsonObject } from "../../core/json.ts"
import type { FinalMessage, Model, ModelChunk, ModelError, ModelRequest, ModelToolCall, Stop } from "../../ports/model.ts"
import { giveTurn } from "../../ports/short-pieces.ts"
import { pause } from "../../ports/timers.ts"
import { retryableStatus } from "../reply/failure.ts"

const PIECE = 16

/** No provider was called, so no tokens were used. */
const NOTHING = { usage: { input: 0, output: 0 }, unbilled: true } as const

async function* play(turn: RehearsedTurn, request: ModelRequest, stop: Stop): AsyncGenerator<ModelChunk> {
  await delay(request.place.tested ? 0 : (turn.delay ?? 0), stop)
  if (stop.aborted) return yield abortedBy("")
  if (turn.error) return yield failed(errorOf(turn.error))
  let sent = ""
  for (const text of pieces(turn.text ?? "")) {
    if (stop.aborted) return yield abortedBy(sent)
    sent += text
    yield { type: "text", text }
  }
  if (stop.aborted) return yield abortedBy(sent)
  const toolCalls = callsOf(turn, request)
  yield { type: "final", text: sent, thinking: false, toolCalls, ...NOTHING, stopReason: toolCalls.length > 0 ? "toolUse" : "stop" }
}

/** A model that plays the scripted turn for each request. */
export const playing = (turnOf: (request: ModelRequest) => RehearsedTurn): Model => ({
  reply: (request, signal) => play(turnOf(request), request, stopBy(signal)),
  play: (request, stop) => play(turnOf(request), request, stop),
})

export const stopBy = (signal: AbortSignal): Stop => ({
  get aborted() {
    return signal.aborted
  },
  signal,
  turn: () => pause(0),
})

/** The tool that ends this agent's step; its name depends on the agent's finalizer. */
export const finishTool = (request: ModelRequest): ModelRequest["tools"][number] | undefined =>
  request.tools.find((tool) => tool.name === "finish") ?? request.tools.find((tool) => tool.name === "subagent_finalize")

function callsOf(turn: RehearsedTurn, request: ModelRequest): ModelToolCall[] {
  const { step, pass, turn: number } = request.place
  const wanted: ScriptedCall[] = [...(turn.calls ?? [])]
  const ending = finishTool(request)?.name ?? "finish"
  if (turn.finish) wanted.push({ tool: ending, args: ending === "finish" ? turn.finish : finalize(turn.finish) })
  // The same place gives the same ids, so repeating a rehearsal gives the same history.
  return wanted.map(({ tool, args, raw, result }, i) => ({
    id: `call_${step}_${pass}_${number}_${i}`.replace(/[^A-Za-z0-9_-]/g, "_"),
    name: tool,
    args: raw ?? JSON.stringify(args),
    ...defined({ result }),
  }))
}

/** Scripts use the fields of `finish`; this converts them for an agent with the other finalizer (B8). */
export function finalize(finish: JsonObject): JsonObject {
  const { status, summary, files: _files, artifacts, ...rest } = finish
  if (status === "complete") return { ...rest, status: "SUCCESS", ...defined({ result: summary }) }
  if (status !== "error" && status !== "blocked") return finish
  return { ...rest, status: "ERROR", ...defined({ error: summary, result: artifacts }) }
}

function errorOf(error: NonNullable<RehearsedTurn["error"]>): ModelError {
  const { status, message, retry_after } = error
  return {
    message: message ?? (status === undefined ? "scripted: the connection was lost" : `scripted: the provider answered ${status}`),
    retryable: retryableStatus(status),
    ...defined({ status, retryAfter: retry_after === undefined ? undefined : retry_after * 1000 }),
  }
}

const failed = (error: ModelError): FinalMessage => ({
  type: "final",
  text: "",
  thinking: false,
  toolCalls: [],
  ...NOTHING,
  stopReason: "error",
  error,
})

const abortedBy = (text: string): FinalMessage => ({
  ...failed({ message: "the call was aborted", retryable: false }),
  text,
  stopReason: "aborted",
})

/** Splits between characters, never inside one. */
function pieces(text: string): string[] {
  const characters = Array.from(text)
  const list: string[] = []
  for (let i = 0; i < characters.length; i += PIECE) list.push(characters.slice(i, i + PIECE).join(""))
  return list
}

/** A turn without a delay gives the event loop its turn. */
async function delay(ms: number, stop: Stop): Promise<void> {
  if (stop.aborted) return
  await (ms > 0 ? pause(ms, stop.signal) : giveTurn(() => stop.turn()))
}
