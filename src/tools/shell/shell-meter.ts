// Limits the computation of one command line, and spreads it over time [T6, T20]. The shell's library counts every step here
// (local/shell-metering.ts adds the calls), so a command line can be stopped anywhere and never keeps others waiting. Only steps decide
// when it ends, so it has the same result on a busy machine as on an idle one. Measured on one core of 2026: a million steps take 5 to 15
// ms. The clock only decides when to rest: on the platform it stands still while code computes; in local workerd it moves, and one thread
// serves all tenants.

import { gunzip, gzip } from "./shell-gzip.ts"
import { later, pause } from "../../ports/timers.ts"

/** Steps between two looks. */
const LOOK = 1_024
/** After this much computing everyone else gets a turn. */
const SLICE_MS = 10
export const SLICE_STEPS = 1_000_000
/** The maximum steps of code that cannot be interrupted: 30 to 90 ms. */
export const STRETCH_STEPS = 6_000_000 // limit: steps that a command computes without a rest → the script ends, and says why
/** Between two looks less than this is computed; what is longer than the other is one long call of the language. */
const GAP_MS = 1
const LONG_MS = 1_000
/** Looks that a command line has to end itself when it is over. */
const LATE = 20 // limit: looks of a command line that is over → it is ended where it is
/** In all: 20 s of the 30 s of CPU that a request has. */
const MOST_STEPS = 2_000_000_000 // limit: steps of one command line → it ends, and says why

/** Thrown by every further step of a command line that is over, so its code cannot continue. */
export class ShellOver extends Error {}

/** When the next command line of this isolate may compute: they take turns, so ten of them hold others up no longer than one. */
let turn = 0

/** The steps that this isolate's command lines have computed: in all, and the most between two rests. */
export const computed = { steps: 0, longest: 0 }

export class ShellMeter {
  readonly gzipSync = gzip(this)
  readonly gunzipSync = gunzip(this)
  /** Names of levels of compression: there is one level. */
  readonly constants = {}
  readonly #signal: AbortSignal
  #over: string | undefined
  #tooLong = false
  /** Makes an error that ends the script and leaves what it has said so far: the library puts its own here. */
  failure: (message: string) => Error = (message) => new Error(message)
  #steps = 0
  /** Steps since it last could have rested. */
  #stretch = 0
  /** Steps since the last rest. */
  #unrested = 0
  /** Milliseconds of computing since the last rest, and when the clock was last read. */
  #busy = 0
  #seen = Date.now()
  #given = 0
  #due = false
  #late = 0

  constructor(signal: AbortSignal) {
    this.#signal = signal
  }

  /** Why the command line may not go on, if it may not. */
  get over(): string | undefined {
    return this.#over
  }

  /** One of its commands was ended because it could not be interrupted. */
  get tooLong(): string | undefined {
    return this.#tooLong ? TOO_LONG : undefined
  }

  /** Others should get a turn: the library rests where it next can. */
  get due(): boolean {
    return this.#due
  }

  /**
   * The library computed and cannot wait here. `left`: steps it did not use; `mark`: how many were left where it last could have waited, below
   * 0 if it could not since the last look.
   */
  look(left: number, mark: number): number {
    const used = this.#count(left)
    this.#stretch = mark < 0 ? this.#stretch + used : mark - left
    if (this.#signal.aborted) this.end(STOPPED)
    if (this.#over !== undefined) this.#wind(this.#over)
    else if (this.#stretch > STRETCH_STEPS) {
      this.#tooLong = true
      // It was told before and went on: what catches everything does not hear.
      if (this.#stretch > 2 * STRETCH_STEPS) this.end(TOO_LONG)
      // Unless it waits before: then others had their turn all the same.
      later(() => this.#rested(), 0)
      throw this.failure(TOO_LONG)
    }
    return (this.#given = LOOK)
  }

  /** The same, where it can wait. */
  async rest(left: number): Promise<number> {
    this.#count(left)
    this.#stretch = 0
    if (this.#due) await this.pause(this.#busy)
    if (this.#over !== undefined) throw new ShellOver(this.#over)
    return (this.#given = LOOK)
  }

  /** Others get at least half as long as this one has computed. */
  async pause(ms: number): Promise<void> {
    const now = Date.now()
    const wait = Math.max(now + Math.ceil(ms / 2), turn) - now
    turn = now + wait + SLICE_MS * 1.5
    await pause(wait)
    this.#rested()
    if (this.#signal.aborted) this.end(STOPPED)
  }

  /** Between two steps that are not the library's own: at each use of the file system. */
  async breathe(): Promise<void> {
    this.#count(this.#given)
    this.#stretch = 0
    if (this.#due) await this.pause(this.#busy)
    if (this.#over !== undefined) throw new ShellOver(this.#over)
  }

  /** For what is done after the line ended: it counts as if it was done here. Others have their turn at the next use of the file system. */
  pay(steps: number): void {
    this.#add(steps)
    this.#due ||= this.#unrested >= SLICE_STEPS
  }

  /** Waiting is no computing. */
  async waitFor<T>(work: Promise<T>): Promise<T> {
    const begun = Date.now()
    try {
      return await work
    } finally {
      this.#seen += Date.now() - begun
    }
  }

  #rested(): void {
    this.#seen = Date.now()
    this.#busy = 0
    this.#stretch = 0
    this.#unrested = 0
    this.#due = false
  }

  end(why: string): void {
    this.#over ??= why
  }

  /** A listener or a timer of a line that is over may end by itself: an error thrown there would reach no one. All else ends at its next rest. */
  #wind(why: string): void {
    this.#due = true
    if (this.#late++ === 0) later(() => (this.#late = 0), 0)
    if (this.#late > LATE) throw new ShellOver(why)
  }

  #add(steps: number): void {
    this.#steps += steps
    this.#unrested += steps
    computed.steps += steps
    computed.longest = Math.max(computed.longest, this.#unrested)
    if (this.#steps > MOST_STEPS) this.end(TOO_MUCH)
  }

  #count(left: number): number {
    const used = Math.max(0, this.#given - left)
    // An error that is thrown below gives none, so the next step looks again.
    this.#given = 0
    this.#add(used)
    const now = Date.now()
    const passed = now - this.#seen
    this.#seen = now
    // Between two looks there is a little work. Longer, the machine did something else, unless it was very long.
    this.#busy += passed > LONG_MS ? passed : Math.min(passed, GAP_MS * (1 + used / LOOK))
    this.#due = this.#busy >= SLICE_MS || this.#unrested >= SLICE_STEPS
    return used
  }
}

const TOO_LONG =
  "this computes for too long without a pause: give it less at a time (fewer or shorter lines, a simpler pattern), in several commands if needed"
const STOPPED = "it was stopped"
const TOO_MUCH = "the command line computes more than one call may: narrow its input, or split it over several calls"
