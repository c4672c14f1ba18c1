// Counts how many times in a row the alarm of a run's object has failed. The count is stored, so it survives an eviction.

import { backoff } from "../../core/backoff.ts"

const KEY = "alarm_failures"
/** [J12] After this many failures in a row the run is ended, because the alarm is not expected to recover. */
const MAX_FAILURES = 12 // limit: failures in a row of a run's alarm → the run ends with source `engine`
/** The longest wait between tries. If the run cannot be ended either, because storage does not answer, tries continue at this interval. */
const SLOWEST_TRY_MS = 3_600_000

export class AlarmFailures {
  readonly #kv: SyncKvStorage
  /** Those of this life: there may be no room to store their count. */
  #here = 0

  constructor(kv: SyncKvStorage) {
    this.#kv = kv
  }

  /** The alarm failed so often that another try is unlikely to help. */
  get isHopeless(): boolean {
    return this.#count() >= MAX_FAILURES
  }

  /** Counts a failure and returns the number of failures in a row. Never throws: what failed may be the storage. */
  add(): number {
    this.#here = this.#count() + 1
    try {
      this.#kv.put(KEY, this.#here)
    } catch {
      // It counts in memory, and the caller has logged why.
    }
    return this.#here
  }

  clear(): void {
    this.#here = 0
    if (this.#kv.get(KEY) !== undefined) this.#kv.delete(KEY)
  }

  /** When to try again after this many failures. */
  retryAt(failures: number): number {
    return Date.now() + backoff(1_000, failures, SLOWEST_TRY_MS)
  }

  #count(): number {
    return Math.max(this.#here, Number(this.#kv.get(KEY) ?? 0))
  }
}
