// Builds the items of a Responses object [P27], each with its frames: added empty, filled, done.

import type { Json, JsonObject } from "../../core/json.ts"
import type { ContentPart } from "../../core/run/event-parts.ts"
import type { EventOf } from "../../core/run/event.ts"
import type { OpenQuestion } from "../../core/run/protocol/protocol-state.ts"
import { allPieces, answerPieces } from "../../core/run/protocol/text-pieces.ts"

/** The server label for the tools of a flow. */
export const SERVER = "sluice"
const MAX_SHOWN = 16_000 // limit: characters of a tool's output in a Responses stream → the rest is cut

/** A frame without its number. */
export interface ItemFrame {
  readonly type: string
  readonly data: JsonObject
}

export interface ToldItem {
  readonly item: JsonObject
  readonly frames: readonly ItemFrame[]
}

const told = (type: string, data: JsonObject): ItemFrame => ({ type: `response.${type}`, data })

const added = (output_index: number, item: JsonObject): ItemFrame => told("output_item.added", { output_index, item })
const done = (output_index: number, item: JsonObject): ItemFrame => told("output_item.done", { output_index, item })

export const reasoningBegins = (id: string, output_index: number): ItemFrame[] => [
  added(output_index, { id, type: "reasoning", summary: [], status: "in_progress" }),
  told("reasoning_summary_part.added", {
    item_id: id,
    output_index,
    summary_index: 0,
    part: { type: "summary_text", text: "" },
  }),
]

export const reasoningDeltas = (id: string, output_index: number, pieces: readonly string[]): ItemFrame[] =>
  pieces.map((delta) => told("reasoning_summary_text.delta", { item_id: id, output_index, summary_index: 0, delta }))

export function reasoning(id: string, at: number, text: string): ToldItem {
  const end = reasoningEnd(id, at, text, "completed")
  return { item: end.item, frames: [...reasoningBegins(id, at), ...reasoningDeltas(id, at, allPieces(text)), ...end.frames] }
}

export function reasoningEnd(id: string, output_index: number, text: string, status: "completed" | "incomplete"): ToldItem {
  const place = { item_id: id, output_index, summary_index: 0 }
  const part = { type: "summary_text", text }
  const item = { id, type: "reasoning", summary: [part], status }
  return {
    item,
    frames: [
      told("reasoning_summary_text.done", { ...place, text }),
      told("reasoning_summary_part.done", { ...place, part }),
      done(output_index, item),
    ],
  }
}

export function message(id: string, output_index: number, text: string): ToldItem {
  const place = { item_id: id, output_index, content_index: 0 }
  const head = { id, type: "message", role: "assistant", phase: "final_answer" }
  const part = { type: "output_text", text, annotations: [], logprobs: [] }
  const item = { ...head, status: "completed", content: [part] }
  const deltas: ItemFrame[] = answerPieces(text).map((delta) => told("output_text.delta", { ...place, delta, logprobs: [] }))
  return {
    item,
    frames: [
      added(output_index, { ...head, status: "in_progress", content: [] }),
      told("content_part.added", { ...place, part: { ...part, text: "" } }),
      ...deltas,
      told("output_text.done", { ...place, text, logprobs: [] }),
      told("content_part.done", { ...place, part }),
      done(output_index, item),
    ],
  }
}

/** The item for a question: a function call of the client, or an approval request. */
export function request(id: string, e: Pick<OpenQuestion, "kind" | "payload">, output_index: number): ToldItem {
  const { tool, args, plan, body } = e.payload
  if (e.kind === "approval.tool" || e.kind === "approval.plan") {
    const shown = e.kind === "approval.plan" ? { plan: plan ?? null, body: body ?? null } : (args ?? {})
    const name = typeof tool === "string" ? tool : "plan"
    const item = { id, type: "mcp_approval_request", name, arguments: JSON.stringify(shown), server_label: SERVER }
    return { item, frames: [added(output_index, item), done(output_index, item)] }
  }
  const { agent: _agent, ...asked } = e.payload
  const text = JSON.stringify(asked)
  const head = { id: `fc_${id}`, type: "function_call", call_id: id, name: e.kind }
  const place = { item_id: head.id, output_index }
  const item = { ...head, arguments: text, status: "completed" }
  return {
    item,
    frames: [
      added(output_index, { ...head, arguments: "", status: "in_progress" }),
      told("function_call_arguments.delta", { ...place, delta: text }),
      told("function_call_arguments.done", { ...place, name: e.kind, arguments: text }),
      done(output_index, item),
    ],
  }
}

export interface ToolItem {
  readonly id: string
  readonly name: string
  readonly args: JsonObject
  /** The question that let it pass. */
  readonly approval?: string | undefined
}

export interface CallEnd {
  readonly status: "completed" | "failed" | "incomplete"
  readonly output: string | null
  readonly error: string | null
}
/** The end of a call that the response leaves open: a person or the run decides about it later. */
export const LEFT: CallEnd = { status: "incomplete", output: null, error: null }

const callItem = ({ id, name, args, approval }: ToolItem, end: Omit<CallEnd, "status"> & { status: string }): JsonObject => ({
  id,
  type: "mcp_call",
  name,
  arguments: JSON.stringify(args),
  server_label: SERVER,
  approval_request_id: approval ?? null,
  output: end.output,
  error: end.error,
  status: end.status,
})

export function callBegins(call: ToolItem, output_index: number): ToldItem {
  const place = { item_id: call.id, output_index }
  const item = callItem(call, { ...LEFT, status: "in_progress" })
  const text = JSON.stringify(call.args)
  return {
    item: callItem(call, LEFT),
    frames: [
      added(output_index, { ...item, arguments: "" }),
      told("mcp_call.in_progress", place),
      told("mcp_call_arguments.delta", { ...place, delta: text }),
      told("mcp_call_arguments.done", { ...place, arguments: text }),
    ],
  }
}

export function callEnds(call: ToolItem, output_index: number, end: CallEnd): ToldItem {
  const item = callItem(call, end)
  const place = { item_id: call.id, output_index }
  const word = end.status === "incomplete" ? [] : [told(`mcp_call.${end.status}`, place)]
  return { item, frames: [...word, done(output_index, item)] }
}

/** The end of a call. */
export function endOf(e: EventOf<"tool.returned"> | EventOf<"tool.refused"> | EventOf<"tool.uncertain">): CallEnd {
  if (e.type === "tool.refused") return { status: "failed", output: null, error: cut(e.reason) }
  if (e.type === "tool.uncertain") return { status: "failed", output: null, error: "It is not known what the call did." }
  const text = cut(e.content.map(partText).join("\n"))
  return e.isError ? { status: "failed", output: null, error: text } : { status: "completed", output: text, error: null }
}

const partText = (part: ContentPart): string => (part.type === "text" ? part.text : `[${part.mimeType}]`)
const cut = (text: string): string => (text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text)

/** The item without its texts, for a response that has too many of them. */
export function hollow(item: JsonObject): JsonObject {
  if (item["type"] === "reasoning") return { ...item, summary: [] }
  if (item["type"] === "mcp_call") return { ...item, arguments: "{}", output: emptied(item["output"]), error: emptied(item["error"]) }
  return item
}
const emptied = (text: Json | undefined): Json => (typeof text === "string" ? "" : (text ?? null))
