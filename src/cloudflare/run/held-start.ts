// A start for which there is no room yet [H6]: kept whole, until the tenant says that there is. Nothing of the run is written down before.

import { apply } from "../../core/run/apply.ts"
import { EVENT_VERSION } from "../../core/run/event.ts"
import { newRun, type Run } from "../../core/run/state.ts"
import { strandedPlan } from "../../core/run/stranded.ts"
import { DefinitionsLost } from "../../engine/catalog/definitions.ts"
import type { StartRequest } from "../../ports/run.ts"
import type { Env } from "../platform/env.ts"
import type { SqlJournal } from "./journal-sql.ts"
import type { LiveFrames } from "./live-frames.ts"
import { equip } from "./run-props.ts"
import { startedOf } from "./run-started.ts"

const HELD = "held"

export interface HeldDeps {
  readonly env: Env
  readonly kv: SyncKvStorage
  readonly journal: SqlJournal
  readonly live: LiveFrames
  readonly later: (work: Promise<unknown>) => void
}

export class HeldStart {
  readonly #deps: HeldDeps

  constructor(deps: HeldDeps) {
    this.#deps = deps
  }

  /** undefined: nothing is held, or it has begun. `paused`: it begins as a run that is paused [H5]. */
  read(): (StartRequest & { readonly at: number; readonly paused?: true }) | undefined {
    if (this.#deps.journal.last() > 0) return undefined
    const kept = this.#deps.kv.get(HELD)
    return typeof kept === "string" ? JSON.parse(kept) : undefined
  }

  keep(request: StartRequest): void {
    if (!this.read()) this.#deps.kv.put(HELD, JSON.stringify({ ...request, at: Date.now() }))
  }

  /** false: nothing is held. */
  pause(isPaused: boolean): boolean {
    const held = this.read()
    if (!held) return false
    const { paused: _before, ...request } = held
    this.#deps.kv.put(HELD, JSON.stringify({ ...request, ...(isPaused ? { paused: true } : {}) }))
    return true
  }

  forget(): void {
    this.#deps.kv.delete(HELD)
  }

  /** The run as it will begin, for those who look at it. */
  async run(): Promise<Run | undefined> {
    const held = this.read()
    if (!held) return undefined
    const { env, journal, live, later } = this.#deps
    const plan = await equip(env, held.tenant, held.pins, journal, live, later).then(
      (equipped) => equipped.plan,
      (e: unknown) => {
        if (e instanceof DefinitionsLost) return strandedPlan(held.flow, [])
        throw e
      },
    )
    const run = newRun(plan)
    apply(run, { ...startedOf(held), seq: 0, at: held.at, v: EVENT_VERSION, prev: run.head })
    run.seq = 0
    run.status = "queued"
    return run
  }
}
