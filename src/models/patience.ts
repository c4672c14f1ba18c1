// The end of a call whose model says nothing, or never stops [M1]. Comments, pings and empty pieces are silence: only what becomes part of the
// reply counts. A call that ended so is a lost connection [F33].

import type { ModelError } from "../ports/model.ts"

/** Silence that a provider may keep, unless its setting says otherwise. */
export const USUAL_SILENCE_MS = 600_000
/** The longest that one call takes, however much it says. */
export const MAX_CALL_MS = 3_600_000

export class Patience {
  #silent: ReturnType<typeof setTimeout> | undefined
  readonly #all: ReturnType<typeof setTimeout>
  readonly #ms: number
  readonly #lose: (error: ModelError) => void

  /** `lose` is called at most once. */
  constructor(ms: number, lose: (error: ModelError) => void) {
    this.#ms = ms
    this.#lose = lose
    this.#all = setTimeout(() => this.#end(`its reply took longer than ${said(MAX_CALL_MS)}`), MAX_CALL_MS)
    this.heard()
  }

  /** The reply has grown. */
  heard(): void {
    clearTimeout(this.#silent)
    this.#silent = setTimeout(() => this.#end(`it said nothing for ${said(this.#ms)}`), this.#ms)
  }

  stop(): void {
    clearTimeout(this.#silent)
    clearTimeout(this.#all)
  }

  #end(why: string): void {
    this.stop()
    this.#lose({ message: `the connection to the provider was given up: ${why}`, retryable: true })
  }
}

const said = (ms: number): string => (ms % 60_000 === 0 ? `${ms / 60_000} minutes` : `${ms / 1_000} seconds`)
