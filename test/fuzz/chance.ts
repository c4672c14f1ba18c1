// A case is made from dice, and the dice from the seed and the case's name: a case is the same whatever ran before it.

import { createHash } from "node:crypto"
import { Dice } from "../budget/dice.ts"

export class Chance {
  readonly #dice: Dice

  constructor(...named: readonly (string | number)[]) {
    this.#dice = new Dice(createHash("sha256").update(named.join("\n")).digest().readInt32LE(0))
  }

  below(most: number): number {
    return Math.floor(this.#dice.roll() * most)
  }

  /** True this many times in a hundred. */
  percent(n: number): boolean {
    return this.#dice.roll() * 100 < n
  }

  of<T>(all: readonly [T, ...T[]] | readonly T[]): T {
    const one = all[this.below(all.length)]
    if (one === undefined && all.length === 0) throw new Error("nothing to choose from")
    return one as T
  }

  some<T>(all: readonly T[], percent: number): T[] {
    return all.filter(() => this.percent(percent))
  }
}
