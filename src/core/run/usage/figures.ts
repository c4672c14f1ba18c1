// Defines the figures of usage: of one model, agent or tool, or the sum of several.

import type { Histogram } from "./histogram.ts"

/** Model calls whose answers were lost, and the most tokens that they could use. No other figure includes them. */
export type Lost = { readonly calls: number; readonly tokens: number }

export interface Figures {
  input: number
  /** The part of `input` that a provider's cache had. */
  cached: number
  output: number
  /** null: no call had a price. */
  usd: number | null
  /** Model calls without a price. */
  unpriced: number
  model_calls: number
  tool_calls: number
  /** Tool calls that failed, or whose outcome is unknown. */
  tool_errors: number
  /** [B3] Absent: none. */
  lost?: Lost
}

/** Figures of one name in a run. Absent: none. */
export interface Tallied extends Figures {
  /** Of a model: how long each reply took; of a tool: each call that returned. Waits for people are no part of a call. */
  ms?: Histogram
  /** Of a model: calls that failed, and those of them that the provider refused as too many. */
  failed?: number
  limited?: number
  /** Of a tool: calls that were refused, by the reason's code. */
  refused?: Partial<Record<string, number>>
}

export type TallyKind = "model" | "agent" | "tool"
/** Figures by kind and name, separated by a space. */
export type Tally = Record<string, Tallied>

export const noFigures = (): Figures => ({
  input: 0,
  cached: 0,
  output: 0,
  usd: null,
  unpriced: 0,
  model_calls: 0,
  tool_calls: 0,
  tool_errors: 0,
})

export const withLost = (sum: Lost | undefined, more: Lost): Lost => ({
  calls: (sum?.calls ?? 0) + more.calls,
  tokens: (sum?.tokens ?? 0) + more.tokens,
})
