// What the API and a page show of a run [http.md §2]. The fold's public face; `view` itself is below its shapes.

import type { FailureSource, FileRef, InteractionKind, RunError, RunStatus, StepStatus, Trigger } from "./event.ts"
import type { Json, JsonObject } from "../json.ts"

export interface StepView {
  readonly status: StepStatus
  readonly type: string
  readonly agent?: string
  readonly summary?: string
  readonly files?: readonly FileRef[]
  readonly artifacts?: string
  readonly outputs?: JsonObject
  readonly branch?: string
  readonly source?: FailureSource
  readonly usage: { readonly input: number; readonly output: number }
  /** ISO 8601 UTC. */
  readonly started?: string
  readonly ended?: string
  /** Model calls begun in this pass. */
  readonly attempts: number
  readonly pass: number
}

export interface RunView {
  readonly id: string
  readonly flow: string
  readonly status: RunStatus
  readonly created: string
  readonly ended?: string
  readonly task: string
  readonly inputs: JsonObject
  readonly autonomous: boolean
  readonly output?: Json
  readonly error?: RunError
  readonly steps: Readonly<Record<string, StepView>>
  readonly usage: { readonly tokens: number; readonly usd: number | null; readonly tool_calls: number }
  readonly waiting?: { readonly reason: string }
  /** Open interactions: a run can need a person while other steps still run. */
  readonly pending: number
  readonly pinned: JsonObject
  readonly rehearsed: boolean
  readonly trigger: Trigger
  readonly tags: readonly string[]
  readonly seq: number
  readonly parent?: { readonly run: string; readonly step: string }
  readonly children: readonly string[]
}

/** [Q1] */
export interface InteractionView {
  readonly id: string
  readonly run: string
  readonly kind: InteractionKind
  readonly status: "pending" | "answered" | "expired" | "withdrawn"
  readonly step: string
  readonly payload: JsonObject
  /** JSON Schema of the answer's body. */
  readonly schema: JsonObject
  readonly risk?: string
  readonly created: string
  readonly expires?: string
  readonly default?: Json
  readonly answer?: JsonObject
  readonly by?: string
}
