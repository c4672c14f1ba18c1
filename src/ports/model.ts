// One port to every model, one turn at a time [M1]. No loop, no retry, no tool execution behind it: those are the engine's [M4].

import type { JsonSchema } from "../core/json.ts"
import type { Thinking } from "../core/flow/agent.ts"
import type { ContentPart, Usage } from "../core/run/event.ts"

export type Message =
  | { readonly role: "user"; readonly text: string }
  | { readonly role: "assistant"; readonly text: string; readonly toolCalls: readonly ModelToolCall[] }
  | {
      readonly role: "tool"
      readonly callId: string
      readonly tool: string
      readonly content: readonly ContentPart[]
      readonly isError: boolean
    }

/** `args` is the JSON text the model sent, parsed or not: the guard judges it. */
export interface ModelToolCall {
  readonly id: string
  readonly name: string
  readonly args: string
}

export interface ModelTool {
  readonly name: string
  readonly description: string
  readonly parameters: JsonSchema
}

/** What a rehearsal or scripted model needs to know of where it stands; real providers ignore it. */
export interface Place {
  readonly flow: string
  readonly step: string
  /** 1-based. */
  readonly pass: number
  /** 0-based: accepted turns of this session so far. */
  readonly turn: number
  /** Calls of this session that failed so far (a retried turn asks again with a higher count). */
  readonly failures: number
  readonly agent: string
  readonly stepType: string
  readonly branches?: readonly string[]
  /** [F17] 1-based iteration and cap of a loop decision. */
  readonly loop?: { readonly iteration: number; readonly max: number }
}

export interface ModelRequest {
  /** The model id without its provider. */
  readonly model: string
  readonly system: string
  readonly messages: readonly Message[]
  readonly tools: readonly ModelTool[]
  readonly maxOutputTokens: number
  readonly temperature?: number
  readonly thinking?: Thinking
  readonly place: Place
}

/** The end of every stream, whatever happened. `error` is set when and only when `stopReason` is `error` or `aborted`. */
export interface FinalMessage {
  readonly type: "final"
  readonly text: string
  /** Did the model think? Its text is not kept. */
  readonly thinking: boolean
  readonly toolCalls: readonly ModelToolCall[]
  readonly usage: Usage
  readonly stopReason: "stop" | "length" | "toolUse" | "error" | "aborted"
  readonly error?: ModelError
}

export interface ModelError {
  /** HTTP status of the provider, when there was one. */
  readonly status?: number
  /** Readable: a JSON error body is unwrapped. Never holds a key. */
  readonly message: string
  /** [F33] 429, 408, 409, 5xx, connection loss, a stream cut short: true. 400, 401, 403, 404, 422: false. */
  readonly retryable: boolean
  /** The request was longer than the model takes [J23]. */
  readonly overflow?: boolean
  /** Milliseconds the provider asked to wait (`Retry-After`). */
  readonly retryAfter?: number
}

export type ModelChunk = { readonly type: "text"; readonly text: string } | FinalMessage

/** Must not throw and must not reject: a failure is the final message. Exactly one `final`, and it is the last chunk. */
export interface Model {
  reply(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelChunk>
}

/** A tenant's provider settings [N6]. `apiKey` is a secret: it appears in no error, log or answer. */
export interface ProviderSettings {
  readonly kind: "anthropic" | "openai" | "openai-compatible" | "workers-ai" | "scripted"
  readonly baseUrl?: string
  readonly apiKey?: string
  /** kind scripted only: model id (or `*`) → its turns, in the format of a rehearsal file. */
  readonly turns?: Readonly<Record<string, readonly unknown[]>>
}
