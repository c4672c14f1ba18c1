// Converts a run to the AI SDK's UI message stream [P22]: one assistant message. The agents' intermediate texts are reasoning, calls are
// dynamic tools that the server carries out, a question is a tool for the page to answer, and the answer is the text.
//
// The SDK refuses members that it does not know, so other data for a page is in data parts and in the metadata.

import { defined } from "../../core/defined.ts"
import type { Json, JsonObject } from "../../core/json.ts"
import type { ContentPart } from "../../core/run/event-parts.ts"
import type { ChildDecision, EventOf, RunEvent } from "../../core/run/event.ts"
import { waitsForPeople } from "../../core/run/steps/child-questions.ts"
import type { PiFlowsFrame } from "../../core/run/views/pi-flows.ts"
import { answerText } from "../../core/run/protocol/answer-text.ts"
import type { SpokenPiece } from "../../core/run/protocol/sent-text.ts"
import { outsideId, ProtocolState, type OpenQuestion } from "../../core/run/protocol/protocol-state.ts"
import { answerPieces } from "../../core/run/protocol/text-pieces.ts"

/** Calls that are shown another way: how a step ends, and what it asks. */
const UNSHOWN: ReadonlySet<string> = new Set(["finish", "subagent_finalize", "ask_user"])

interface Turns {
  /** The `seq` from which the step's turns count. */
  readonly from: number
  /** The turn whose reasoning is open for this reader. */
  open?: number
}

export class UiFrames {
  readonly #story: ProtocolState
  /** `step/callId` → its id outside, of calls without a result. */
  readonly #calls: Map<string, string>
  readonly #turns: Map<string, Turns>
  #isInStep: boolean

  constructor(from?: UiFrames) {
    this.#story = new ProtocolState(from === undefined ? undefined : from.#story)
    this.#calls = new Map(from === undefined ? [] : from.#calls)
    // Another reader has heard nothing of the open turns.
    this.#turns = new Map(from === undefined ? [] : [...from.#turns].map(([step, turns]) => [step, { from: turns.from }]))
    this.#isInStep = from !== undefined && from.#isInStep
  }

  copy(): UiFrames {
    return new UiFrames(this)
  }

  frames(e: RunEvent): PiFlowsFrame[] {
    const before = new Map(e.type === "child.asked" ? this.#story.open : [])
    const asked = e.type === "interaction.answered" || e.type === "interaction.expired" ? this.#story.open.get(e.id) : undefined
    this.#story.take(e)
    const frames =
      e.type === "child.asked" ? this.#below(e, before) : asked === undefined ? this.#framesOf(e) : this.#decided(asked, endOf(e))
    // What was asked before a wait is looked for in the newest step of the message, so it stays the newest until all is answered.
    if (frames.length === 0 || this.#isInStep || e.type === "run.ended" || this.#story.open.size > 0) return frames
    this.#isInStep = true
    return [chunk({ type: "start-step" }), ...frames]
  }

  said(piece: SpokenPiece): PiFlowsFrame[] {
    const text = this.#story.spoken.piece(piece)
    return text === "" ? [] : this.#says(piece.step, piece.turn, text)
  }

  #framesOf(e: RunEvent): PiFlowsFrame[] {
    switch (e.type) {
      case "run.started":
      case "run.forked":
        this.#isInStep = true
        return [chunk({ type: "start", messageId: this.#story.run }), chunk({ type: "start-step" }), this.#run()]
      case "step.opened":
        return [...this.#falls(e.step, e.seq), step(e.step, { status: "running" })]
      case "step.finished":
        return [...this.#falls(e.step, e.seq), step(e.step, { status: e.status, summary: e.summary })]
      case "step.skipped":
        return [step(e.step, { status: "skipped" })]
      case "step.reopened":
        return [...this.#falls(e.step, e.seq), step(e.step, { status: "pending" })]
      case "model.replied":
        return this.#replied(e)
      case "step.called":
        return this.#called(e)
      case "model.failed":
        return [...this.#falls(e.step, e.seq), event(e, ["step", "turn", "attempt", "status", "message", "fallback"])]
      case "action.lost":
        return e.kind === "model" ? this.#falls(e.step, e.seq) : []
      case "tool.returned":
        return this.#result(e, (toolCallId) => returned(toolCallId, e))
      case "tool.refused":
        return this.#result(e, (toolCallId) =>
          e.code === "approval_rejected" ? { type: "tool-output-denied", toolCallId } : failed(toolCallId, e.reason),
        )
      case "tool.uncertain":
        return this.#result(e, (toolCallId) => failed(toolCallId, "The call was interrupted: it is not known whether it took effect."))
      case "interaction.asked":
        return this.#asked({ ...e, run: this.#story.run })
      case "run.waiting":
        return waitsForPeople(this.#story) ? this.#waits() : [this.#run(e.reason)]
      case "run.paused":
      case "run.resumed":
        return [this.#run(e.reason)]
      case "run.ended":
        return this.#ended(e)
      case "branch.taken":
        return [event(e, ["step", "branch", "target", "by"])]
      case "loop.iteration":
      case "loop.exhausted":
        return [event(e, ["step", "iteration", "max", "target"])]
      case "child.started":
        return [event(e, ["step", "run", "index"])]
      case "child.ended":
        return [event(e, ["step", "run", "index", "status", "summary"])]
      case "steer.queued":
        return [event(e, ["step", "id", "by"])]
      case "steer.delivered":
        return [event(e, ["step", "id", "turn"])]
      case "code.logged":
        return [event(e, ["step", "messages"])]
      case "warning":
        return [event(e, ["step", "code", "message"])]
      default:
        return []
    }
  }

  #run(reason?: string): PiFlowsFrame {
    const { run, flow, thread, status } = this.#story
    return chunk({ type: "data-run", id: "run", data: { run, flow, thread, status, ...(reason ? { reason } : {}) } })
  }

  #replied(e: EventOf<"model.replied">): PiFlowsFrame[] {
    const rest = this.#story.spoken.rest(e.step, e.turn, e.text)
    const frames = rest === "" ? [] : this.#says(e.step, e.turn, rest)
    return [...frames, ...this.#hushed(e.step), ...this.#called(e)]
  }

  #called(e: EventOf<"model.replied"> | EventOf<"step.called">): PiFlowsFrame[] {
    return e.toolCalls.flatMap((call, i) => {
      if (UNSHOWN.has(call.name)) return []
      const id = outsideId(this.#story.run, `c${e.seq}-${i}`)
      this.#calls.set(`${e.step}/${call.id}`, id)
      return [shownCall(id, call.name, call.raw ?? call.args)]
    })
  }

  #says(stepId: string, turn: number, text: string): PiFlowsFrame[] {
    const turns = this.#turns.get(stepId) ?? { from: 0 }
    this.#turns.set(stepId, turns)
    const frames = turns.open === undefined || turns.open === turn ? [] : this.#hushed(stepId)
    const id = `${stepId}.${turns.from}.${turn}`
    if (turns.open !== turn) frames.push(chunk({ type: "reasoning-start", id }))
    turns.open = turn
    return [...frames, chunk({ type: "reasoning-delta", id, delta: text })]
  }

  /** Ends what the step was saying. */
  #hushed(stepId: string): PiFlowsFrame[] {
    const turns = this.#turns.get(stepId)
    if (turns?.open === undefined) return []
    const id = `${stepId}.${turns.from}.${turns.open}`
    delete turns.open
    return [chunk({ type: "reasoning-end", id })]
  }

  /** The step's turns count anew. */
  #falls(stepId: string, seq: number): PiFlowsFrame[] {
    const frames = this.#hushed(stepId)
    this.#turns.set(stepId, { from: seq })
    return frames
  }

  #result(e: { readonly step: string; readonly callId: string }, of: (toolCallId: string) => JsonObject): PiFlowsFrame[] {
    const name = `${e.step}/${e.callId}`
    const id = this.#calls.get(name)
    if (id === undefined || !this.#calls.delete(name)) return []
    return [chunk(of(id))]
  }

  /** What a child's message changes: what was decided, then what is asked. */
  #below({ open, decided = [] }: EventOf<"child.asked">, before: ReadonlyMap<string, OpenQuestion>): PiFlowsFrame[] {
    const ends = decided.flatMap((end) => {
      const asked = before.get(outsideId(end.run, end.id))
      return asked === undefined || end.status === "withdrawn" ? [] : this.#decided(asked, end)
    })
    const asks = open.flatMap(({ run, id }) => {
      const asked = this.#story.open.get(outsideId(run, id))
      return asked === undefined || before.has(outsideId(run, id)) ? [] : this.#asked(asked)
    })
    return [...ends, ...asks]
  }

  #asked(e: OpenQuestion): PiFlowsFrame[] {
    const id = outsideId(e.run, e.id)
    if (!isApproval(e)) return [chunk({ type: "tool-input-available", toolCallId: id, toolName: e.kind, input: e.payload, dynamic: true })]
    const shown = e.callId === undefined ? undefined : this.#calls.get(`${e.step}/${e.callId}`)
    const { tool, args, reason, plan, planId, body } = e.payload
    const request = chunk({
      type: "tool-approval-request",
      approvalId: id,
      toolCallId: shown ?? id,
      ...(typeof reason === "string" ? { reason } : {}),
      ...(e.kind === "approval.plan" ? { approvalDescriptor: { plan: plan ?? null, planId: planId ?? null, body: body ?? null } } : {}),
    })
    if (shown !== undefined) return [request]
    return [shownCall(id, typeof tool === "string" ? tool : e.kind, args ?? e.payload), request]
  }

  #decided(asked: OpenQuestion, { status, answer = {} }: QuestionEnd): PiFlowsFrame[] {
    const id = outsideId(asked.run, asked.id)
    if (isApproval(asked)) {
      const { decision, feedback } = answer
      const approved = status === "answered" && (decision === "approve" || decision === "edit")
      const reason = status === "expired" ? "expired" : feedback
      return [chunk({ type: "tool-approval-response", approvalId: id, approved, ...defined({ reason }) })]
    }
    return [
      chunk({
        type: "tool-output-available",
        toolCallId: id,
        output: status === "expired" ? { expired: true, ...answer } : answer,
        dynamic: true,
      }),
    ]
  }

  #waits(): PiFlowsFrame[] {
    this.#isInStep = false
    return [...this.#silence(), chunk({ type: "finish-step" })]
  }

  #ended({ status, output, error }: EventOf<"run.ended">): PiFlowsFrame[] {
    const frames = this.#silence()
    if (status === "succeeded") {
      if (!this.#isInStep) frames.push(chunk({ type: "start-step" }))
      frames.push(...answerFrames(answerText(output, this.#story.summary)), chunk({ type: "finish-step" }))
    } else if (status === "failed") frames.push(chunk({ type: "error", errorText: error?.message ?? "the run failed" }))
    else frames.push(chunk({ type: "abort", reason: "the run was canceled" }))
    this.#isInStep = false
    const { run, thread, seq, input, output: written, children } = this.#story
    const usage = { tokens: input + written + children }
    const metadata = { run, thread, status, seq, usage, ...defined({ output }) }
    frames.push(chunk({ type: "finish", finishReason: FINISH[status], messageMetadata: metadata }))
    return frames
  }

  #silence(): PiFlowsFrame[] {
    return [...this.#turns.keys()].flatMap((stepId) => this.#hushed(stepId))
  }
}

type QuestionEnd = Pick<ChildDecision, "status" | "answer">

/** An answer in the form of the API's [Q2]. */
function endOf(e: RunEvent): QuestionEnd {
  if (e.type === "interaction.expired") return { status: "expired", answer: defined({ default: e.default }) }
  if (e.type !== "interaction.answered") return { status: "withdrawn" }
  const { answer, notes, decision, custom, auto, cancelled, feedback } = e
  const all = Object.entries({ answer, notes, decision, custom, auto, cancelled, feedback })
  return { status: "answered", answer: Object.fromEntries(all.filter(([, value]) => value !== undefined)) as JsonObject }
}

const FINISH = { succeeded: "stop", failed: "error", canceled: "other" } as const

const isApproval = ({ kind }: OpenQuestion): boolean => kind.startsWith("approval")

const chunk = (data: JsonObject): PiFlowsFrame => ({ event: "", data })

const step = (id: string, about: JsonObject): PiFlowsFrame => chunk({ type: "data-step", id, data: { step: id, ...about } })

/** A part that is only told to who listens, and not kept in the message. Members that it does not name stay inside. */
function event(e: RunEvent, names: readonly string[]): PiFlowsFrame {
  const shown = Object.entries(e).filter(([name, value]) => names.includes(name) && value !== undefined)
  return chunk({ type: "data-event", data: { event: e.type, ...(Object.fromEntries(shown) as JsonObject) }, transient: true })
}

const shownCall = (toolCallId: string, toolName: string, input: Json): PiFlowsFrame =>
  chunk({ type: "tool-input-available", toolCallId, toolName, input, dynamic: true, providerExecuted: true })

const failed = (toolCallId: string, errorText: string): JsonObject => ({
  type: "tool-output-error",
  toolCallId,
  errorText,
  dynamic: true,
  providerExecuted: true,
})

function returned(toolCallId: string, { content, isError }: EventOf<"tool.returned">): JsonObject {
  const text = content.map((part) => (part.type === "text" ? part.text : "")).join("\n")
  if (isError) return failed(toolCallId, text)
  return { type: "tool-output-available", toolCallId, output: outputOf(content, text), dynamic: true, providerExecuted: true }
}

const outputOf = (content: readonly ContentPart[], text: string): Json =>
  content.every((part) => part.type === "text") ? text : content.map((part) => ({ ...part }))

export function answerFrames(text: string, id = "answer"): PiFlowsFrame[] {
  if (text === "") return []
  const deltas = answerPieces(text).map((delta) => chunk({ type: "text-delta", id, delta }))
  return [chunk({ type: "text-start", id }), ...deltas, chunk({ type: "text-end", id })]
}
