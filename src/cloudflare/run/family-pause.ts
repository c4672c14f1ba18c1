// Children pause and go on with their parent [H5]. A mark says that some were told to pause: after a crash they must hear of the resume.

import { openChildren } from "../../core/run/steps/pause.ts"
import { isOver, type Run } from "../../core/run/state.ts"
import type { Duties } from "./duties.ts"
import type { Env } from "../platform/env.ts"
import { tellChildren } from "./run-family.ts"

const PAUSED = "paused_children"

export class FamilyPause {
  readonly #env: Env
  readonly #kv: SyncKvStorage
  /** The run of the moment when it is called. */
  readonly #now: () => Run | undefined
  /** Children were told to pause, and not yet to resume. undefined: not read yet. */
  #isTold: boolean | undefined
  #turn: Promise<void> = Promise.resolve()
  #word = ""

  constructor(env: Env, kv: SyncKvStorage, now: () => Run | undefined) {
    this.#env = env
    this.#kv = kv
    this.#now = now
  }

  tell(duties: Duties, tenant: string, run: Run): void {
    const isPaused = run.status === "paused"
    this.#isTold ??= this.#kv.get(PAUSED) !== undefined
    if (!isPaused && !this.#isTold) return
    const children = openChildren(run)
    if (isPaused && children.length > 0 && !this.#isTold) {
      this.#kv.put(PAUSED, true)
      this.#isTold = true
    }
    const word = `${isPaused ? "pause" : "resume"} ${children.join(" ")}`
    // A message that was sent before may have been taken back since: no clock says whether this is the same pause.
    if (word !== this.#word) duties.again(word)
    this.#word = word
    duties.tell(word, () => {
      // One after another, and each sends what holds at its turn: a pause that arrives after the resume would stay.
      const turn = this.#turn.then(() => this.#say(tenant))
      this.#turn = turn.catch(() => undefined)
      return turn
    })
  }

  async #say(tenant: string): Promise<void> {
    const now = this.#now()
    if (!now || isOver(now)) return
    const word = now.status === "paused" ? "pause" : "resume"
    await tellChildren(this.#env, tenant, openChildren(now), word)
    if (word === "pause" || this.#now()?.status === "paused") return
    this.#kv.delete(PAUSED)
    this.#isTold = false
  }
}
