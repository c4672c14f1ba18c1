// Saves the conversations of a run's steps in sticky sessions to the tenant [J25], one part at a time and in order, because each part of a
// run builds on the previous one. The number of saved parts is stored, so that saving continues there after an eviction.

import type { Run } from "../../core/run/state.ts"
import { saveTranscript } from "../../engine/run/sticky-session.ts"
import { contentBlobs } from "../clients/content-blobs.ts"
import type { Env } from "../platform/env.ts"
import type { SqlJournal } from "./journal/journal-sql.ts"
import { inTime } from "../../ports/timers.ts"
import { portOf } from "../platform/port-of.ts"

const SAVED = "sessions_saved"

export interface SavingDeps {
  readonly env: Env
  readonly marks: SyncKvStorage
  readonly journal: SqlJournal
}

export class SessionSaving {
  readonly #deps: SavingDeps
  /** Never rejects. */
  #saving: Promise<void> | undefined

  constructor(deps: SavingDeps) {
    this.#deps = deps
  }

  unsaved(run: Run): number {
    return run.transcripts.length === 0 ? 0 : run.transcripts.length - this.#saved()
  }

  save(tenant: string, run: Run): Promise<void> {
    const { env, marks, journal } = this.#deps
    const work = (this.#saving ?? Promise.resolve()).then(async () => {
      const deps = { sessions: portOf(env, tenant, "sessions"), blobs: contentBlobs(env, tenant) }
      // The run may be erased meanwhile, and its conversations with it.
      for (let n = this.#saved(), next = run.transcripts[n]; next && journal.last() > 0; n++, next = run.transcripts[n]) {
        await saveTranscript(deps, journal, run, next)
        marks.put(SAVED, n + 1)
      }
    })
    const saving = work
      .catch(() => undefined)
      .then(() => {
        if (this.#saving === saving) this.#saving = undefined
      })
    this.#saving = saving
    return work
  }

  /** Resolves when saving is done, or after `ms`. A caller that sees the run's end may continue its session at once, so the end waits for this. */
  async settled(ms: number): Promise<void> {
    if (this.#saving === undefined || ms <= 0) return
    await inTime(this.#saving, ms, () => undefined)
  }

  forget(): void {
    this.#saving = undefined
  }

  #saved(): number {
    return Number(this.#deps.marks.get(SAVED) ?? 0)
  }
}
