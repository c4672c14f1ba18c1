// Streams a run as one UI message [P5, P22, P24]: its frames from a given place, until it ends or waits for a person. A reader that starts
// earlier skips waits that are over.

import { answerFrames } from "./frames.ts"
import type { Json, JsonObject } from "../../core/json.ts"
import { questionOf } from "../../engine/run/open-questions.ts"
import { asksPeople, type RunView } from "../../core/run/views/view.ts"
import type { RunPort } from "../../ports/run.ts"
import type { Call } from "../../http/middleware/call.ts"
import { questionsText } from "../shared/ask-again.ts"
import { framesOf, SILENCE } from "../../engine/run/run-frames.ts"
import { eventStream, type SseLine } from "../../http/middleware/sse.ts"
import { EarlierCalls } from "./earlier-calls.ts"
import type { UiPlace } from "./ui-place.ts"

const FORMAT = "ui"
const HEADERS = { "x-vercel-ai-ui-message-stream": "v1" }
const PAGE = 500

type Chunk = Readonly<Record<string, unknown>>

export const uiStream = (c: Call, place: UiPlace): Response =>
  eventStream(
    c,
    async function* (signal): AsyncGenerator<SseLine | typeof SILENCE, void> {
      for await (const data of tells(c, place, signal)) yield data === SILENCE ? data : { data }
      if (!signal.aborted) yield { data: "[DONE]" }
    },
    HEADERS,
  )

async function* tells(c: Call, place: UiPlace, signal: AbortSignal): AsyncGenerator<Chunk | typeof SILENCE, void> {
  const earlier = place.isOwn === true ? new EarlierCalls(c.get("tenant").run(place.run), place.after) : undefined
  for await (const chunk of chunksOf(c, place, signal)) {
    if (chunk !== SILENCE && earlier) yield* await earlier.before(chunk)
    yield chunk
  }
}

async function* chunksOf(c: Call, place: UiPlace, signal: AbortSignal): AsyncGenerator<Chunk | typeof SILENCE, void> {
  const { run, after, message, asked } = place
  const port = c.get("tenant").run(run)
  const isPage = c.get("caller").chat !== undefined
  yield { type: "start", messageId: message }
  if (asked) yield* asks(c, port, asked)
  // What is open was told before, and nothing has come since.
  const now = await port.view()
  if (now && asksPeople(now) && after >= now.seq) return yield await waits(c, port, now.seq)
  const heard = new Heard()
  for await (const frame of framesOf(port, after, FORMAT, signal)) {
    if (frame === SILENCE) {
      yield SILENCE
      continue
    }
    const data = heard.rest(frame.data)
    const type = data?.["type"]
    // What happens inside a run is for its owner.
    if (!data || type === "start" || (isPage && type === "data-event")) continue
    if (type === "finish") return yield await finished(c, port, data)
    yield data
    if (type === "finish-step" && frame.id !== undefined && (await isLastWait(port, Number(frame.id))))
      return yield await waits(c, port, Number(frame.id))
  }
}

/** What a page has heard of open texts: a broken stream begins them again. */
class Heard {
  readonly #open = new Map<unknown, { told: number; at: number }>()

  rest(data: Chunk): Chunk | undefined {
    const { type, id, delta } = data
    if (type === "reasoning-start") {
      const open = this.#open.get(id)
      if (open) open.at = 0
      else this.#open.set(id, { told: 0, at: 0 })
      return open ? undefined : data
    }
    if (type === "reasoning-end") this.#open.delete(id)
    const open = type === "reasoning-delta" ? this.#open.get(id) : undefined
    if (!open || typeof delta !== "string") return data
    const rest = delta.slice(Math.max(0, open.told - open.at))
    open.at += delta.length
    open.told = Math.max(open.told, open.at)
    return rest === "" ? undefined : { ...data, delta: rest }
  }
}

/** Whether the run still waits where it did. */
async function isLastWait(port: RunPort, seq: number): Promise<boolean> {
  const now = await port.view()
  if (!now || !asksPeople(now)) return false
  for (let after: number | null = seq; after !== null;) {
    const page: Awaited<ReturnType<RunPort["frames"]>> = await port.frames(after, PAGE, FORMAT)
    if (page?.data.some(({ data }) => data["type"] === "finish-step") === true) return false
    after = page?.next ?? null
  }
  return true
}

const usageOf = (c: Call, { usage }: RunView): JsonObject =>
  // Costs are for the owner.
  c.get("caller").chat === undefined ? { ...usage } : { tokens: usage.tokens }

async function waits(c: Call, port: RunPort, seq: number): Promise<Chunk> {
  const view = await port.view()
  const about = view && { run: view.id, thread: view.thread, status: "waiting", seq, usage: usageOf(c, view) }
  return { type: "finish", finishReason: "tool-calls", messageMetadata: { ...about } }
}

async function finished(c: Call, port: RunPort, chunk: Chunk): Promise<Chunk> {
  const view = await port.view()
  if (!view) return chunk
  return { ...chunk, messageMetadata: { ...(chunk["messageMetadata"] as JsonObject), usage: usageOf(c, view) } }
}

/** Questions in a message of their own: a page answers in the last one. */
async function* asks(c: Call, port: RunPort, asked: readonly string[]): AsyncGenerator<Chunk, void> {
  const view = await port.view()
  const all = view ? await Promise.all(asked.map((id) => questionOf(c.get("tenant").run, view, id))) : []
  yield { type: "start-step" }
  for (const { data } of answerFrames(questionsText(all.filter((one) => one !== undefined)), "question")) yield data
  yield* await openParts(port, new Set(asked))
  yield { type: "finish-step" }
}

/** The parts of open questions, as they were told. */
async function openParts(port: RunPort, pending: ReadonlySet<string>): Promise<Chunk[]> {
  const isOpen = (id: Json | undefined): boolean => typeof id === "string" && pending.has(id)
  const calls = new Map<unknown, Chunk>()
  const parts: Chunk[] = []
  for (let after: number | null = 0; after !== null;) {
    const page: Awaited<ReturnType<RunPort["frames"]>> = await port.frames(after, PAGE, FORMAT)
    for (const { data } of page?.data ?? []) {
      const { type, toolCallId, approvalId } = data
      if (type === "tool-input-available") calls.set(toolCallId, data)
      if (type === "tool-input-available" && isOpen(toolCallId) && data["providerExecuted"] !== true) parts.push(data)
      if (type === "tool-approval-request" && isOpen(approvalId)) parts.push(...[calls.get(toolCallId)].filter((call) => !!call), data)
      if (typeof type === "string" && type.startsWith("tool-output")) calls.delete(toolCallId)
    }
    after = page?.next ?? null
  }
  return parts
}
