// Asks the tenant for the kept result of an equal pass [R38], and says which passes are to be kept [R39]. Both may fail: the step is asked
// then, and a crash loses what was about to be kept.

import { defined } from "../../core/defined.ts"
import { cacheOf } from "../../core/flow/flow.ts"
import { canonical } from "../../core/json.ts"
import { askedBy } from "../../core/run/cached/asked.ts"
import { finishOf, marksOf, scoreOf, type KeptScore } from "../../core/run/cached/kept-pass.ts"
import type { LookUp } from "../../core/run/cached/look-up.ts"
import { isHarmless } from "../../core/run/cached/pure-pass.ts"
import type { EventOf, RunEvent } from "../../core/run/event.ts"
import type { Signal } from "../../core/run/signal.ts"
import { stepState, type Run } from "../../core/run/state.ts"
import type { CachedPasses, PassToKeep } from "../../ports/tenant/cached-passes.ts"
import { inTime } from "../../ports/timers.ts"
import type { EffectDeps } from "./call/effect-deps.ts"

const PATIENCE_MS = 2_000 // limit: milliseconds that a step waits for a kept result → it is asked
const MAX_KEPT_BYTES = 65_536 // limit: bytes of a step's result that is kept → it is not kept

type Looking = Pick<EffectDeps, "journal" | "clock" | "hash"> & { readonly cached: Pick<CachedPasses, "find"> }

/** The run is read only before the first await. */
export async function lookUpPass({ journal, clock, hash, cached }: Looking, run: Run, { key, step }: LookUp): Promise<Signal> {
  const digest = hash(canonical(askedBy(run, step, journal)))
  const since = clock.now() - (cacheOf(run.plan.steps.get(step)) ?? 0)
  const find = async () => cached.find({ digest, run: run.id, since })
  const found = await inTime(find(), PATIENCE_MS, () => undefined).catch(() => undefined)
  return { type: "looked-up", key, digest, ...defined({ found }) }
}

/** Follows a run's events, so that a pass is judged as it happens and no journal is read for it. */
export class PassesToKeep {
  /** Passes that have asked, and did nothing yet that others could not repeat: step → what it asked, and when (ms). */
  readonly #open = new Map<string, { readonly digest: string; readonly asked: number }>()

  readonly #scored = new Map<string, KeptScore>()

  /** undefined: no step of this flow keeps its results. */
  static of({ plan }: Pick<Run, "plan">): PassesToKeep | undefined {
    return plan.flow.steps.some((step) => cacheOf(step) !== undefined) ? new PassesToKeep() : undefined
  }

  /** `run`: as these events left it. */
  follow(events: readonly RunEvent[], run: Run): PassToKeep[] {
    return events.flatMap((e) => {
      if (e.type === "run.forked" || e.type === "run.ended") this.#open.clear()
      if (!("step" in e) || e.step === undefined) return []
      if (e.type === "step.scored") this.#scored.set(e.step, scoreOf(e))
      if (e.type === "cache.missed") this.#open.set(e.step, { digest: e.digest, asked: e.at })
      else if (e.type === "step.finished") return this.#kept(run, e)
      else if (!isHarmless(e, run.plan.tools)) this.#open.delete(e.step)
      return []
    })
  }

  #kept(run: Run, e: EventOf<"step.finished">): PassToKeep[] {
    const asked = this.#open.get(e.step)
    const scored = this.#scored.get(e.step)
    this.#open.delete(e.step)
    this.#scored.delete(e.step)
    const ms = cacheOf(run.plan.steps.get(e.step))
    const { result } = stepState(run, e.step)
    if (!asked || ms === undefined || !result || e.status !== "complete" || e.by !== undefined || e.files.length > 0) return []
    const kept = { run: run.id, asked: asked.asked, finish: finishOf(e), marks: marksOf(result), ...defined({ scored }) }
    if (new TextEncoder().encode(JSON.stringify(kept.finish)).byteLength > MAX_KEPT_BYTES) return []
    return [{ digest: asked.digest, flow: run.flow, step: e.step, until: asked.asked + ms, kept }]
  }
}
