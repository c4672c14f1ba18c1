// Counts model calls whose answers were lost [B3]: a provider may bill them, but nobody knows how much. They are counted separately, with
// the most that they could use: the call's reservation, or the maximum size of its request and reply. Part of `apply`.

import { isFree } from "../../money/prices.ts"
import { openCallOf } from "../batch/open-call.ts"
import { requestBytes } from "../budget/budget-bytes.ts"
import { MAX_OUTPUT_TOKENS, SUMMARY_PROMPT_BYTES, SUMMARY_TOKENS } from "../budget/worst-case.ts"
import type { EventOf } from "../event.ts"
import { compactModel } from "../session/compaction.ts"
import type { Run } from "../state.ts"
import { keysOf } from "../step-keys.ts"
import { sessionOf } from "../steps/touch.ts"
import { withLost } from "./figures.ts"
import { lostTallied, OTHER } from "./tally.ts"

/** Counts model calls that are under way as their step, or the whole run, ends: nobody hears their answers, and they may be billed. */
export function callsLost(run: Run, step?: string): void {
  for (const key of step === undefined ? Object.keys(run.underway) : keysOf(run, step)) {
    const { kind, step: of, batch } = run.underway[key] ?? {}
    if (batch === undefined && (kind === "model" || kind === "compact") && of !== undefined && (step ?? of) === of)
      modelLost(run, { key, step: of }, kind)
  }
  for (const [key, { step: of }] of Object.entries(run.batched ?? {})) if ((step ?? of) === of) modelLost(run, { key, step: of }, "model")
}

/** Counts a lost model call. Runs before the call is removed from `underway` and its reservation is settled. */
export function modelLost(run: Run, { key, step }: Pick<EventOf<"action.lost">, "key" | "step">, kind: "model" | "compact"): void {
  const session = sessionOf(run, step)
  const isSummary = kind === "compact"
  const model = session === undefined ? OTHER : isSummary ? compactModel(run, session) : session.model
  const held = Object.hasOwn(run.budget.holds, key) ? run.budget.holds[key]?.amount.tokens : undefined
  const own = session && run.plan.agents[session.agent]?.max_output_tokens
  const output = isSummary ? SUMMARY_TOKENS : (openCallOf(run, key)?.maxOutput ?? own ?? MAX_OUTPUT_TOKENS)
  const input = requestBytes(run, step) + (isSummary ? SUMMARY_PROMPT_BYTES : 0)
  // A rehearsal asks no provider.
  const tokens = isFree(model) ? 0 : (held ?? input + output)
  run.usage.lost = withLost(run.usage.lost, { calls: 1, tokens })
  lostTallied(run, step, model, { calls: 1, tokens })
}
