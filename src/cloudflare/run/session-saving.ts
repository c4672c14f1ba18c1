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

export class SessionSaving {
  readonly #env: Env
  readonly #kv: SyncKvStorage
  readonly #journal: SqlJournal
  /** Never rejects. */
  #saving: Promise<void> | undefined

  constructor(env: Env, kv: SyncKvStorage, journal: SqlJournal) {
    this.#env = env
    this.#kv = kv
    this.#journal = journal
  }

  unsaved(run: Run): number {
    return run.transcripts.length === 0 ? 0 : run.transcripts.length - this.#saved()
  }

  save(tenant: string, run: Run): Promise<void> {
    const work = (this.#saving ?? Promise.resolve()).then(async () => {
      const deps = { sessions: portOf(this.#env, tenant, "sessions"), blobs: contentBlobs(this.#env, tenant) }
      for (let n = this.#saved(), next = run.transcripts[n]; next; n++, next = run.transcripts[n]) {
        await saveTranscript(deps, this.#journal, run, next)
        this.#kv.put(SAVED, n + 1)
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
    return Number(this.#kv.get(SAVED) ?? 0)
  }
}
