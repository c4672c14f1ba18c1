// Runs handlers of code steps [F24] in an isolate without network, bindings or clock. One result per call; nothing here throws.

import type { Json, JsonObject } from "../core/json.ts"

/** Characters of a handler's log line, summary or message. A text of this length may have been cut in the middle of a secret [T32]. */
export const MAX_TEXT = 2_000 // limit: characters of a line or a message of a handler → the rest is cut

export interface SandboxRequest {
  /** Hash of `source`. Each hash has one isolate, so module state may survive between calls but is never shared with other source. */
  readonly hash: string
  /** JavaScript: types are stripped when the file is written. */
  readonly source: string
  readonly input: JsonObject
  readonly ctx: { readonly flow: string; readonly step: string; readonly task: string }
  readonly timeoutMs: number
  /** Aborts `ctx.signal` in the handler and ends the call as `aborted`. */
  readonly signal: AbortSignal
  /** Resolves when the event loop had a turn [N4]; the handlers of one run share it. */
  turn(): Promise<void>
  /** [F27] Present: the handler may call tools. Its calls so far, in its order, and what each was answered. */
  readonly calls?: readonly RecordedCall[]
  /** [V5] The handler may return any JSON: the result is `{value}`. */
  readonly anyValue?: true
  /** Receives each `ctx.log(msg)` at once and in order; never called after the call is over. */
  readonly onLog?: (message: string) => void
}

/** A call that a handler has made, and its answer. `data`: the answer as JSON, where it is JSON. */
export interface RecordedCall {
  readonly tool: string
  readonly args: JsonObject
  readonly answer:
    | { readonly ok: true; readonly text: string; readonly data?: Json }
    | { readonly ok: false; readonly state: "failed" | "refused" | "uncertain"; readonly message: string }
}

/** The reason why a handler returned no value. `failureSource` maps it to a `source` of [F30]. */
export type SandboxFault =
  | "missing_binding"
  | "no_default"
  | "threw"
  | "flow_hard_error"
  | "timeout"
  | "contract"
  | "crashed"
  /** [F27] A call is not the one that was recorded in its place. */
  | "diverged"
  /** The caller's `signal` ended the call. */
  | "aborted"

export type SandboxResult =
  /** [F27] The handler wants these calls next, and is run again from its beginning with their answers. */
  | { readonly ok: null; readonly calls: readonly { readonly tool: string; readonly args: JsonObject }[]; readonly logs: readonly string[] }
  | {
      readonly ok: true
      /** What the handler returned, as JSON. core/flow/code-contract.ts checks its keys. */
      readonly value: JsonObject
      /** The last value given to `ctx.setSummary`. */
      readonly summary?: string
      readonly logs: readonly string[]
    }
  | {
      readonly ok: false
      readonly kind: SandboxFault
      readonly message: string
      /** The line of the handler file, if known. */
      readonly line?: number
      readonly logs: readonly string[]
    }

/** Runs a handler. The texts come from the handler, and may contain secrets. */
export interface Sandbox {
  run(request: SandboxRequest): Promise<SandboxResult>
}

/** [F30] The `source` of the step's failure. In a `code` step only `flow_hard_error` is hard; in a `code-decision` every fault is [F24, F25]. */
export function failureSource(
  kind: SandboxFault,
): "code_error" | "code_contract" | "code_timeout" | "code_diverged" | "flow_hard_error" | "config" {
  switch (kind) {
    case "missing_binding":
      return "config"
    case "contract":
      return "code_contract"
    case "timeout":
      return "code_timeout"
    case "diverged":
      return "code_diverged"
    case "flow_hard_error":
      return "flow_hard_error"
    case "no_default":
    case "threw":
    case "crashed":
    case "aborted":
      return "code_error"
  }
}
