// [H6] A shorter retention holds for runs that have ended already: each of them is told to look again, some at a time. How far it has
// come stands in a row, so an eviction loses nothing.

import { atOnce } from "../../engine/at-once.ts"
import type { AccountStore } from "./account-store.ts"
import type { RunIndex } from "./run-index.ts"
import type { DueWork } from "./tenant-alarm.ts"

const AT_ONCE = 100

export interface SweepDeps {
  readonly account: AccountStore
  readonly runs: RunIndex
  readonly tell: (run: string) => Promise<void>
}

export class RetentionSweep implements DueWork {
  readonly name = "retention"
  readonly #deps: SweepDeps

  constructor(deps: SweepDeps) {
    this.#deps = deps
  }

  readonly due = (): number | undefined => (this.#deps.account.swept() === undefined ? undefined : 0)

  readonly work = async (): Promise<void> => {
    const { account, runs, tell } = this.#deps
    const ids = runs.endedAfter(account.swept() ?? "", AT_ONCE)
    await atOnce(ids, tell)
    account.sweptTo(ids.at(-1))
  }
}
