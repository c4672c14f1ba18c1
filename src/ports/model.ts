// Defines the port to every model, one turn per call [M1]. The engine does loops, retries and tool execution [M4].

import type { Redactor } from "../core/secrets/redact.ts"
import type { JsonSchema } from "../core/json.ts"
import type { Thinking } from "../core/flow/agent.ts"
import type { ScriptedResult } from "../core/case/rehearsal.ts"
import type { RateSeen } from "../core/pacing/rate-headers.ts"
import type { Usage } from "../core/money/usage.ts"
import type { Turn } from "../core/run/session/conversation.ts"

/** A message to a model. `state`: the state from `FinalMessage` that the provider wants back with this reply. */
export type ModelMessage =
  | Exclude<Turn, { role: "assistant" }>
  | (Omit<Extract<Turn, { role: "assistant" }>, "state"> & { readonly state?: string })

/** `args` is the JSON text that the model sent, valid or not; the guard checks it. */
export interface ModelToolCall {
  readonly id: string
  readonly name: string
  readonly args: string
  /** [M3] Only of a script: what answers the call in place of its tool. */
  readonly result?: ScriptedResult
}

export interface ModelTool {
  readonly name: string
  readonly description: string
  readonly parameters: JsonSchema
}

/** The position in the flow, for rehearsals and scripted models. Real providers ignore it. */
export interface FlowPosition {
  readonly flow: string
  readonly step: string
  /** 1-based. */
  readonly pass: number
  /** Turns of this session accepted so far. */
  readonly turn: number
  /** Failed calls of this session so far; a retry of a turn has a higher count. */
  readonly failures: number
  readonly agent: string
  readonly stepType: string
  readonly branches?: readonly string[]
  /** [F17] For a loop decision: the 1-based iteration and its maximum. */
  readonly loop?: { readonly iteration: number; readonly max: number }
  /** [K21] The run is a test: delays of a script are left out. */
  readonly tested?: true
}

export interface ModelRequest {
  /** The model id without its provider. */
  readonly model: string
  readonly system: string
  readonly messages: readonly ModelMessage[]
  readonly tools: readonly ModelTool[]
  readonly maxOutputTokens: number
  readonly temperature?: number
  readonly topP?: number
  readonly seed?: number
  readonly stop?: readonly string[]
  readonly thinking?: Thinking
  readonly place: FlowPosition
  /** [F56] The bytes of a file that a message shows; undefined: they are no longer stored. */
  readonly body?: (hash: string) => Promise<Uint8Array | undefined>
  /** [T32] Every secret of the tenant: an error shows the beginning of what the provider said, and only without them. */
  readonly redactor?: Redactor
}

/** Ends every stream, even a failed one. `error` is set if and only if `stopReason` is `error` or `aborted`. */
export interface FinalMessage {
  readonly type: "final"
  readonly text: string
  /** Whether the model sent thinking; its text is not kept. */
  readonly thinking: boolean
  readonly toolCalls: readonly ModelToolCall[]
  /** [J20] What the provider wants back with this reply, as text that only its model reads. Secret: it is sealed and never shown. */
  readonly state?: string
  /** Absent: the provider reported none, or none that can be true. */
  readonly usage?: Usage
  /** The model that answered, as the provider names it, where that is not the name that was asked. */
  readonly model?: string
  /** [R25] How the provider's limits stand after this call, if it says so. */
  readonly rates?: readonly RateSeen[]
  /** No provider was asked, so nothing was used: a rehearsal, or a script. */
  readonly unbilled?: true
  readonly stopReason: "stop" | "length" | "toolUse" | "error" | "aborted"
  readonly error?: ModelError
}

export interface ModelError {
  /** The provider's HTTP status, if it answered. */
  readonly status?: number
  /** Readable: extracted from a JSON error body. Never contains a key. */
  readonly message: string
  /** [F33] true: 429, 408, 409, 5xx, a lost connection, a stream cut short. false: 400, 401, 403, 404, 422. */
  readonly retryable: boolean
  /** The reply had begun when it failed: the provider may bill it, whatever the status. */
  readonly begun?: true
  /** [G6] The reply was longer than is read: this many characters of it came. The message's text is its start. */
  readonly tooLong?: number
  /** The reply had begun to call a tool when it failed [F33]. */
  readonly called?: true
  /** The request exceeds the model's context window [J23]. */
  readonly overflow?: boolean
  /** [R31] The call was refused (429) for so long (ms), and may wait for that without being a try. */
  readonly stops?: number
  /** [R25] As in `FinalMessage`. */
  readonly rates?: readonly RateSeen[]
  /** Milliseconds that the provider asks callers to wait (`Retry-After`). */
  readonly retryAfter?: number
}

export type ModelChunk = { readonly type: "text"; readonly text: string } | FinalMessage

/** Encrypts a state for one place of one tenant; `open` rejects for any other place. Both reject without a key. */
export interface Sealing {
  seal(text: string, place: string): Promise<ArrayBuffer>
  open(sealed: ArrayBuffer, place: string): Promise<string>
}

/** Tells work that its result is no longer needed. The signal is created at first use. */
export interface Stop {
  readonly aborted: boolean
  readonly signal: AbortSignal
  /** Resolves when the event loop had a turn [N4]; some who wait for it share one. */
  turn(): Promise<void>
}

/** Must not throw or reject: a failure is a `final` message. Every stream has exactly one `final`, as its last chunk. */
export interface Model {
  reply(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelChunk>
  /** The same for a model that answers from data: it needs a signal only where it waits. Absent: `reply` is asked. */
  play?(request: ModelRequest, stop: Stop): AsyncIterable<ModelChunk>
}
