// [H6] A shorter retention also applies to runs that have already ended: the sweep tells each of them to check its retention again, a batch at
// a time. A row stores how far the sweep has come, so an eviction loses nothing.

import { atOnce } from "../../engine/at-once.ts"
import type { AccountStore } from "./account-store.ts"
import type { RunIndex } from "./run-index.ts"
import type { DueWork } from "./tenant-alarm.ts"

const AT_ONCE = 100

export interface SweepDeps {
  readonly account: AccountStore
  readonly runs: RunIndex
  readonly notify: (run: string) => Promise<void>
}

export class RetentionSweep implements DueWork {
  readonly name = "retention"
  readonly #deps: SweepDeps

  constructor(deps: SweepDeps) {
    this.#deps = deps
  }

  readonly due = (): number | undefined => (this.#deps.account.swept() === undefined ? undefined : 0)

  readonly work = async (): Promise<void> => {
    const { account, runs, notify } = this.#deps
    const ids = runs.endedAfter(account.swept() ?? "", AT_ONCE)
    await atOnce(ids, notify)
    account.sweptTo(ids.at(-1))
  }
}
