// Rests of a search [T6]: one thread serves everyone, so after a little work a loop lets others, and its own time limit, have a turn.

const SLICE_MS = 10
/** On the platform the clock stands still meanwhile, so work is counted too: characters, or steps of a match. */
const SLICE_WORK = 1_000_000

export class Breath {
  readonly #signal: AbortSignal
  #since = Date.now()
  #work = 0

  constructor(signal: AbortSignal) {
    this.#signal = signal
  }

  /** Throws when the call was stopped. */
  async take(work: number): Promise<void> {
    this.#work += work
    const passed = Date.now() - this.#since
    if (passed < SLICE_MS && this.#work < SLICE_WORK) return
    await new Promise((resume) => setTimeout(resume, Math.ceil(Math.min(passed, SLICE_MS) / 2)))
    this.#since = Date.now()
    this.#work = 0
    this.#signal.throwIfAborted()
  }
}

/** About how many steps it takes to match a path. Braces multiply a pattern. */
export const globWork = (glob: string, path: string): number => glob.length * path.length * (glob.includes("{") ? 8 : 1)
