// Defines the outline of a run: passes of steps with their turns, calls, questions and child runs, each with its times and costs.

import type { Json, JsonObject } from "../../json.ts"
import type { InteractionKind } from "../event-parts.ts"

/** `given`: the model made the call, and it has no result yet. */
export type CallState = "given" | "running" | "done" | "error" | "refused" | "asks" | "staged" | "uncertain"

export interface Call {
  readonly id: string
  readonly tool: string
  args: JsonObject
  /** Arguments that were no JSON object. */
  readonly raw?: string | undefined
  state: CallState
  begun: number
  ended?: number
  result?: string
  /** Of a refusal: its code and its reason. */
  code?: string
  why?: string
  seq: number
  child?: string
}

export interface StoryTurn {
  readonly turn: number
  readonly seq: number
  endSeq?: number
  begun: number
  ended?: number
  text: string
  model?: string
  request?: string
  tokens: number
  /** Of the tokens, those that the model wrote, and those of the request that came from its cache. */
  output: number
  cached: number
  usd: number | null
  readonly calls: Call[]
  /** Tries that failed. */
  readonly faults: { readonly seq: number; readonly at: number; readonly message: string }[]
  by?: string
}

/** A child run, a code handler or a wait. */
export interface Work {
  readonly kind: "child" | "code" | "wait"
  readonly label: string
  readonly run?: string
  /** Of a child: its place among the children of its pass, from 0. */
  readonly index?: number
  /** Of a child that has ended: its usage, and why it failed. */
  tokens?: number
  usd?: number | null
  message?: string
  /** Of a child: it or a run below it has open questions. */
  asks?: boolean
  readonly seq: number
  readonly begun: number
  ended?: number
  status?: string
  /** Of a wait: when it ends by itself. */
  readonly until?: number | undefined
}

export interface Ask {
  readonly id: string
  readonly kind: InteractionKind
  readonly step: string
  readonly callId?: string | undefined
  readonly payload: JsonObject
  readonly schema: JsonObject
  readonly seq: number
  readonly begun: number
  ended?: number
  by?: string
  outcome?: string
}

export interface Pass {
  readonly step: string
  readonly pass: number
  readonly seq: number
  endSeq?: number
  readonly begun: number
  ended?: number
  status: string
  readonly agent?: string | undefined
  readonly model?: string | undefined
  readonly task?: string | undefined
  readonly body?: string | undefined
  readonly preamble?: string | undefined
  context?: string
  readonly inputs: unknown
  readonly tools: readonly string[]
  readonly turns: StoryTurn[]
  /** [F26] Calls that the step made itself, without a model. */
  readonly calls: Call[]
  /** Of child runs: how many there will be. */
  readonly total?: number | undefined
  /** Children are in the order of their places. */
  readonly works: Work[]
  readonly asks: Ask[]
  readonly steers: { readonly id: string; readonly message: string; readonly by: string; readonly at: number; turn?: number }[]
  summary?: string
  outputs?: JsonObject
  artifacts?: string
  branch?: string
  source?: string
  /** [R41] The run whose result it took over. */
  cached?: string
  /** [V23] What its scorer said. */
  scored?: {
    readonly round: number
    readonly score: number | null
    readonly enough: boolean
    readonly why?: string
    readonly judge?: string
  }
  /** [R30] What its model call waits for. */
  paced?: { readonly model: string; readonly until: number; readonly ahead: number }
  tokens: number
  usd: number | null
  /** The events after which earlier turns stand shortened. */
  readonly compactions: number[]
  /** What the handler of a code step has logged. */
  readonly logs: string[]
  /** Answers of `finish` that were refused. */
  readonly rejected: { readonly seq: number; readonly errors: readonly string[] }[]
}

/** Every call of a pass: of its turns, and of the step itself. */
export const callsOf = ({ turns, calls }: Pick<Pass, "turns" | "calls">): readonly Call[] => [
  ...turns.flatMap((turn) => turn.calls),
  ...calls,
]

export interface StepOutline {
  readonly id: string
  type: string
  /** As the last pass is; `pending` before a step is opened again. */
  status: string
  readonly passes: Pass[]
  skips: number
}

export interface Mark {
  readonly seq: number
  readonly at: number
  readonly kind: "pass" | "ask" | "bad"
}

export interface RunOutline {
  seq: number
  began: number
  at: number
  status: string
  error?: { readonly step?: string | undefined; readonly message: string; readonly source: string }
  output?: Json
  ended?: number
  /** Of a fork: the event from which on the run is its own. */
  forkedAt?: number
  /** Of a fork: when it was made. */
  forkedTime?: number
  readonly pauses: { readonly from: number; to?: number }[]
  readonly steps: Map<string, StepOutline>
  readonly asks: Map<string, Ask>
  readonly marks: Mark[]
  tokens: number
  usd: number | null
  turns: number
  calls: number
  refused: number
}
