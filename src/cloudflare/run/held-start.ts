// A start for which there is no room yet [H6]. It is stored whole until the tenant's object has room; until then the run has no journal.

import { apply } from "../../core/run/apply.ts"
import type { StartFile } from "../../core/run/event-parts.ts"
import { EVENT_VERSION } from "../../core/run/event-version.ts"
import { newRun, type Run } from "../../core/run/state.ts"
import { strandedPlan } from "../../core/run/stranded.ts"
import { DefinitionsLost } from "../../engine/catalog/definitions.ts"
import type { StartRequest } from "../../ports/run.ts"
import { loadPlan } from "./load-run.ts"
import type { RunResources } from "./run-resources.ts"
import { startedOf } from "./run-started.ts"

const HELD = "held"

export class HeldStart {
  readonly #resources: RunResources

  constructor(resources: RunResources) {
    this.#resources = resources
  }

  /** undefined: no start is held, or the run has begun. `paused`: the run begins paused [H5]. */
  read(): (StartRequest & { readonly at: number; readonly paused?: true }) | undefined {
    if (this.#resources.journal.last() > 0) return undefined
    const kept = this.#resources.kv.get(HELD)
    return typeof kept === "string" ? JSON.parse(kept) : undefined
  }

  keep(request: StartRequest): void {
    if (!this.read()) this.#resources.kv.put(HELD, JSON.stringify({ ...request, at: Date.now() }))
  }

  /** false: no start is held. */
  pause(isPaused: boolean): boolean {
    const held = this.read()
    if (!held) return false
    const { paused: _before, ...request } = held
    this.#resources.kv.put(HELD, JSON.stringify({ ...request, ...(isPaused ? { paused: true } : {}) }))
    return true
  }

  /** Adds a file to the start, or replaces one. false: no start is held. */
  put(file: StartFile): boolean {
    const held = this.read()
    if (!held) return false
    const files = [...(held.files ?? []).filter((before) => before.path !== file.path), file]
    this.#resources.kv.put(HELD, JSON.stringify({ ...held, files }))
    return true
  }

  forget(): void {
    this.#resources.kv.delete(HELD)
  }

  /** The run as it will begin, for callers that read it. */
  async run(): Promise<Run | undefined> {
    const held = this.read()
    if (!held) return undefined
    const { at, paused: _paused, ...request } = held
    const plan = await loadPlan(this.#resources, request).catch((e: unknown) => {
      if (e instanceof DefinitionsLost) return strandedPlan(request.flow, [])
      throw e
    })
    const run = newRun(plan)
    apply(run, { ...startedOf(request), seq: 0, at, v: EVENT_VERSION, prev: run.head })
    run.seq = 0
    run.status = "queued"
    return run
  }
}
