// Children pause and resume with their parent [H5]. A stored mark says that children were paused, so that a resume reaches them after a crash.

import { openChildren } from "../../../core/run/steps/pause.ts"
import { isOver, type Run } from "../../../core/run/state.ts"
import type { Duties } from "../duties.ts"
import type { Env } from "../../platform/env.ts"
import { tellChildren } from "./run-family.ts"

const PAUSED = "paused_children"

export class FamilyPause {
  readonly #env: Env
  readonly #kv: SyncKvStorage
  /** Returns the current run. */
  readonly #now: () => Run | undefined
  /** Children were paused and not yet resumed. undefined: not read yet. */
  #isPauseSent: boolean | undefined
  #turn: Promise<void> = Promise.resolve()
  #word = ""

  constructor(env: Env, kv: SyncKvStorage, now: () => Run | undefined) {
    this.#env = env
    this.#kv = kv
    this.#now = now
  }

  tell(duties: Duties, tenant: string, run: Run): void {
    const isPaused = run.status === "paused"
    this.#isPauseSent ??= this.#kv.get(PAUSED) !== undefined
    if (!isPaused && !this.#isPauseSent) return
    const children = openChildren(run)
    if (isPaused && children.length > 0 && !this.#isPauseSent) {
      this.#kv.put(PAUSED, true)
      this.#isPauseSent = true
    }
    const word = `${isPaused ? "pause" : "resume"} ${children.join(" ")}`
    // Sends the message again, because a resume may have followed the earlier pause: nothing tells two pauses apart.
    if (word !== this.#word) duties.again(word)
    this.#word = word
    duties.tell(word, () => {
      // One at a time, each with the state at its turn: if a pause arrived after the resume, the child would stay paused.
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
    this.#isPauseSent = false
  }
}
