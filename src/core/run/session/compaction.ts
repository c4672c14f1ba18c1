// Context overflow [J23]: before a turn that would not fit its model, older tool results are replaced by glimpses; when that is not
// enough, or the provider has refused the request for its length, the middle of the conversation is told in a summary that the model
// of the role `@compact` writes. Both are facts of the journal; the shell does the work (engine/compact.ts), for only it reads bodies.

import { contextWindow } from "../../money/context-window.ts"
import type { Amount } from "../../money/amount.ts"
import { requestBytes } from "../budget/budget-bytes.ts"
import type { Fact, Usage } from "../event.ts"
import { settlement, costAmount, costOfCall } from "../budget/budget-settle.ts"
import { stepState, type Run, type Session } from "../state.ts"
import { compactKey } from "../key.ts"

/** Once by glimpses, once by a summary, once more by a shorter one; a turn that still does not fit is asked as it is, and fails or not. */
export const MOST_TIMES = 3
/** English text and code are below 0.4 tokens a byte for every known tokeniser; what a session has really used corrects it. */
const TOKENS_PER_BYTE = 0.4
const LEAST_TOKENS_PER_BYTE = 0.1
/** What a model may write when its agent does not say. */
const USUAL_OUTPUT = 4096

export interface CompactWish {
  readonly do: "compact"
  readonly key: string
  readonly step: string
  /** Bytes of conversation that fit comfortably. */
  readonly target: number
  /** Who writes the summary. */
  readonly model: string
  /** [B2] What the summary may cost at most. */
  readonly amount?: Amount
}

export type Compacted =
  | { readonly kind: "glimpse"; readonly upTo: number; readonly bytes: number }
  | {
      readonly kind: "summary"
      readonly upTo: number
      readonly bytes: number
      readonly summary: string
      readonly usage: Usage
    }
  /** Nothing could be made shorter, or nobody could write the summary. */
  | {
      readonly kind: "none"
      readonly why: string
      readonly usage?: Usage
      /** A model may have been asked, and nobody knows what it billed. */
      readonly unsure?: true
    }

/** The session's wish to be made shorter, before its next model call; undefined: it fits, or no more can be done. */
export function compactWish(run: Run, step: string): CompactWish | undefined {
  const { session, pass } = stepState(run, step)
  if (!session || timesOf(session) >= MOST_TIMES) return undefined
  const rate = tokensPerByte(session)
  const output = run.plan.agents[session.agent]?.max_output_tokens ?? USUAL_OUTPUT
  const window = contextWindow(session.model)
  const bytes = requestBytes(run, step)
  const need = bytes * rate + output
  if (need <= window && session.overflow !== true) return undefined
  // Half of what there is for the conversation: the next turns are to fit as well.
  const fixed = bytes - session.bytes
  const target = Math.max(2_000, Math.floor(((window - output) / rate - fixed) / 2))
  // A provider that refuses what we took for fitting knows better than our table.
  return {
    do: "compact",
    key: compactKey(step, pass, session.turn),
    step,
    target: session.overflow === true ? Math.min(target, Math.floor(session.bytes / 2)) : target,
    model: compactModel(run, session),
  }
}

const timesOf = (session: Session): number => (session.compact?.turn === session.turn ? session.compact.times : 0)

export const compactModel = (run: Run, session: Session): string => run.pins?.models["@compact"] ?? session.model

/** What the last reply's usage says, within reason. */
function tokensPerByte(session: Session): number {
  const { seen } = session
  const rate = seen === undefined || seen.bytes === 0 ? TOKENS_PER_BYTE : seen.tokens / seen.bytes
  return Math.min(1, Math.max(LEAST_TOKENS_PER_BYTE, rate * 1.1))
}

/** May a failed call be saved by a shorter conversation? */
export const canShrink = (session: Session): boolean => timesOf(session) < MOST_TIMES

export function compacted(run: Run, step: string, key: string, done: Compacted): Fact[] {
  const { session } = stepState(run, step)
  if (!session) return []
  const usage = done.kind === "glimpse" ? undefined : done.usage
  const cost = usage ? costOfCall(run, compactModel(run, session), usage) : 0
  const unsure = done.kind === "none" && done.unsure === true
  const settled = settlement(run, key, usage ? costAmount(cost, usage) : unsure ? undefined : {})
  const spent = usage ? { usage, cost } : {}
  if (done.kind === "none")
    return [
      { type: "warning", code: "context_full", message: done.why, step },
      { type: "context.compacted", step, kind: "glimpse", upTo: 0, bytes: session.bytes, ...spent },
      ...settled,
    ]
  const { kind, upTo, bytes } = done
  return [
    { type: "context.compacted", step, kind, upTo, bytes, ...(done.kind === "summary" ? { summary: done.summary } : {}), ...spent },
    ...settled,
  ]
}
