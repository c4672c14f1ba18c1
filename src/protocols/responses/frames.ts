// Converts a run to streams of OpenAI Responses events [P27]: a response ends when the run ends or waits for a person, and the next one
// opens with the first event after that. Sequence numbers follow from the journal alone, so a client that reconnects finds its place: a
// model's partial text is sent as the first frames of its later event.

import type { JsonObject } from "../../core/json.ts"
import type { EventOf, RunEvent } from "../../core/run/event.ts"
import type { PiFlowsFrame } from "../../core/run/views/pi-flows.ts"
import { answerText } from "../../core/run/protocol/answer-text.ts"
import { StreamOrder } from "../../core/run/protocol/stream-order.ts"
import { LiveText } from "../../core/run/protocol/live-text.ts"
import * as items from "./items.ts"
import type { CallEnd, ItemFrame, ToldItem, ToolItem } from "./items.ts"
import type { SpokenPiece } from "../../core/run/protocol/sent-text.ts"
import { outsideId, ProtocolState, type OpenQuestion } from "../../core/run/protocol/protocol-state.ts"

/** Limit: characters of the items that a response repeats at its end → later ones are there without their texts. */
const MAX_REPEATED = 2_000_000
/** Calls that have a form of their own. */
const NO_CALLS: ReadonlySet<string> = new Set(["finish", "ask_user"])

/** Tokens of a run. */
type Used = Readonly<Record<"input" | "output" | "cached" | "reasoning", number>>

const usedIn = ({ input, children, output, cached, reasoning }: ProtocolState): Used => ({
  input: input + children,
  output,
  cached,
  reasoning,
})

/** A response whose end has not come. */
interface Open {
  readonly number: number
  readonly created: number
  /** The run's tokens before it. */
  readonly before: Used
  readonly items: JsonObject[]
  /** Questions that it shows. */
  readonly shown: Set<string>
  repeated: number
  next: number
}

interface Call extends ToolItem {
  /** `STEP/CALL`: a model may give the same id to several calls. */
  readonly key: string
  /** Its place in the open response. */
  readonly at?: number
}

/** What this reader was told early. */
interface Early {
  readonly step: string
  readonly id: string
  readonly at: number
  frames: number
  text: string
}

export class ResponsesFrames {
  readonly #story: ProtocolState
  readonly #floor: StreamOrder
  #open: Open | undefined
  #number: number
  /** Calls without a result, oldest first. */
  #calls: Call[]
  // What follows is this reader's own, and no copy has it.
  readonly #live = new LiveText()
  #early: Early | undefined
  /** Items that were begun early and never became facts. */
  #strays: { readonly at: number; readonly item: JsonObject }[] = []
  #extra = 0

  constructor(from?: ResponsesFrames) {
    this.#story = new ProtocolState(from === undefined ? undefined : from.#story)
    this.#floor = new StreamOrder(from === undefined ? undefined : from.#floor)
    this.#number = from === undefined ? 0 : from.#number
    this.#calls = from === undefined ? [] : [...from.#calls]
    const open = from === undefined ? undefined : from.#open
    this.#open = open && { ...open, items: [...open.items], shown: new Set(open.shown) }
  }

  copy(): ResponsesFrames {
    return new ResponsesFrames(this)
  }

  frames(e: RunEvent): PiFlowsFrame[] {
    this.#live.follow(e)
    const due = this.#floor.due(e)
    const [first] = due
    const isTold = first?.type === "model.replied" && first.step === this.#early?.step && first.text.startsWith(this.#early.text)
    const frames = first && !isTold ? this.#astray() : []
    for (const event of due) for (const frame of this.#framesOf(event)) frames.push(frame)
    return frames
  }

  said(piece: SpokenPiece): PiFlowsFrame[] {
    this.#live.hear(piece)
    const { step } = this.#floor
    const open = this.#open
    if (step === undefined || !open) return []
    const pieces = this.#live.pieces(step)
    if (pieces.length === 0) return []
    const at = this.#end(open)
    const early = (this.#early ??= { step, id: this.#itemId("rs"), at: open.items.length, frames: 0, text: "" })
    const told = [...(early.frames === 0 ? items.reasoningBegins(early.id, at) : []), ...items.reasoningDeltas(early.id, at, pieces)]
    const from = open.next + early.frames
    early.frames += told.length
    early.text += pieces.join("")
    return told.map((one, i) => this.#numbered(one, from + i))
  }

  /** What was told early did not become a fact: the item ends where it is. */
  #astray(): PiFlowsFrame[] {
    const early = this.#early
    const open = this.#open
    this.#early = undefined
    if (!early || !open) return []
    const { item, frames } = items.reasoningEnd(early.id, this.#end(open), early.text, "incomplete")
    const told = frames.map((one, i) => this.#numbered(one, open.next + early.frames + i))
    this.#strays.push({ at: early.at, item })
    this.#extra += early.frames + frames.length
    return told
  }

  #framesOf(e: RunEvent): PiFlowsFrame[] {
    const story = this.#story
    // A journal may have a postscript [K34].
    if (story.isOver && e.type !== "run.forked") return []
    const before = usedIn(story)
    story.take(e)
    if (e.type === "run.forked") {
      this.#number = 0
      this.#open = undefined
    }
    // The response that the answer before began has ended with the questions that are left.
    if (e.type === "run.waiting" && this.#open === undefined && this.#number > 0 && story.isAsking) return []
    const frames: PiFlowsFrame[] = []
    const open = (this.#open ??= this.#opened(e.at, before, frames))
    switch (e.type) {
      case "model.replied":
        this.#replied(open, e, frames)
        break
      case "tool.called":
        this.#change(`${e.step}/${e.callId}`, { args: e.args })
        break
      case "tool.returned":
      case "tool.refused":
      case "tool.uncertain":
        this.#result(open, e, frames)
        // The run still waits: the step's other questions are open.
        if (story.isAsking && [...story.open.values()].some(({ step }) => step === e.step)) this.#asks(open, frames)
        break
      case "step.finished":
      case "step.skipped":
      case "step.reopened":
        this.#left(open, e.step, frames)
        break
      case "interaction.asked":
        this.#asked(open, { ...e, run: story.run }, frames)
        break
      case "child.asked":
        for (const { run, id } of e.open) {
          const asked = story.open.get(outsideId(run, id))
          if (asked && !open.shown.has(outsideId(run, id))) this.#asked(open, asked, frames)
        }
        break
      case "run.waiting":
        if (story.isAsking) this.#asks(open, frames)
        break
      case "run.ended":
        this.#ended(open, e, frames)
        break
      default:
        break
    }
    return frames
  }

  #opened(at: number, before: Used, frames: PiFlowsFrame[]): Open {
    this.#number += 1
    this.#strays = []
    this.#extra = 0
    this.#calls = this.#calls.map(({ at: _at, ...call }) => call)
    const created = Math.floor(at / 1000)
    const open: Open = { number: this.#number, created, before, items: [], shown: new Set(), repeated: 0, next: 0 }
    for (const name of ["created", "in_progress"])
      this.#tell(open, { type: `response.${name}`, data: { response: this.#response(open, "in_progress") } }, frames)
    return open
  }

  #replied(open: Open, e: EventOf<"model.replied">, frames: PiFlowsFrame[]): void {
    if (e.text.trim() !== "") {
      const early = this.#early
      this.#early = undefined
      const text = items.reasoning(this.#itemId("rs"), this.#end(open), e.text)
      this.#keep(open, text.item)
      for (const [i, one] of text.frames.entries()) this.#tell(open, one, early && i < early.frames ? [] : frames)
    }
    for (const { id, name, args } of e.toolCalls)
      if (!NO_CALLS.has(name)) this.#calls.push(this.#begins(open, { key: `${e.step}/${id}`, id: this.#itemId("mcp"), name, args }, frames))
  }

  #change(key: string, change: Partial<ToolItem>): void {
    const i = this.#calls.findIndex((call) => call.key === key)
    const known = this.#calls[i]
    if (known) this.#calls[i] = { ...known, ...change }
  }

  #begins(open: Open, call: Call, frames: PiFlowsFrame[]): Call {
    const at = open.items.length
    this.#all(open, items.callBegins(call, this.#end(open)), frames)
    return { ...call, at }
  }

  #result(open: Open, e: EventOf<"tool.returned"> | EventOf<"tool.refused"> | EventOf<"tool.uncertain">, frames: PiFlowsFrame[]): void {
    const known = this.#calls.find(({ key }) => key === `${e.step}/${e.callId}`)
    if (!known) return
    this.#calls = this.#calls.filter((call) => call !== known)
    const call = known.at === undefined ? this.#begins(open, { ...known, id: this.#itemId("mcp") }, frames) : known
    this.#ends(open, call, items.endOf(e), frames)
  }

  #ends(open: Open, call: Call, end: CallEnd, frames: PiFlowsFrame[]): void {
    const at = call.at ?? 0
    const { item, frames: told } = items.callEnds(call, this.#placed(at), end)
    open.items[at] = this.#kept(open, item)
    for (const one of told) this.#tell(open, one, frames)
  }

  #asked(open: Open, asked: OpenQuestion, frames: PiFlowsFrame[]): void {
    const id = outsideId(asked.run, asked.id)
    if (asked.callId !== undefined && asked.kind.startsWith("approval")) this.#change(`${asked.step}/${asked.callId}`, { approval: id })
    open.shown.add(id)
    this.#all(open, items.request(id, asked, this.#end(open)), frames)
  }

  #asks(open: Open, frames: PiFlowsFrame[]): void {
    for (const asked of this.#story.open.values()) if (!open.shown.has(outsideId(asked.run, asked.id))) this.#asked(open, asked, frames)
    this.#close(open, { status: "completed" }, frames)
  }

  #ended(open: Open, { status, output, error }: EventOf<"run.ended">, frames: PiFlowsFrame[]): void {
    if (status === "succeeded") {
      this.#leave(open, frames)
      this.#all(open, items.message(this.#itemId("msg"), this.#end(open), answerText(output, this.#story.summary)), frames)
      return this.#close(open, { status: "completed" }, frames)
    }
    const why = { code: error?.source ?? status, message: error?.message ?? `the run was ${status}` }
    this.#close(open, { status: status === "canceled" ? "cancelled" : "failed", error: why }, frames)
  }

  /** Calls without a result end with the response, or with their step. */
  #leave(open: Open, frames: PiFlowsFrame[]): void {
    for (const call of this.#calls) if (call.at !== undefined) this.#ends(open, call, items.LEFT, frames)
    this.#calls = this.#calls.map(({ at: _at, ...call }) => call)
  }

  #left(open: Open, step: string, frames: PiFlowsFrame[]): void {
    const left = this.#calls.filter(({ key }) => key.startsWith(`${step}/`))
    this.#calls = this.#calls.filter(({ key }) => !key.startsWith(`${step}/`))
    for (const call of left) if (call.at !== undefined) this.#ends(open, call, items.LEFT, frames)
  }

  #close(open: Open, { status, error = null }: { status: string; error?: JsonObject | null }, frames: PiFlowsFrame[]): void {
    this.#leave(open, frames)
    const type = status === "completed" ? "response.completed" : "response.failed"
    this.#tell(open, { type, data: { response: this.#response(open, status, error) } }, frames)
    this.#open = undefined
  }

  #response(open: Open, status: string, error: JsonObject | null = null): JsonObject {
    const { run, flow, thread, status: runStatus, seq } = this.#story
    const isOver = status !== "in_progress"
    const output = [...open.items]
    for (const [i, { at, item }] of this.#strays.entries()) output.splice(at + i, 0, item)
    const usage = isOver ? this.#usage(open) : null
    return responseOf(
      { run, flow, thread, status: runStatus, seq },
      { number: open.number, created: open.created, status, error, output, usage },
    )
  }

  #usage({ before }: Open): JsonObject {
    const now = usedIn(this.#story)
    const [read, written] = [now.input - before.input, now.output - before.output]
    return {
      input_tokens: read,
      input_tokens_details: { cached_tokens: now.cached - before.cached },
      output_tokens: written,
      output_tokens_details: { reasoning_tokens: now.reasoning - before.reasoning },
      total_tokens: read + written,
    }
  }

  #all(open: Open, { item, frames: told }: ToldItem, frames: PiFlowsFrame[]): void {
    this.#keep(open, item)
    for (const one of told) this.#tell(open, one, frames)
  }

  #keep(open: Open, item: JsonObject): void {
    open.items.push(this.#kept(open, item))
  }

  #kept(open: Open, item: JsonObject): JsonObject {
    open.repeated += JSON.stringify(item).length
    return open.repeated > MAX_REPEATED ? items.hollow(item) : item
  }

  #tell(open: Open, told: ItemFrame, frames: PiFlowsFrame[]): void {
    frames.push(this.#numbered(told, open.next))
    open.next += 1
  }

  #numbered({ type, data }: ItemFrame, number: number): PiFlowsFrame {
    return { event: type, data: { type, sequence_number: number + this.#extra, ...data } }
  }

  /** Where the next item of this reader's stands. */
  #end({ items: all }: Open): number {
    return all.length + this.#strays.length
  }

  #placed(at: number): number {
    return at + this.#strays.filter((stray) => stray.at <= at).length
  }

  #itemId(kind: string): string {
    const open = this.#open
    return `${kind}_${this.#story.run}_${open?.number ?? this.#number}_${(open?.items.length ?? 0) + this.#strays.length}`
  }
}

/** [P27] The id of a run's response. */
export const responseId = (run: string, number: number): string => `resp_${run}${number === 1 ? "" : `_${number}`}`

/** A response as the API of this protocol has it. */
export function responseOf(
  { run, flow, thread, status: runStatus, seq }: Pick<ProtocolState, "run" | "flow" | "thread" | "status" | "seq">,
  { number, created, status, error = null, output, usage }: Shown,
): JsonObject {
  return {
    id: responseId(run, number),
    object: "response",
    created_at: created,
    status,
    background: false,
    error,
    incomplete_details: null,
    instructions: null,
    max_output_tokens: null,
    metadata: {},
    model: flow,
    output: [...output],
    parallel_tool_calls: true,
    previous_response_id: number === 1 ? null : responseId(run, number - 1),
    temperature: null,
    tool_choice: "auto",
    tools: [],
    top_p: null,
    usage,
    sluice: { run, thread, status: runStatus, seq },
  }
}

interface Shown {
  readonly number: number
  /** Seconds. */
  readonly created: number
  readonly status: string
  readonly error?: JsonObject | null
  readonly output: readonly JsonObject[]
  readonly usage: JsonObject | null
}
