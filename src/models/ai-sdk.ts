// A model of the AI SDK as our port [M1]: one `doStream`, no loop, no retry, no tool run behind it [M4].
//
// Promises: it never throws; exactly one `final`, and it is the last chunk. A stream that ends without its provider saying that it
// ended is a retryable error and never a reply [F33]; the tool calls of a reply that failed are dropped, since half a call is no call.
// An abort ends the stream at once, whether or not the provider lets go. `usage.input` counts every input token; `cacheRead` and
// `cacheWrite` are the parts of it that came from and went to the provider's cache.

import type {
  JSONSchema7,
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4FunctionTool,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider"
import type { Thinking } from "../core/flow/agent.ts"
import type { Usage } from "../core/run/event.ts"
import type { FinalMessage, Model, ModelChunk, ModelError, ModelRequest, ModelToolCall } from "../ports/model.ts"
import { failureOf, scrub } from "./failure.ts"
import { promptOf } from "./prompt.ts"
import { toolNames, type ToolNames } from "./tool-names.ts"

export interface Wire {
  /** Never to be seen in a message. */
  readonly secrets: readonly string[]
  /** May a tool result hold an image? */
  readonly images: boolean
  /** The provider's word for a thinking level; undefined leaves the provider's default. */
  readonly effort: (level: Thinking) => LanguageModelV4CallOptions["reasoning"]
  /** `strict: false` must be said where the provider takes silence for yes. */
  readonly looseTools?: boolean
  readonly providerOptions?: SharedV4ProviderOptions
}

export function fromLanguageModel(language: LanguageModelV4, wire: Wire): Model {
  return { reply: (request, signal) => reply(language, wire, request, signal) }
}

/** Of one reply, thoughts and arguments and all: what never ends is let go of while there is memory. A run keeps 400,000 at most [J20]. */
const MOST_CHARS = 2_000_000

/** What has come so far. */
interface Heard {
  text: string
  chars: number
  thinking: boolean
  readonly toolCalls: ModelToolCall[]
  finish?: Extract<LanguageModelV4StreamPart, { type: "finish" }>
  failure?: ModelError
}

async function* reply(language: LanguageModelV4, wire: Wire, request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelChunk> {
  const heard: Heard = { text: "", chars: 0, thinking: false, toolCalls: [] }
  const leave = new AbortController()
  const aborted = new Promise<"aborted">((resolve) => {
    if (signal.aborted) resolve("aborted")
    else signal.addEventListener("abort", () => resolve("aborted"), { once: true, signal: leave.signal })
  })
  let reader: ReadableStreamDefaultReader<LanguageModelV4StreamPart> | undefined
  try {
    const names = toolNames([
      ...request.tools.map((tool) => tool.name),
      ...request.messages.flatMap((m) =>
        m.role === "assistant" ? m.toolCalls.map((call) => call.name) : m.role === "tool" ? [m.tool] : [],
      ),
    ])
    if (!signal.aborted) {
      const opening = Promise.resolve(language.doStream(optionsOf(request, wire, names, signal)))
      const opened = await Promise.race([opening, aborted])
      // A stream that opens after nobody waits for it any more is let go of.
      if (opened === "aborted") opening.then((late) => late.stream.cancel()).catch(() => undefined)
      else reader = opened.stream.getReader()
    }
    while (reader && !signal.aborted && heard.failure === undefined) {
      const next = await Promise.race([reader.read(), aborted])
      if (next === "aborted" || next.done) break
      const delta = hear(heard, next.value, names, wire)
      if (delta !== "") yield { type: "text", text: delta }
    }
  } catch (error) {
    heard.failure = failureOf(error, wire.secrets)
  } finally {
    leave.abort()
    reader?.cancel().catch(() => undefined)
  }
  yield signal.aborted ? broken(heard, "aborted", { message: "the call was aborted", retryable: false }) : finalOf(heard, wire)
}

function optionsOf(request: ModelRequest, wire: Wire, names: ToolNames, signal: AbortSignal): LanguageModelV4CallOptions {
  const reasoning = request.thinking === undefined ? undefined : wire.effort(request.thinking)
  return {
    prompt: promptOf(request, names, wire.images),
    maxOutputTokens: request.maxOutputTokens,
    abortSignal: signal,
    ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
    ...(reasoning === undefined ? {} : { reasoning }),
    ...(wire.providerOptions === undefined ? {} : { providerOptions: wire.providerOptions }),
    ...(request.tools.length === 0
      ? {}
      : {
          tools: request.tools.map((tool): LanguageModelV4FunctionTool => ({
            type: "function",
            name: names.safe(tool.name),
            description: tool.description,
            // Both are JSON Schema; the library's type is an older draft's and mutable.
            inputSchema: tool.parameters as JSONSchema7,
            ...(wire.looseTools === true ? { strict: false } : {}),
          })),
        }),
  }
}

/** Takes one part in; gives back the text to pass on. */
function hear(heard: Heard, part: LanguageModelV4StreamPart, names: ToolNames, wire: Wire): string {
  if ("delta" in part) heard.chars += part.delta.length
  if (heard.chars > MOST_CHARS) {
    heard.failure = { message: `the reply is longer than ${MOST_CHARS} characters, and was let go of`, retryable: false }
    return ""
  }
  switch (part.type) {
    case "text-delta":
      heard.text += part.delta
      return part.delta
    case "reasoning-start":
    case "reasoning-delta":
      heard.thinking = true
      return ""
    case "tool-call":
      if (part.providerExecuted !== true) {
        heard.toolCalls.push({ id: freeId(heard.toolCalls, part.toolCallId), name: names.real(part.toolName), args: part.input })
      }
      return ""
    case "error":
      heard.failure = failureOf(part.error, wire.secrets)
      return ""
    case "finish":
      heard.finish = part
      return ""
    default:
      return ""
  }
}

// Some servers number the calls of every message from 0, or give two calls one id; in one message each must be its own.
function freeId(calls: readonly ModelToolCall[], id: string): string {
  const wanted = id === "" ? "call" : id
  return id !== "" && !calls.some((call) => call.id === id) ? id : `${wanted}_${calls.length}`
}

function finalOf(heard: Heard, wire: Wire): FinalMessage {
  if (heard.failure) return broken(heard, "error", heard.failure)
  const reason = heard.finish?.finishReason
  if (
    !reason ||
    reason.unified === "interrupted" ||
    reason.unified === "error" ||
    (reason.unified === "other" && reason.raw === undefined)
  ) {
    const raw = reason?.raw === undefined ? "no finish came" : scrub(`it ended with "${reason.raw}"`, wire.secrets)
    return broken(heard, "error", { message: `the provider's stream was cut short: ${raw}`, retryable: true })
  }
  if (reason.unified === "content-filter") {
    return broken(heard, "error", { message: "the provider's content filter stopped the reply", retryable: false })
  }
  const usage = usageOf(heard.finish?.usage)
  if (heard.text === "" && heard.toolCalls.length === 0 && !heard.thinking && usage.output === 0) {
    return broken(heard, "error", { message: "the provider's reply was empty", retryable: true })
  }
  return {
    type: "final",
    text: heard.text,
    thinking: heard.thinking || (heard.finish?.usage.outputTokens.reasoning ?? 0) > 0,
    toolCalls: heard.toolCalls,
    usage,
    stopReason: reason.unified === "length" ? "length" : heard.toolCalls.length > 0 ? "toolUse" : "stop",
  }
}

const broken = (heard: Heard, stopReason: "error" | "aborted", error: ModelError): FinalMessage => ({
  type: "final",
  text: heard.text,
  thinking: heard.thinking,
  toolCalls: [],
  usage: usageOf(heard.finish?.usage),
  stopReason,
  error,
})

function usageOf(usage: LanguageModelV4Usage | undefined): Usage {
  const count = (value: number | undefined): number => (value !== undefined && Number.isFinite(value) && value > 0 ? value : 0)
  const cacheRead = count(usage?.inputTokens.cacheRead)
  const cacheWrite = count(usage?.inputTokens.cacheWrite)
  return {
    input: count(usage?.inputTokens.total),
    output: count(usage?.outputTokens.total),
    ...(cacheRead > 0 ? { cacheRead } : {}),
    ...(cacheWrite > 0 ? { cacheWrite } : {}),
  }
}
