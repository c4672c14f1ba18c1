// Ends a call whose model is silent, or never stops [M1]. Comments, pings and empty pieces count as silence: only parts of the reply do
// not. Such a call is a lost connection [F33]. One timer checks four times per allowed silence, so arriving data costs nothing, and a
// silence ends at most a quarter late.

import type { ModelError } from "../../ports/model.ts"
import { later } from "../../ports/timers.ts"

/** Limit: milliseconds that a provider may be silent, unless it sets `silenceSeconds` → the connection counts as lost. */
export const USUAL_SILENCE_MS = 600_000
/** Limit: milliseconds of one call of a model → the connection counts as lost. */
export const MAX_CALL_MS = 3_600_000
const LOOKS = 4

export class Patience {
  #cancel: (() => void) | undefined
  #looks = 0
  /** Looks since something was heard. */
  #silent = 0
  readonly #ms: number
  readonly #lose: (error: ModelError) => void

  /** `lose` is called at most once. */
  constructor(ms: number, lose: (error: ModelError) => void) {
    this.#ms = ms
    this.#lose = lose
    this.#wait()
  }

  /** The reply has grown. */
  heard(): void {
    this.#silent = -1
  }

  stop(): void {
    this.#cancel?.()
  }

  #wait(): void {
    this.#cancel = later(() => this.#look(), this.#ms / LOOKS)
  }

  #look(): void {
    this.#looks++
    this.#silent++
    if (this.#silent >= LOOKS) this.#end(`it said nothing for ${said(this.#ms)}`)
    else if ((this.#looks * this.#ms) / LOOKS >= MAX_CALL_MS) this.#end(`its reply took longer than ${said(MAX_CALL_MS)}`)
    else this.#wait()
  }

  #end(why: string): void {
    this.stop()
    this.#lose({ message: `the connection to the provider was given up: ${why}`, retryable: true })
  }
}

const said = (ms: number): string => (ms % 60_000 === 0 ? `${ms / 60_000} minutes` : `${ms / 1_000} seconds`)
