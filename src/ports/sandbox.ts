// Where handlers of code steps run [F24]: an isolate without network, bindings or clock of ours. One call, one answer; nothing here throws.

import type { JsonObject } from "../core/json.ts"

export interface SandboxRequest {
  /** Hash of `source`: one isolate per hash, so the same text may meet its own module state again, and no other text ever does. */
  readonly hash: string
  /** JavaScript: types were stripped when the file was written. */
  readonly source: string
  readonly input: JsonObject
  readonly ctx: { readonly flow: string; readonly step: string; readonly task: string }
  readonly timeoutMs: number
  /** The run's own end: aborts `ctx.signal` inside and ends the call as `aborted`. */
  readonly signal: AbortSignal
  /** Each `ctx.log(msg)`, in order, as it is said; never after the call is over. */
  readonly onLog?: (message: string) => void
}

/** Why a handler gave no value. `failureSource` says which `source` of [F30] that is. */
export type SandboxFault =
  | "missing_binding"
  | "no_default"
  | "threw"
  | "flow_hard_error"
  | "timeout"
  | "contract"
  | "crashed"
  /** The caller's `signal` ended it. */
  | "aborted"

export type SandboxResult =
  | {
      readonly ok: true
      /** What the handler returned, as JSON; whether its keys are the declared ones is core/flow/code-contract.ts. */
      readonly value: JsonObject
      /** What `ctx.setSummary` was last given. */
      readonly summary?: string
      readonly logs: readonly string[]
    }
  | {
      readonly ok: false
      readonly kind: SandboxFault
      readonly message: string
      /** Line of the handler file, when the fault has one. */
      readonly line?: number
      readonly logs: readonly string[]
    }

export interface Sandbox {
  run(request: SandboxRequest): Promise<SandboxResult>
}

/** [F30] The `source` of the step's failure. Only `flow_hard_error` is hard in a `code` step; in a `code-decision` every one is [F24, F25]. */
export function failureSource(kind: SandboxFault): "code_error" | "code_contract" | "code_timeout" | "flow_hard_error" | "config" {
  switch (kind) {
    case "missing_binding":
      return "config"
    case "contract":
      return "code_contract"
    case "timeout":
      return "code_timeout"
    case "flow_hard_error":
      return "flow_hard_error"
    case "no_default":
    case "threw":
    case "crashed":
    case "aborted":
      return "code_error"
  }
}
