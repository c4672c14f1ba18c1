// Tells the objects of runs in line what they must hear: that they begin, or end, or are to report [R20]. A word is repeated until it is heard.

import { defined } from "../../../core/defined.ts"
import type { StartTimes } from "../../../core/run/event-parts.ts"
import { heldBy } from "../../../core/start/line-things.ts"
import { failedOf } from "../../../engine/at-once.ts"
import type { HeldWord, StartWord } from "../../../ports/tenant/line.ts"
import { inTime } from "../../../ports/timers.ts"
import { STATE, type LineRow, type LineStore } from "./line-store.ts"

const ANSWER_MS = 20_000 // limit: milliseconds that a waiting run's object may take to answer → it is told again; it delays no other run

export interface WordDeps {
  readonly store: LineStore
  /** Tells a run's object. false: it holds no start, and no run has begun there. */
  readonly tell: (run: string, word: HeldWord) => Promise<boolean>
  /** [R8] false: there is no such run. */
  readonly supersede: (run: string, by: string) => Promise<boolean>
  /** Does a delivery or a fire still owe the run its start? */
  readonly isOwed: (run: string) => boolean
  /** [R13] Of what a beginning is judged by. */
  readonly mark: () => string
  readonly later: (work: Promise<unknown>) => void
}

export class StartWords {
  readonly #deps: WordDeps
  /** The run is over, or was never there. */
  readonly #over: (run: string, isThere: boolean) => void

  constructor(deps: WordDeps, over: (run: string, isThere: boolean) => void) {
    this.#deps = deps
    this.#over = over
  }

  sayLater(runs: readonly string[]): void {
    if (runs.length > 0) this.#deps.later(this.say(runs).catch(() => undefined))
  }

  /** What does not arrive is said again by the alarm. */
  async say(runs: readonly string[]): Promise<void> {
    const [failed] = await failedOf(runs, (run) => this.#sayTo(run))
    if (failed) throw failed.error
  }

  async #sayTo(run: string): Promise<void> {
    const { store, isOwed, mark } = this.#deps
    const row = store.find(run)
    if (!row) return
    if (row.state === STATE.begun) {
      const by = row.body.superseded
      // The word first: the run may not have heard that it began.
      const isThere = (await this.#tell(run, { word: wordOf(row), mark: mark() })) && (by === undefined || (await this.#supersede(run, by)))
      const after = store.find(run)
      if (!isThere) this.#over(run, false)
      else if (after?.due !== null && after?.state === STATE.begun && after.body.superseded === by) store.update(after, { due: null })
    } else if (row.state === STATE.ending && row.body.end) {
      await this.#tell(run, { end: row.body.end, times: timesOf(row) })
      this.#over(run, true)
    } else if (row.state === STATE.given && !(await this.#tell(run, "report")) && !isOwed(run)) this.#over(run, false)
  }

  #tell(run: string, word: HeldWord): Promise<boolean> {
    return inTime(this.#deps.tell(run, word), ANSWER_MS, () => silent(run))
  }

  #supersede(run: string, by: string): Promise<boolean> {
    return inTime(this.#deps.supersede(run, by), ANSWER_MS, () => silent(run))
  }
}

function silent(run: string): never {
  throw new Error(`the object of ${run} did not answer within ${ANSWER_MS / 1_000} s`)
}

export function wordOf(row: LineRow): StartWord {
  const { arrived, held } = row.body
  return {
    arrived,
    ...defined({ ready: row.ready ?? undefined, began: row.began ?? undefined, held: held === undefined ? undefined : heldBy(held) }),
    ...mergedOf(row),
  }
}

/** Of a start that ends without having begun. */
const timesOf = (row: LineRow): StartTimes => ({
  arrived: row.body.arrived,
  ...defined({ ready: row.ready ?? undefined }),
  ...mergedOf(row),
})

const mergedOf = ({ body: { window } }: LineRow) => (window && window.number > 1 ? { merged: window.number } : {})
