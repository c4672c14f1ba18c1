// Faults: which of them a seed switches on, and whether one happens at a crossing. A fault has a number within its kind, so that a run can be
// repeated without it.

import type { Dice } from "./dice.ts"

/** What may happen, and how often at a place where it can. Each seed switches on about half of them. */
export const FAULTS = {
  /** A call between objects, or to a store: nothing arrives, and the caller hears that. */
  "lost call": 0.01,
  /** It was done, and the caller hears that the connection is lost. */
  "lost answer": 0.01,
  /** The same, of an error that says that the call may be repeated: the caller repeats it. */
  "call again": 0.01,
  /** A message takes seconds. */
  "slow message": 0.02,
  /** A message takes more than a minute: longer than a caller waits. */
  "stuck message": 0.002,
  /** Writes stay undurable for a while. */
  "slow commit": 0.1,
  "failed commit": 0.003,
  /** After an event, the object in which it happened is gone. */
  "aborted object": 0.004,
  /** With all objects of its isolate. */
  "aborted isolate": 0.0008,
  /** Everything at once. */
  "aborted service": 0.0001,
  /** An object that nobody calls leaves memory. */
  evicted: 0.02,
  "late alarm": 0.1,
  /** Minutes. */
  "very late alarm": 0.02,
  "alarm twice": 0.02,
  "stale read": 0.2,
  "refused connection": 0.02,
  "lost connection": 0.02,
  "cut stream": 0.02,
  "garbled stream": 0.01,
  "slow stream": 0.03,
  "server error": 0.03,
  "clock step": 0.002,
  /** Nothing can be written to an object for a while. Only seeds that are about it have it. */
  "full storage": 0,
} as const

/** How many kinds a seed switches on; and one that is about a few of them. */
const HALF = 0.5
const FEW = 0.25

export type Fault = keyof typeof FAULTS
export type Rates = Readonly<Partial<Record<Fault, number>>>

/** One that happened: `FAULT#NUMBER`. */
export type Happened = string

export interface FaultOptions {
  /** What this seed is about: these are switched on, and happen so often; few others are. */
  readonly rates?: Rates | undefined
  readonly without?: readonly Happened[]
  readonly only?: readonly Happened[] | undefined
  readonly told?: (fault: Happened) => void
}

export class Faults {
  readonly #dice: Dice
  readonly #rates: ReadonlyMap<Fault, number>
  readonly #without: ReadonlySet<Happened>
  readonly #only: ReadonlySet<Happened> | undefined
  readonly happened: Happened[] = []
  /** In a calm none happens. */
  isCalm = false
  readonly #told: (fault: Happened) => void

  /** `without`: these do not happen. `only`: no others do. */
  constructor(dice: Dice, { rates, without = [], only, told = () => {} }: FaultOptions = {}) {
    this.#dice = dice
    this.#told = told
    const kinds = Object.keys(FAULTS) as Fault[]
    const others = rates ? FEW : HALF
    const isOn = (kind: Fault): boolean => rates?.[kind] !== undefined || (dice.chance(`switch ${kind}`, others) && FAULTS[kind] > 0)
    this.#rates = new Map(kinds.filter(isOn).map((kind) => [kind, rates?.[kind] ?? FAULTS[kind]]))
    this.#without = new Set(without)
    this.#only = only && new Set(only)
  }

  get on(): readonly Fault[] {
    return [...this.#rates.keys()]
  }

  /** Whether this fault happens here. */
  of(fault: Fault): boolean {
    const rate = this.#rates.get(fault)
    if (rate === undefined || this.isCalm) return false
    if (!this.#dice.chance(fault, rate)) return false
    const name = `${fault}#${this.#dice.count(fault)}`
    if (this.#without.has(name) || this.#only?.has(name) === false) return false
    this.happened.push(name)
    this.#told(name)
    return true
  }
}
