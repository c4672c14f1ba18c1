// Prevents context overflow [J23]: before a turn that would not fit its model, glimpses replace older tool results. When that is not enough, or the
// provider has refused the request because of its length, a summary replaces the middle of the conversation; the model of the role `@compact` writes
// it. Both are facts in the journal; the shell does the work (engine/run/compact.ts), because only the shell reads bodies.

import { tokensIn } from "./files/attachment.ts"
import { contextWindow } from "../../money/context-window.ts"
import type { Amount } from "../../money/amount.ts"
import { requestBytes } from "../budget/budget-bytes.ts"
import type { Usage } from "../../money/usage.ts"
import type { Fact } from "../event.ts"
import { billOf } from "../budget/bill.ts"
import { settlement } from "../budget/budget-settle.ts"
import { MAX_OUTPUT_TOKENS, SUMMARY_PROMPT_BYTES, SUMMARY_TOKENS } from "../budget/worst-case.ts"
import { stepState, type Run, type Session } from "../state.ts"
import { compactKey } from "../key.ts"

/** Compactions of one turn: with glimpses, with a summary, with a shorter summary. A turn that still does not fit is sent as it is. */
export const MAX_COMPACTIONS = 3 // limit: times that a turn's conversation is shortened → the refusal is the step's failure
/** English text and code stay below 0.4 tokens per byte in every known tokenizer; the session's real usage corrects the rate. */
const TOKENS_PER_BYTE = 0.4
const MIN_TOKENS_PER_BYTE = 0.1

export interface CompactWish {
  readonly do: "compact"
  readonly key: string
  readonly step: string
  /** The size in bytes that the conversation should shrink to. */
  readonly target: number
  /** The model that writes the summary. */
  readonly model: string
  /** [B2] The most that the summary may cost. */
  readonly amount?: Amount
}

export type Compacted =
  /** `pictures`: the files that were shown up to this place are left out, and everything said stays [F56]. */
  | { readonly kind: "glimpse" | "pictures"; readonly upTo: number; readonly bytes: number }
  | {
      readonly kind: "summary"
      readonly upTo: number
      readonly bytes: number
      readonly summary: string
      /** Absent: the provider reported none. */
      readonly usage?: Usage
      readonly unbilled?: true
    }
  /** Nothing could be shortened, or no model could write the summary. */
  | {
      readonly kind: "none"
      readonly why: string
      /** What stands in for a model's summary after a refusal: glimpses, or the beginnings of what was said as `summary`. */
      readonly instead?: { readonly upTo: number; readonly bytes: number; readonly summary?: string }
      /** The provider has refused this very request: to send it again is pointless. */
      readonly stuck?: true
      readonly usage?: Usage
      readonly unbilled?: true
      /** A model was asked, and its bill is unknown. */
      readonly unsure?: true
    }

/** The action that shortens the session before its next model call; undefined: it fits, or nothing more can be done. */
export function compactWish(run: Run, step: string): CompactWish | undefined {
  const { session, pass } = stepState(run, step)
  if (!session || compactionsOf(session) >= MAX_COMPACTIONS) return undefined
  const rate = tokensPerByte(session)
  const output = run.plan.agents[session.agent]?.max_output_tokens ?? MAX_OUTPUT_TOKENS
  const window = contextWindow(session.model)
  const bytes = requestBytes(run, step)
  // The tokens of pictures are known, and no rate applies to them.
  const pictures = tokensIn(session.pictures)
  const need = (bytes - pictures) * rate + pictures + output
  if (need <= window && session.overflow !== true) return undefined
  // Half of the room for the conversation, so that the next turns fit as well.
  const fixed = bytes - session.bytes
  const target = Math.max(2_000, Math.floor(((window - output) / rate - fixed) / 2))
  // When a provider refuses a request that should fit, the provider is right and our table is wrong.
  return {
    do: "compact",
    key: compactKey(step, pass, session.turn),
    step,
    target: session.overflow === true ? Math.min(target, Math.floor(session.bytes / 2)) : target,
    model: compactModel(run, session),
  }
}

const compactionsOf = (session: Session): number => (session.compact?.turn === session.turn ? session.compact.times : 0)

export const compactModel = (run: Run, session: Session): string => run.pins?.models["@compact"] ?? session.model

/** The rate of the last reply with a margin of 10%, within limits. */
function tokensPerByte(session: Session): number {
  const { seen } = session
  const { tokens, bytes, pictures = 0 } = seen ?? { tokens: 0, bytes: 0 }
  const rate = bytes <= pictures ? TOKENS_PER_BYTE : (tokens - pictures) / (bytes - pictures)
  return Math.min(1, Math.max(MIN_TOKENS_PER_BYTE, rate * 1.1))
}

/** Tells whether a shorter conversation may still save a failed call. */
export const canShrink = (session: Session): boolean => compactionsOf(session) < MAX_COMPACTIONS

export function compacted(run: Run, step: string, key: string, done: Compacted): Fact[] {
  const { session } = stepState(run, step)
  if (!session) return []
  const asked = done.kind === "summary" || (done.kind === "none" && done.usage !== undefined) ? done : undefined
  const bill =
    asked &&
    billOf(run, {
      key,
      model: compactModel(run, session),
      input: requestBytes(run, step) + SUMMARY_PROMPT_BYTES,
      output: SUMMARY_TOKENS,
      said: asked.kind === "summary",
      reported: asked.usage,
      unbilled: asked.unbilled === true,
    })
  const isLost = bill === undefined && done.kind === "none" && done.unsure === true
  const settled = settlement(run, key, bill?.amount ?? (isLost ? undefined : {}))
  const spent = bill ? { usage: bill.usage, cost: bill.cost } : isLost ? { lost: true as const } : {}
  if (done.kind === "none")
    return [
      { type: "warning", code: "context_full", message: done.why, step },
      {
        type: "context.compacted",
        step,
        kind: done.instead?.summary === undefined ? "glimpse" : "summary",
        ...(done.instead ?? { upTo: 0, bytes: session.bytes }),
        ...spent,
      },
      ...settled,
    ]
  const { kind, upTo, bytes } = done
  return [
    { type: "context.compacted", step, kind, upTo, bytes, ...(done.kind === "summary" ? { summary: done.summary } : {}), ...spent },
    ...settled,
  ]
}
