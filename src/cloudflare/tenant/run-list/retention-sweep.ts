// Applies a shorter retention to runs that have already ended [H6]: the sweep tells each of them to check its retention again, a batch at a time. A
// row stores how far the sweep has come, so an eviction loses nothing. A run that cannot be reached delays no other: it is notified later.

import { failedOf } from "../../../engine/at-once.ts"
import type { RunIndex } from "./run-index.ts"
import type { SweepStore } from "./sweep-store.ts"
import type { DueWork } from "../tenant-alarm.ts"

const AT_ONCE = 100

export interface SweepDeps {
  readonly store: SweepStore
  readonly runs: Pick<RunIndex, "endedAfter">
  readonly notify: (run: string) => Promise<void>
  readonly want: (at: number) => void
  readonly now: () => number
}

export class RetentionSweep implements DueWork {
  readonly name = "retention"
  readonly #deps: SweepDeps

  constructor(deps: SweepDeps) {
    this.#deps = deps
  }

  readonly due = (): number | undefined => (this.#deps.store.underWay() === undefined ? this.#deps.store.earliest() : 0)

  readonly mend = (now: number): void => this.#deps.store.mend(now)

  readonly work = async (): Promise<void> => {
    const { store, runs, notify, now } = this.#deps
    const late = store.untold(now(), AT_ONCE)
    if (late.length > 0) {
      store.toldAgain(late, new Set((await failedOf(late, notify)).map(({ item }) => item)), now())
      this.#want()
    }
    const sweep = store.underWay()
    if (sweep === undefined) return
    const ids = runs.endedAfter(sweep.at, AT_ONCE)
    const failed = await failedOf(ids, notify)
    store.told(
      sweep,
      ids.at(-1),
      failed.map(({ item }) => item),
      now(),
    )
    this.#want()
  }

  /** In the turn that wrote the rows: the alarm may have given up waiting for this work, and know only of earlier ones. */
  #want(): void {
    const due = this.due()
    if (due !== undefined) this.#deps.want(due)
  }
}
