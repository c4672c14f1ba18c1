// Adapts an AI SDK model to our port [M1]: one `doStream`, no loop, no retry, no hidden tool calls [M4].
//
// It never throws, and yields exactly one `final`, as the last chunk. A stream that ends without the provider's finish is a retryable error
// and never a reply [F33]; the tool calls of a failed reply are dropped, since they may be incomplete. An abort ends the stream at once,
// even if the provider does not stop. `usage.input` counts every input token; `cacheRead` and `cacheWrite` are the parts read from and
// written to the provider's cache.

import type { LanguageModelV4, LanguageModelV4StreamPart, LanguageModelV4Usage } from "@ai-sdk/provider"
import { defined } from "../core/defined.ts"
import { MAX_KEPT_CALLS } from "../core/run/session/calls.ts"
import { ratesIn } from "../core/pacing/rate-headers.ts"
import { readUsage, type Usage } from "../core/money/usage.ts"
import { start } from "../core/secrets/beginning.ts"
import { NO_SECRETS, type Redactor } from "../core/secrets/redact.ts"
import type { FinalMessage, ModelMessage, Model, ModelChunk, ModelError, ModelRequest, ModelToolCall } from "../ports/model.ts"
import { pause } from "../ports/timers.ts"
import { failureOf, scrub } from "./reply/failure.ts"
import { ExtrasReader } from "./chat-extras.ts"
import { told } from "./foreign-turns.ts"
import { optionsOf } from "./call-options.ts"
import { callerOf, type ModelCaller, type PartReader } from "./reply/part-reader.ts"
import { Patience, USUAL_SILENCE_MS } from "./reply/patience.ts"
import { promptOf, type SentPrompt } from "./prompt.ts"
import { readState, ReplyParts, writeState, type ReplyState } from "./reply-state.ts"
import { showing, type Showing } from "./shown.ts"
import type { Wire } from "./wire.ts"
import { toolNames, type ToolNames } from "./tool-names.ts"
import { shapedTool } from "./tool-schemas.ts"

/** A model of the library, or how to call one with these extras in its requests. */
export type Language = LanguageModelV4 | ((extras: SentPrompt["extras"]) => ModelCaller)

export function fromLanguageModel(language: Language, wire: Wire): Model {
  return {
    reply: (request, signal) =>
      wire.tellsRates === true ? withRates(language, wire, request, signal) : reply({ language, wire }, request, signal),
  }
}

/** [R25] */
async function* withRates(language: Language, wire: Wire, request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelChunk> {
  const heard: Heard = {}
  for await (const chunk of reply({ language, wire, heard }, request, signal)) {
    const { headers = {} } = heard
    if (chunk.type === "text") {
      yield chunk
      continue
    }
    const rates = chunk.error?.rates ?? ratesIn((name) => headers[name], Date.now())
    yield rates.length === 0 ? chunk : { ...chunk, rates }
  }
}

/** The headers of the answer. */
interface Heard {
  headers?: Readonly<Record<string, string>>
}

/** Characters of one reply, including thinking and arguments: stops endless replies before memory runs out. A run keeps at most 400,000 [J20]. */
const MAX_CHARS = 2_000_000 // limit: characters of a streamed reply → the call fails: the reply is dropped

const MAX_MODEL_CHARS = 200 // limit: characters of the name by which a provider calls its model → the rest is cut

/** After this many parts, other work gets a turn: 3,000 calls are 12,000 parts, and their 4.7 s in workerd blocked every other request. */
const TURN_PARTS = 64

/** The reply received so far. */
interface Received {
  /** The arguments of a tool with the keys that it has itself. */
  readonly argsOf: (name: string, args: string) => string
  readonly redactor: Redactor
  text: string
  chars: number
  thinking: boolean
  readonly toolCalls: ModelToolCall[]
  readonly ids: Set<string>
  /** Calls that have begun and are not complete, by the provider's id. Some providers complete all calls at the end. */
  readonly begun: Map<string, { readonly name: string; readonly parts: string[] }>
  /** How many calls have begun. */
  calls: number
  /** [G6] More calls than are kept: the stream is not read further. */
  full?: true
  /** The name of the model that is asked, and of the one that answers. */
  asked?: string
  model?: string
  finish?: Extract<LanguageModelV4StreamPart, { type: "finish" }>
  failure?: ModelError
  /** [J20] */
  readonly kept: { readonly parts: ReplyParts; readonly extras: ExtrasReader; readonly ids: string[] }
}

async function* reply(
  { language, wire, heard = {} }: { readonly language: Language; readonly wire: Wire; readonly heard?: Heard },
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelChunk> {
  const tools = new Map(request.tools.map((tool) => [tool.name, tool]))
  const received: Received = {
    argsOf(name, args) {
      const tool = tools.get(name)
      return tool ? shapedTool(tool).real(args) : args
    },
    redactor: request.redactor ?? NO_SECRETS,
    text: "",
    chars: 0,
    thinking: false,
    toolCalls: [],
    ids: new Set(),
    begun: new Map(),
    calls: 0,
    kept: { parts: new ReplyParts(), extras: new ExtrasReader(), ids: [] },
  }
  // Ends when nobody wants the reply any more, or nobody gives it.
  const call = new AbortController()
  const ended = new Promise<"ended">((resolve) => {
    call.signal.addEventListener("abort", () => resolve("ended"), { once: true })
  })
  const stop = (): void => call.abort()
  if (signal.aborted) stop()
  else signal.addEventListener("abort", stop, { once: true })
  const patience = new Patience(wire.silence ?? USUAL_SILENCE_MS, (lost) => {
    received.failure = lost
    stop()
  })
  let reader: PartReader | undefined
  try {
    const names = toolNames([
      ...request.tools.map((tool) => tool.name),
      ...request.messages.flatMap((m) =>
        m.role === "assistant" ? m.toolCalls.map((call) => call.name) : m.role === "tool" ? [m.tool] : [],
      ),
    ])
    if (!call.signal.aborted) {
      const opening = showing(request, wire.takes).then((show) => {
        const { prompt, extras } = sentOf(request, wire, names, show)
        const model = typeof language === "function" ? language(extras) : callerOf(language)
        received.asked = model.modelId
        return model.call({ ...optionsOf(request, wire, names, call.signal), prompt })
      })
      const opened = await Promise.race([opening, ended])
      // Cancels a stream that opens after the end.
      if (opened === "ended") opening.then((late) => late.cancel()).catch(() => undefined)
      else {
        reader = opened
        if (opened.headers) heard.headers = opened.headers
      }
    }
    for (let parts = 0; reader && !call.signal.aborted && isOpen(received);) {
      const next = await Promise.race([reader.read(), ended])
      if (next === "ended" || next === undefined) break
      const before = received.chars
      let delta = ""
      for (const part of next) {
        delta += receive(received, part, names, wire)
        if (!isOpen(received)) break
      }
      if (received.chars > before) patience.heard()
      if (delta !== "") yield { type: "text", text: delta }
      parts += next.length
      if (parts < TURN_PARTS) continue
      parts = 0
      await pause(0)
    }
  } catch (error) {
    received.failure ??= failureOf(error, wire.secrets, received)
  } finally {
    patience.stop()
    signal.removeEventListener("abort", stop)
    reader?.cancel().catch(() => undefined)
  }
  yield signal.aborted ? broken(received, "aborted", { message: "the call was aborted", retryable: false }) : finalOf(received, wire)
}

/** Nothing follows the finish, also when the server leaves the connection open. */
const isOpen = ({ failure, full, finish }: Received): boolean => failure === undefined && full === undefined && finish === undefined

function sentOf(request: ModelRequest, wire: Wire, names: ToolNames, show: Showing): SentPrompt {
  const stateOf = (message: ModelMessage): ReplyState | undefined =>
    message.role === "assistant" ? readState(message.state, wire.origin) : undefined
  const messages = wire.ownCallsOnly ? told(request.messages, (message) => stateOf(message) !== undefined) : request.messages
  return promptOf({ system: request.system, messages }, names, { filesInResults: wire.filesInResults, show, stateOf })
}

/** Adds one part and returns the text to pass on. */
function receive(received: Received, part: LanguageModelV4StreamPart, names: ToolNames, wire: Wire): string {
  if ("delta" in part) received.chars += part.delta.length
  if (received.chars > MAX_CHARS) {
    received.failure = {
      message: `the reply is longer than ${MAX_CHARS} characters and was dropped`,
      retryable: false,
      tooLong: received.chars,
    }
    return ""
  }
  if (wire.keeps === "parts") received.kept.parts.take(part)
  switch (part.type) {
    case "raw":
      if (wire.keeps === "chunks") received.kept.extras.take(part.rawValue)
      return ""
    case "text-delta":
      received.text += part.delta
      return part.delta
    case "reasoning-start":
    case "reasoning-delta":
      received.thinking = true
      return ""
    case "tool-input-start":
      if (part.providerExecuted === true) received.chars += part.toolName.length
      else begin(received, part.id, names.real(part.toolName))
      return ""
    case "tool-input-delta":
      received.begun.get(part.id)?.parts.push(part.delta)
      return ""
    case "tool-call":
      if (part.providerExecuted === true) {
        received.chars += part.input.length
        return ""
      }
      if (!received.begun.delete(part.toolCallId)) received.chars += part.toolCallId.length + part.toolName.length + part.input.length
      if (received.toolCalls.length < MAX_KEPT_CALLS) complete(received, part.toolCallId, names.real(part.toolName), part.input)
      else received.full = true
      return ""
    case "error":
      received.failure = failureOf(part.error, wire.secrets, received)
      return ""
    case "response-metadata":
      if (part.modelId !== undefined && part.modelId !== "")
        received.model = start(scrub(part.modelId, wire.secrets), MAX_MODEL_CHARS, received.redactor)
      return ""
    case "finish":
      received.finish = part
      return ""
    // They are not kept, and still the model works.
    case "source":
    case "file":
    case "tool-result":
      received.chars += 1
      return ""
    default:
      return ""
  }
}

function begin(received: Received, id: string, name: string): void {
  received.chars += id.length + name.length
  received.calls += 1
  if (received.calls > MAX_KEPT_CALLS) received.full = true
  else received.begun.set(id, { name, parts: [] })
}

function complete({ toolCalls, ids, kept, argsOf }: Received, id: string, name: string, args: string): void {
  // Some servers number the calls of every message from 0, or repeat ids; ids must be unique within a message.
  const unique = id !== "" && !ids.has(id) ? id : `${id === "" ? "call" : id}_${toolCalls.length}`
  ids.add(unique)
  kept.ids.push(id)
  toolCalls.push({ id: unique, name, args: argsOf(name, args) })
}

function finalOf(received: Received, wire: Wire): FinalMessage {
  if (received.failure) return broken(received, "error", received.failure)
  if (received.full) {
    for (const [id, { name, parts }] of received.begun) complete(received, id, name, parts.join(""))
    // The rest of the stream holds the report of usage.
    return { type: "final", text: received.text, thinking: received.thinking, toolCalls: received.toolCalls, stopReason: "toolUse" }
  }
  const reason = received.finish?.finishReason
  if (
    !reason ||
    reason.unified === "interrupted" ||
    reason.unified === "error" ||
    (reason.unified === "other" && reason.raw === undefined)
  ) {
    const raw = reason?.raw === undefined ? "it ended without a finish" : scrub(`it ended with "${reason.raw}"`, wire.secrets)
    return broken(received, "error", { message: `the provider's stream was cut short: ${raw}`, retryable: true })
  }
  if (reason.unified === "content-filter") {
    return broken(received, "error", { message: "the provider's content filter stopped the reply", retryable: false })
  }
  const usage = usageOf(received.finish?.usage)
  if (received.text === "" && received.toolCalls.length === 0 && !received.thinking && !((usage?.output ?? 0) > 0)) {
    return broken(received, "error", { message: "the provider's reply was empty", retryable: true })
  }
  return {
    type: "final",
    text: received.text,
    thinking: received.thinking || (received.finish?.usage.outputTokens.reasoning ?? 0) > 0,
    toolCalls: received.toolCalls,
    ...stateOf(received, wire),
    ...(received.model === undefined || received.model === received.asked ? {} : { model: received.model }),
    ...defined({ usage }),
    stopReason: reason.unified === "length" ? "length" : received.toolCalls.length > 0 ? "toolUse" : "stop",
  }
}

function stateOf({ kept }: Received, wire: Wire): { readonly state?: string } {
  const parts = wire.keeps === "parts" ? kept.parts.kept() : undefined
  const extras = wire.keeps === "chunks" ? kept.extras.extras(kept.ids) : undefined
  // A state without content still says whose reply it is.
  if (!parts && !extras && wire.ownCallsOnly !== true) return {}
  const state = writeState({ origin: wire.origin, ...defined({ parts, extras }) })
  return defined({ state })
}

/** A failed reply has no usage: a reply that had begun may be billed in full [B1]. */
const broken = (received: Received, stopReason: "error" | "aborted", error: ModelError): FinalMessage => ({
  type: "final",
  text: received.text,
  thinking: received.thinking,
  toolCalls: [],
  stopReason,
  error: hasBegun(received)
    ? { ...error, begun: true, ...(received.calls > 0 || received.toolCalls.length > 0 ? { called: true } : {}) }
    : error,
})

const hasBegun = ({ chars, thinking, toolCalls, finish }: Received): boolean =>
  chars > 0 || thinking || toolCalls.length > 0 || finish !== undefined

/** The figures as the provider sent them: the libraries pass on what is null, text or impossible. */
function usageOf(usage: LanguageModelV4Usage | undefined): Usage | undefined {
  const read =
    usage &&
    readUsage({
      input: usage.inputTokens.total,
      output: usage.outputTokens.total,
      cacheRead: usage.inputTokens.cacheRead,
      cacheWrite: usage.inputTokens.cacheWrite,
      reasoning: usage.outputTokens.reasoning,
    })
  if (!read) return undefined
  const { input, output, cacheRead = 0, cacheWrite = 0, reasoning = 0 } = read
  const cached = { ...(cacheRead > 0 ? { cacheRead } : {}), ...(cacheWrite > 0 ? { cacheWrite } : {}) }
  return { input, output, ...cached, ...(reasoning > 0 ? { reasoning } : {}) }
}
