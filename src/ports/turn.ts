// Defines a recorded turn that is tried with another model, prompt or thinking level [K19]: the record from the run's object, and the
// result of the try.

import type { Thinking } from "../core/flow/agent.ts"
import type { Amount, RunPrice } from "../core/money/amount.ts"
import type { Result } from "../core/result.ts"
import type { Pins, ToolCall } from "../core/run/event-parts.ts"
import type { Usage } from "../core/money/usage.ts"
import type { NoCut } from "../core/run/fork/cut.ts"
import type { TurnPlace } from "../core/run/fork/turns.ts"
import type { Turn } from "../core/run/session/conversation.ts"
import type { ModelRequest } from "./model.ts"

/** The changes to a turn. `prompt` replaces the agent's own text; its templates are filled as they were when the step opened. */
export interface TurnAsk extends TurnPlace {
  readonly prompt?: string
}

export interface TurnWish extends TurnAsk {
  readonly model?: string
  readonly thinking?: Thinking
  /** Asks no model: answers the most that it may cost. */
  readonly check?: true
}

export interface TurnReply {
  readonly text: string
  readonly toolCalls: readonly Pick<ToolCall, "id" | "name" | "args">[]
}

/** A model's reply in a turn, and its cost. */
export interface TurnSaid {
  /** `provider/model`. */
  readonly model: string
  readonly thinking: Thinking | null
  readonly reply: TurnReply
  readonly stopReason: string
  readonly usage: Usage
  /** US dollars; null: the model has no price. */
  readonly cost: number | null
  readonly ms: number
  /** The model as its provider names it, where that is not the name that was asked. */
  readonly responseModel?: string
}

/** The request of a turn as it was sent. The states of providers are sealed. */
export interface TurnRecord {
  readonly ok: true
  readonly pass: number
  readonly turn: number
  /** The pinned reference of its model. */
  readonly ref: string
  readonly request: Omit<ModelRequest, "messages">
  readonly turns: readonly Turn[]
  /** [J25] Earlier conversations of a sticky session. */
  readonly chunks: readonly string[]
  /** Upper bound of the request's tokens [B1]. */
  readonly input: number
  readonly pins?: Pins
  /** null: the turn was not answered. */
  readonly recorded: TurnSaid | null
}

export type TurnRead = TurnRecord | { readonly ok: false; readonly code: "no_turn"; readonly why: Extract<NoCut, { there: unknown }> }

/** The model of a try, its price, and the limits of the tenant's day. */
export interface TurnContext {
  readonly model: Result<string, string>
  readonly price?: RunPrice
  readonly daily: Amount
}

interface Tried {
  readonly step: string
  readonly pass: number
  readonly turn: number
  readonly recorded: TurnSaid | null
}

export type TurnTried =
  | ({ readonly ok: true; readonly tried: TurnSaid & Tried } & { readonly check?: never })
  | {
      readonly ok: true
      /** The most that the try may use. `usd`: null without a price. */
      readonly check: Tried &
        Pick<TurnSaid, "model" | "thinking"> & { readonly most: { readonly tokens: number; readonly usd: number | null } }
    }
  | Exclude<TurnRead, TurnRecord>
  /** Nothing was asked, or the provider refuses the request. */
  | { readonly ok: false; readonly code: "not_triable"; readonly why: string }
  | { readonly ok: false; readonly code: "no_price"; readonly model: string }
  /** The tenant's day has less left than the turn may cost. `retry`: milliseconds since 1970. */
  | { readonly ok: false; readonly code: "quota"; readonly need: Amount; readonly retry: number }
  /** The model was asked and did not answer. */
  | { readonly ok: false; readonly code: "model_failed"; readonly why: string }
