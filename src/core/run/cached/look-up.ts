// Looks for the kept result of an equal pass [R38]: once in a pass, before it asks anything. The shell has the digest and the tenant's
// results; here is when it looks, and what becomes of the answer.

import { originsOf } from "../../flow/origin.ts"
import { cacheOf, type Step } from "../../flow/flow.ts"
import type { EventOf, Fact } from "../event.ts"
import { cacheKey } from "../key.ts"
import type { KeptPass } from "./kept-pass.ts"
import { stepState, type Run, type StepState } from "../state.ts"
import { touch } from "../steps/touch.ts"
import { isTested } from "../tested.ts"

export interface LookUp {
  readonly do: "look-up"
  readonly key: string
  readonly step: string
}

/** undefined: the step asks without looking, or has looked. */
export function lookUp(run: Run, step: Step, s: StepState): LookUp[] | undefined {
  if (cacheOf(step) === undefined || s.cache?.digest !== undefined || isTested(run) || isAskedAnew(run, s)) return undefined
  const key = cacheKey(step.id, s.pass)
  return Object.hasOwn(run.underway, key) ? [] : [{ do: "look-up", key, step: step.id }]
}

/** [R40] A fork asks anew what it begins at: all that opened before its first step ended. */
const isAskedAnew = ({ fork, moved = Number.POSITIVE_INFINITY }: Run, { openedSeq = 0 }: StepState): boolean =>
  fork !== undefined && openedSeq < moved

/** A hit is the step's end, in one decision. What a person told the step meanwhile is not in the digest, so it is asked. */
export function foundOrMissed(run: Run, step: string, { digest, found }: { readonly digest: string; readonly found?: KeptPass }): Fact[] {
  const { pass, session, rounds } = stepState(run, step)
  if (!found || (session?.steers.length ?? 0) > 0) return [{ type: "cache.missed", step, pass, digest }]
  return [
    { type: "step.cached", step, pass, digest, run: found.run, asked: found.asked, ...found.marks },
    ...(found.scored && rounds ? [{ type: "step.scored", step, pass, round: rounds.round, ...found.scored, enough: true } as const] : []),
    { type: "step.finished", step, pass, status: "complete", files: [], ...found.finish },
  ]
}

export function lookedUp(run: Run, e: EventOf<"step.cached" | "cache.missed">): void {
  const s = touch(run, e.step)
  const key = cacheKey(e.step, s.pass)
  delete run.underway[key]
  delete run.begun[key]
  s.cache = { ...s.cache, digest: e.digest }
  if (e.type === "cache.missed") return
  s.cache.run = e.run
  s.cache.asked = e.asked
  if (e.tainted) s.tainted = true
  if (e.origins) s.origins = originsOf([...(s.origins ?? []), ...e.origins])
  if (e.private) s.private = true
}
