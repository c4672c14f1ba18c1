// Converts our request to the provider library's prompt: system, messages, tool calls with their results.

import type {
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ToolResultOutput,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider"
import { defined } from "../core/defined.ts"
import { exactJson } from "../core/outside/exact-json.ts"
import { isObject } from "../core/json.ts"
import { readMedia, type MediaType } from "../core/media/media.ts"
import type { ContentPart } from "../core/run/event-parts.ts"
import type { ModelMessage, ModelRequest } from "../ports/model.ts"
import type { ChatExtras } from "./chat-extras.ts"
import type { KeptPart, ReplyState } from "./reply-state.ts"
import { joined, piecesOf, type MessagePiece, type Showing } from "./shown.ts"
import type { ToolNames } from "./tool-names.ts"

export interface SentPrompt {
  readonly prompt: LanguageModelV4Prompt
  /** For each assistant message of the prompt. */
  readonly extras: readonly (ChatExtras | undefined)[]
}

export interface PromptParts {
  /** May a tool result contain a file? If not, a message after the results shows it. */
  readonly filesInResults: boolean
  readonly show: Showing
  /** What the provider wanted back with a reply of its own. */
  readonly stateOf: (message: ModelMessage) => ReplyState | undefined
}

export function promptOf(
  { system, messages }: Pick<ModelRequest, "system" | "messages">,
  names: ToolNames,
  { filesInResults, show, stateOf }: PromptParts,
): SentPrompt {
  const prompt: LanguageModelV4Prompt = system === "" ? [] : [{ role: "system", content: system }]
  const extras: (ChatExtras | undefined)[] = []
  let after: MessagePiece[] = []
  for (const message of messages) {
    if (message.role !== "tool") after = pushed(prompt, after)
    const state = stateOf(message)
    if (message.role === "tool") {
      const { said, files } = resultOf(message, show)
      const result = toolResult(message, names, filesInResults ? [...said, ...files] : [...said, ...pointer(files)])
      const last = prompt.at(-1)
      // Gemini counts: the results of one turn's calls stand in one message.
      if (last?.role === "tool") last.content.push(result)
      else prompt.push({ role: "tool", content: [result] })
      if (!filesInResults) after.push(...files)
    } else if (message.role === "user") {
      prompt.push({ role: "user", content: joined([{ type: "text", text: message.text }, ...piecesOf(message.attached, show)]) })
    } else {
      const content = assistantContent(message, names, state?.parts)
      if (content.length === 0) continue
      prompt.push({ role: "assistant", content })
      extras.push(state?.extras)
    }
  }
  pushed(prompt, after)
  return { prompt, extras }
}

/** Results stand together, as providers require, and the files that they show follow them. */
function pushed(prompt: LanguageModelV4Prompt, after: readonly MessagePiece[]): MessagePiece[] {
  if (after.length > 0) prompt.push({ role: "user", content: [...after] })
  return []
}

type Result = Extract<ModelMessage, { role: "tool" }>
type ToolContent = Extract<LanguageModelV4Message, { role: "tool" }>["content"][number]

interface ResultPieces {
  readonly said: readonly MessagePiece[]
  /** Each file after its label. */
  readonly files: readonly MessagePiece[]
}

function resultOf({ content, attached, tool }: Result, show: Showing): ResultPieces {
  const parts = content.map((part): MessagePiece[] => (part.type === "text" ? [part] : imagePieces(part, tool, show)))
  const pieces = [...parts, ...(attached ?? []).map((file) => piecesOf([file], show))]
  const isFile = (list: readonly MessagePiece[]): boolean => list.some(({ type }) => type === "file")
  return { said: pieces.filter((list) => !isFile(list)).flat(), files: pieces.filter(isFile).flat() }
}

/** An image that a tool sent as bytes. Its bytes say what it is: a provider refuses a request with a broken one. */
function imagePieces({ data, mimeType }: Extract<ContentPart, { type: "image" }>, tool: string, { takes, model }: Showing): MessagePiece[] {
  const type = typeIn(data)
  if (type === undefined || type === "application/pdf")
    return [{ type: "text", text: `[image ${mimeType}: its bytes are no picture that a model takes]` }]
  if (!takes(type)) return [{ type: "text", text: `[image ${mimeType}: the model ${model} takes no pictures]` }]
  return [
    { type: "text", text: `[An image (${type}) that ${tool} returned follows.]` },
    { type: "file", data: { type: "data", data }, mediaType: type },
  ]
}

function typeIn(base64: string): MediaType | undefined {
  try {
    return readMedia(Uint8Array.from(atob(base64.slice(0, HEAD_CHARS)), (char) => char.charCodeAt(0)))?.type
  } catch {
    return undefined
  }
}
/** Base64 of the bytes that say what a picture is. */
const HEAD_CHARS = 64

const pointer = (files: readonly MessagePiece[]): MessagePiece[] =>
  files.length === 0 ? [] : [{ type: "text", text: "[What it shows is in the next message.]" }]

const toolResult = ({ callId, tool, isError }: Result, names: ToolNames, pieces: readonly MessagePiece[]): ToolContent => ({
  type: "tool-result",
  toolCallId: callId,
  toolName: names.safe(tool),
  output: outputOf(pieces, isError),
})

function assistantContent(
  message: Extract<ModelMessage, { role: "assistant" }>,
  names: ToolNames,
  parts: readonly KeptPart[] = [],
): Content {
  const calls = message.toolCalls.map((call) => ({
    type: "tool-call" as const,
    toolCallId: call.id,
    toolName: names.safe(call.name),
    input: argumentsOf(call.args),
  }))
  return contentOf(message.text, calls, parts)
}

type Content = Exclude<Extract<LanguageModelV4Message, { role: "assistant" }>["content"], string>
type Call = Extract<Content[number], { type: "tool-call" }>

/** The reply in the order in which it came. If its text has changed since (a secret was removed), thinking comes first, then text, then calls. */
function contentOf(text: string, calls: readonly Call[], parts: readonly KeptPart[]): Content {
  // Anthropic answers 400 to a text block without text and to an empty assistant message.
  const said = (piece: string, meta?: SharedV4ProviderOptions): Content =>
    piece.trim() === "" ? [] : [{ type: "text", text: piece, ...marked(meta) }]
  const thought = (part: KeptPart): Content =>
    part.type === "reasoning" ? [{ type: "reasoning", text: part.text, ...marked(part.meta) }] : []
  const length = parts.reduce((sum, part) => sum + (part.type === "text" ? part.length : 0), 0)
  if (length !== text.length) {
    const marks = parts.filter((part) => part.type === "call")
    return [...parts.flatMap(thought), ...said(text), ...calls.map((call, i) => ({ ...call, ...marked(marks[i]?.meta) }))]
  }
  let at = 0
  let next = 0
  const content = parts.flatMap((part): Content => {
    if (part.type === "reasoning") return thought(part)
    if (part.type === "text") return said(text.slice(at, (at += part.length)), part.meta)
    const call = calls[next++]
    return call ? [{ ...call, ...marked(part.meta) }] : []
  })
  return [...content, ...calls.slice(next)]
}

const marked = (meta: SharedV4ProviderOptions | undefined): { providerOptions?: SharedV4ProviderOptions } =>
  defined({ providerOptions: meta })

/** Providers require an object. Other text goes back under a key that says so; the tool result explains the failure. */
function argumentsOf(args: string): Record<string, unknown> {
  try {
    const value = exactJson(args)
    if (isObject(value)) return value
  } catch {
    // Sent as text below.
  }
  return args.trim() === "" ? {} : { not_a_json_object: args }
}

function outputOf(pieces: readonly MessagePiece[], isError: boolean): LanguageModelV4ToolResultOutput {
  const texts = pieces.flatMap((piece) => (piece.type === "text" ? [piece.text] : []))
  if (texts.length === pieces.length) return { type: isError ? "error-text" : "text", value: texts.join("\n") }
  return { type: "content", value: [...pieces] }
}
