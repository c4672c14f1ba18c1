// Assembles one message of a chat from the AI SDK's UI message stream [P22]. Every part has an id, so a replayed stream updates the message
// in place, without duplicates.

import { defined } from "../../src/core/defined.ts"

/** The JSON object in one frame of a stream. */
export type Chunk = Readonly<Record<string, unknown>>

export interface TextPart {
  readonly type: "text" | "reasoning"
  readonly id: string
  text: string
}

export interface Approval {
  readonly id: string
  /** Why a person is asked: a word of the guard. */
  readonly why?: string
  /** What is decided about, when it is more than the call. */
  readonly about?: unknown
  approved?: boolean
  reason?: string
}

/** A call that the server carries out, or a question to the person. */
export interface CallPart {
  readonly type: "dynamic-tool"
  readonly toolCallId: string
  readonly toolName: string
  readonly input: unknown
  readonly providerExecuted?: true
  state: "input-available" | "approval-requested" | "approval-responded" | "output-available" | "output-error" | "output-denied"
  approval?: Approval
  output?: unknown
  errorText?: string
}

export type Part = TextPart | CallPart

/** `writing` until its stream reports how it ended; `refused`: it started no run. */
export type MessageStatus = "writing" | "waiting" | "succeeded" | "failed" | "canceled" | "refused"

export interface Metadata {
  readonly run?: string
  readonly thread?: string
  readonly seq?: number
  readonly tokens?: number
  readonly usd?: number
}

export interface ChatMessage {
  id: string
  readonly role: "user" | "assistant"
  parts: Part[]
  status: MessageStatus
  metadata: Metadata
  /** Milliseconds since 1970. */
  at: number
  /** Milliseconds. */
  took?: number
  /** Why it ended without an answer. */
  problem?: string
}

export const newMessage = (role: ChatMessage["role"], id: string, at: number): ChatMessage => ({
  id,
  role,
  parts: [],
  status: "writing",
  metadata: {},
  at,
})

export const textOf = ({ parts }: ChatMessage): string => parts.map((part) => (part.type === "text" ? part.text : "")).join("")

export const isCall = (part: Part): part is CallPart => part.type === "dynamic-tool"
export const isThought = (part: Part): part is TextPart => part.type === "reasoning"

/** What was said last, in the open: until there is an answer, and beside one that does not repeat it. */
export function saidLast(message: ChatMessage): TextPart | undefined {
  const last = message.parts.filter(isThought).findLast((part) => part.text.trim() !== "")
  const answer = plain(textOf(message))
  return last === undefined || (answer !== "" && answer.includes(plain(last.text))) ? undefined : last
}

const plain = (words: string): string => words.replaceAll(/[\s*_`#]+/g, " ").trim()

/** Calls of this message that wait for a person. */
export const openAsks = ({ parts, status }: ChatMessage): CallPart[] =>
  status === "waiting" || status === "writing" ? parts.filter((part) => part.type === "dynamic-tool").filter(isAsking) : []

export const isAsking = (part: CallPart): boolean =>
  part.state === "approval-requested" || (part.state === "input-available" && part.providerExecuted !== true)

/** Writes a frame into the message. */
export function take(message: ChatMessage, chunk: Chunk): void {
  const id = text(chunk["toolCallId"]) ?? ""
  switch (chunk["type"]) {
    case "text-start":
    case "reasoning-start":
      open(message, chunk["type"] === "text-start" ? "text" : "reasoning", text(chunk["id"]) ?? "").text = ""
      return
    case "text-delta":
    case "reasoning-delta":
      open(message, chunk["type"] === "text-delta" ? "text" : "reasoning", text(chunk["id"]) ?? "").text += text(chunk["delta"]) ?? ""
      return
    case "tool-input-available":
      return called(message, chunk)
    case "tool-approval-request":
      return asked(message, chunk)
    case "tool-approval-response":
      return decided(message, chunk)
    case "tool-output-available":
      return change(message, id, { state: "output-available", output: chunk["output"] })
    case "tool-output-error":
      return change(message, id, { state: "output-error", errorText: text(chunk["errorText"]) ?? "" })
    case "tool-output-denied":
      return change(message, id, { state: "output-denied" })
    case "error":
      message.problem = text(chunk["errorText"]) ?? "The run failed."
      return
    case "finish":
      return finished(message, chunk["messageMetadata"])
    default:
  }
}

function open({ parts }: ChatMessage, type: TextPart["type"], id: string): TextPart {
  const before = parts.find((part) => part.type === type && part.id === id)
  if (before && before.type !== "dynamic-tool") return before
  const part: TextPart = { type, id, text: "" }
  parts.push(part)
  return part
}

function called({ parts }: ChatMessage, chunk: Chunk): void {
  const toolCallId = text(chunk["toolCallId"]) ?? ""
  const part: CallPart = {
    type: "dynamic-tool",
    toolCallId,
    toolName: text(chunk["toolName"]) ?? "",
    input: chunk["input"],
    ...(chunk["providerExecuted"] === true ? { providerExecuted: true } : {}),
    state: "input-available",
  }
  const at = parts.findIndex((one) => one.type === "dynamic-tool" && one.toolCallId === toolCallId)
  if (at < 0) parts.push(part)
  else parts[at] = part
}

function asked(message: ChatMessage, chunk: Chunk): void {
  const [why, about] = [text(chunk["reason"]), chunk["approvalDescriptor"]]
  const approval: Approval = { id: text(chunk["approvalId"]) ?? "", ...defined({ why, about }) }
  change(message, text(chunk["toolCallId"]) ?? "", { state: "approval-requested", approval })
}

function decided({ parts }: ChatMessage, chunk: Chunk): void {
  for (const part of parts) {
    if (part.type !== "dynamic-tool" || part.approval === undefined || part.approval.id !== chunk["approvalId"]) continue
    const reason = text(chunk["reason"])
    part.approval.approved = chunk["approved"] === true
    if (reason !== undefined) part.approval.reason = reason
    if (part.state === "approval-requested") part.state = "approval-responded"
  }
}

function change({ parts }: ChatMessage, id: string, more: Partial<CallPart>): void {
  for (const part of parts) if (part.type === "dynamic-tool" && part.toolCallId === id) Object.assign(part, more)
}

function finished(message: ChatMessage, metadata: unknown): void {
  const said = fields(metadata)
  const usage = fields(said["usage"])
  const [run, thread, status] = [text(said["run"]), text(said["thread"]), said["status"]]
  message.metadata = {
    ...defined({ run, thread }),
    ...(typeof said["seq"] === "number" ? { seq: said["seq"] } : {}),
    ...(typeof usage["tokens"] === "number" ? { tokens: usage["tokens"] } : {}),
    ...(typeof usage["usd"] === "number" ? { usd: usage["usd"] } : {}),
  }
  message.status = status === "waiting" || status === "failed" || status === "canceled" ? status : "succeeded"
  if (message.status === "succeeded" || message.status === "waiting") delete message.problem
}

export const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)

export const fields = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}
