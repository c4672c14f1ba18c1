// How often in a row the alarm of a run's object has failed. The count is stored, so that it outlives the object.

import { backoff } from "../../core/backoff.ts"

const KEY = "alarm_failures"
/** [J12] An alarm that fails this often in a row ends the run: it would never stop failing. */
const MAX_FAILURES = 12
/** A run that cannot be ended either, because its store does not answer, is tried this often: a store may come back. */
const SLOWEST_TRY_MS = 3_600_000

export class AlarmFailures {
  readonly #kv: SyncKvStorage

  constructor(kv: SyncKvStorage) {
    this.#kv = kv
  }

  /** The alarm failed so often that no other try is likely to help. */
  get isHopeless(): boolean {
    return this.#count() >= MAX_FAILURES
  }

  /** The alarm failed once more; how often in a row by now. */
  add(): number {
    const failures = this.#count() + 1
    this.#kv.put(KEY, failures)
    return failures
  }

  clear(): void {
    if (this.#kv.get(KEY) !== undefined) this.#kv.delete(KEY)
  }

  /** When to try again after so many failures. */
  retryAt(failures: number): number {
    return Date.now() + backoff(1_000, failures, SLOWEST_TRY_MS)
  }

  #count(): number {
    return Number(this.#kv.get(KEY) ?? 0)
  }
}
