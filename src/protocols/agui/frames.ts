// Converts a run to AG-UI 1.0 events [P19–P21]. Each wait for a person ends an AG-UI run with interrupts, and the next event opens a new
// one, with the state and the active steps. The agents' intermediate texts are reasoning, the answer is the message.

import { defined } from "../../core/defined.ts"
import type { JsonObject } from "../../core/json.ts"
import type { ContentPart } from "../../core/run/event-parts.ts"
import type { EventOf, RunEvent } from "../../core/run/event.ts"
import type { Plan } from "../../core/run/plan.ts"
import type { PiFlowsFrame } from "../../core/run/views/pi-flows.ts"
import { AguiCalls } from "./calls.ts"
import { interruptOf } from "./interrupt.ts"
import { AguiState } from "./state.ts"
import { answerText } from "../../core/run/protocol/answer-text.ts"
import type { SpokenPiece } from "../../core/run/protocol/sent-text.ts"
import { outsideId, ProtocolState } from "../../core/run/protocol/protocol-state.ts"
import { allPieces } from "../../core/run/protocol/text-pieces.ts"

/** Told as they are, without what the journal adds to each event. */
const CUSTOM: ReadonlySet<RunEvent["type"]> = new Set<RunEvent["type"]>([
  "branch.taken",
  "loop.iteration",
  "loop.exhausted",
  "child.started",
  "child.ended",
  "steer.queued",
  "steer.delivered",
  "code.logged",
  "warning",
  "model.failed",
])

/** AG-UI runs of a journal: before the first one, within one, after an interrupt, and after the end. */
type Phase = "new" | "open" | "interrupted" | "over"

interface Saying {
  readonly pass: number
  /** How often this turn's model was asked before. */
  tries: number
}

export class AguiFrames {
  readonly #plan: Plan
  readonly #story: ProtocolState
  readonly #state: AguiState
  readonly #calls: AguiCalls
  /** Steps that the open AG-UI run has started. */
  readonly #started: Set<string>
  readonly #saying: Map<string, Saying>
  /** Step → the span of reasoning that this reader was told to open. */
  readonly #spans = new Map<string, string>()
  #phase: Phase = "new"
  /** AG-UI runs so far. */
  #runs = 0

  constructor(plan: Plan, from?: AguiFrames) {
    this.#plan = plan
    this.#story = new ProtocolState(from === undefined ? undefined : from.#story)
    this.#state = new AguiState(from === undefined ? undefined : from.#state)
    this.#calls = new AguiCalls(from === undefined ? undefined : from.#calls)
    this.#started = new Set(from === undefined ? [] : from.#started)
    this.#saying = new Map([...(from === undefined ? [] : from.#saying)].map(([step, saying]) => [step, { ...saying }]))
    if (from === undefined) return
    this.#phase = from.#phase
    this.#runs = from.#runs
  }

  copy(): AguiFrames {
    return new AguiFrames(this.#plan, this)
  }

  frames(e: RunEvent): PiFlowsFrame[] {
    if (this.#phase === "over") return []
    // What opens an AG-UI run tells the state before the event, and the event's own frames lead on from there.
    const opening = this.#phase === "interrupted" ? this.#opens() : []
    this.#story.take(e)
    this.#state.take(e, this.#plan)
    return [...opening, ...this.#framesOf(e)].map(({ event, data }) => ({ event, data: { ...data, timestamp: e.at } }))
  }

  said(piece: SpokenPiece): PiFlowsFrame[] {
    const text = this.#story.spoken.piece(piece)
    return text === "" || this.#phase !== "open" ? [] : this.#says(piece.step, piece.turn, text)
  }

  #framesOf(e: RunEvent): PiFlowsFrame[] {
    switch (e.type) {
      case "run.started":
        return this.#opens()
      case "step.opened": {
        this.#saying.set(e.step, { pass: e.pass, tries: 0 })
        this.#calls.opened(e)
        return [...this.#silent(e.step), ...this.#starts(e.step), ...this.#delta()]
      }
      case "step.finished":
      case "step.skipped":
      case "step.reopened":
        return [...this.#silent(e.step), ...this.#stops(e.step), ...this.#delta()]
      case "model.replied":
        return this.#replied(e)
      case "step.called":
        return this.#called(e)
      case "model.failed":
        return [...this.#again(e.step), custom(e)]
      case "action.lost":
        return e.kind === "model" ? this.#again(e.step) : []
      case "tool.returned":
        return this.#result(e, contentText(e.content), e.isError)
      case "tool.refused":
        return this.#result(e, e.reason, true)
      case "tool.uncertain":
        return this.#result(e, "The outcome of this call is unknown.", true)
      case "run.waiting":
        return this.#story.isAsking ? this.#interrupts() : this.#delta()
      case "run.paused":
      case "run.resumed":
        return this.#delta()
      case "run.ended":
        return this.#ended(e)
      default:
        return CUSTOM.has(e.type) ? [custom(e)] : []
    }
  }

  #opens(): PiFlowsFrame[] {
    const { thread, run } = this.#story
    this.#phase = "open"
    this.#runs += 1
    return [
      frame("RUN_STARTED", { threadId: thread, runId: this.#runId(), protocolVersion: "1.0", metadata: { sluice: { run } } }),
      frame("STATE_SNAPSHOT", { snapshot: this.#state.snapshot(this.#story) }),
      ...this.#state.open().flatMap((step) => this.#starts(step)),
    ]
  }

  #runId(): string {
    return this.#runs === 1 ? this.#story.run : `${this.#story.run}_${this.#runs}`
  }

  #starts(step: string): PiFlowsFrame[] {
    if (this.#started.has(step)) return []
    this.#started.add(step)
    return [frame("STEP_STARTED", { stepName: step })]
  }

  #stops(step: string): PiFlowsFrame[] {
    return this.#started.delete(step) ? [frame("STEP_FINISHED", { stepName: step })] : []
  }

  #delta(): PiFlowsFrame[] {
    const delta = this.#state.delta(this.#story)
    return delta.length === 0 ? [] : [frame("STATE_DELTA", { delta })]
  }

  #replied(e: EventOf<"model.replied">): PiFlowsFrame[] {
    const rest = this.#story.spoken.rest(e.step, e.turn, e.text)
    const said = rest === "" ? [] : this.#says(e.step, e.turn, rest, e.pass)
    const silent = this.#silent(e.step)
    const saying = this.#saying.get(e.step)
    if (saying) saying.tries = 0
    return [...said, ...silent, ...this.#called(e)]
  }

  #called(e: EventOf<"model.replied"> | EventOf<"step.called">): PiFlowsFrame[] {
    return this.#calls
      .replied(e, this.#story.run, this.#plan)
      .flatMap(({ id, name, args }) => [
        frame("TOOL_CALL_START", { toolCallId: id, toolCallName: name }),
        frame("TOOL_CALL_ARGS", { toolCallId: id, delta: args }),
        frame("TOOL_CALL_END", { toolCallId: id }),
      ])
  }

  #says(step: string, turn: number, text: string, pass = this.#saying.get(step)?.pass ?? 1): PiFlowsFrame[] {
    const known = this.#spans.get(step)
    const tries = this.#saying.get(step)?.tries ?? 0
    const messageId = known ?? `${this.#story.run}.${step}.${pass}.${turn}${tries === 0 ? "" : `.${tries + 1}`}`
    this.#spans.set(step, messageId)
    const begins =
      known === undefined
        ? [frame("REASONING_START", { messageId }), frame("REASONING_MESSAGE_START", { messageId, role: "reasoning" })]
        : []
    return [...begins, frame("REASONING_MESSAGE_CONTENT", { messageId, delta: text })]
  }

  /** Closes the step's span of reasoning. */
  #silent(step: string): PiFlowsFrame[] {
    const messageId = this.#spans.get(step)
    if (messageId === undefined) return []
    this.#spans.delete(step)
    return [frame("REASONING_MESSAGE_END", { messageId }), frame("REASONING_END", { messageId })]
  }

  /** The turn's model is asked again, and what it says then is another message. */
  #again(step: string): PiFlowsFrame[] {
    const saying = this.#saying.get(step)
    if (saying) saying.tries += 1
    return this.#silent(step)
  }

  #result({ step, callId }: { readonly step: string; readonly callId: string }, content: string, isError: boolean): PiFlowsFrame[] {
    const toolCallId = this.#calls.returned(step, callId)
    if (toolCallId === undefined) return []
    const failed = isError ? { metadata: { sluice: { error: true } } } : {}
    return [frame("TOOL_CALL_RESULT", { messageId: `${toolCallId}.result`, toolCallId, role: "tool", content, ...failed })]
  }

  #interrupts(): PiFlowsFrame[] {
    const { open } = this.#story
    const interrupts = [...open.values()].map((asked) =>
      interruptOf(
        asked,
        outsideId(asked.run, asked.id),
        asked.callId === undefined ? undefined : this.#calls.idOf(asked.step, asked.callId),
      ),
    )
    const snapshot = frame("STATE_SNAPSHOT", { snapshot: this.#state.snapshot(this.#story) })
    const frames = [...this.#leaves(), snapshot, ...this.#finishes(), this.#finished({ outcome: { type: "interrupt", interrupts } })]
    this.#phase = "interrupted"
    return frames
  }

  #ended({ status, output, error }: EventOf<"run.ended">): PiFlowsFrame[] {
    const frames = [...this.#leaves(), ...this.#finishes(), ...this.#delta()]
    if (status === "failed") {
      const message = error?.message ?? "The run failed."
      frames.push(frame("RUN_ERROR", { message, code: error?.source ?? "engine", ...this.#about() }))
    } else if (status === "canceled") frames.push(this.#finished({ outcome: { type: "cancelled" } }))
    else {
      frames.push(...this.#answers(answerText(output, this.#story.summary)))
      frames.push(this.#finished({ outcome: { type: "success" }, ...defined({ result: output }) }))
    }
    this.#phase = "over"
    return frames
  }

  #answers(text: string): PiFlowsFrame[] {
    if (text === "") return []
    const messageId = `${this.#story.run}.answer`
    const frames = [frame("TEXT_MESSAGE_START", { messageId, role: "assistant" })]
    for (const delta of allPieces(text)) frames.push(frame("TEXT_MESSAGE_CONTENT", { messageId, delta }))
    return [...frames, frame("TEXT_MESSAGE_END", { messageId })]
  }

  #leaves(): PiFlowsFrame[] {
    return [...this.#spans.keys()].flatMap((step) => this.#silent(step))
  }

  #finishes(): PiFlowsFrame[] {
    return [...this.#started].flatMap((step) => this.#stops(step))
  }

  #finished(how: JsonObject): PiFlowsFrame {
    return frame("RUN_FINISHED", { threadId: this.#story.thread, runId: this.#runId(), ...how, ...this.#about() })
  }

  #about(): JsonObject {
    const { run, status, seq, models } = this.#story
    const usage = [...models].map(([model, { input, output, cacheRead, cacheWrite, reasoning }]) => ({
      ...named(model),
      inputTokens: input,
      outputTokens: output,
      totalTokens: input + output,
      ...(cacheRead > 0 ? { cachedInputTokens: cacheRead } : {}),
      ...(cacheWrite > 0 ? { cacheWriteInputTokens: cacheWrite } : {}),
      ...(reasoning > 0 ? { reasoningTokens: reasoning } : {}),
    }))
    return { ...(usage.length === 0 ? {} : { usage }), metadata: { sluice: { run, status, seq } } }
  }
}

const frame = (type: string, data: JsonObject): PiFlowsFrame => ({ event: "", data: { type, ...data } })

function custom({ seq: _seq, at: _at, v: _v, prev: _prev, ...fact }: RunEvent): PiFlowsFrame {
  const { type, ...value } = fact
  return frame("CUSTOM", { name: `sluice.${type}`, value: value as unknown as JsonObject })
}

/** `provider/model[:thinking]` */
function named(model: string): JsonObject {
  const [provider = "", ...rest] = model.split("/")
  const name = rest.join("/")
  return name === "" ? { model: model === "" ? "unknown" : model } : { provider, model: name }
}

const contentText = (content: readonly ContentPart[]): string =>
  content.map((part) => (part.type === "text" ? part.text : `[${part.mimeType}]`)).join("\n")
