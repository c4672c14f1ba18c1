// Dice: every choice of a simulation. A roll follows from the seed, from what is decided, and from how often that was decided before, so a roll that
// is left out moves no other one: that is what makes a failing schedule shrink.

export class Dice {
  readonly #seed: number
  readonly #rolled = new Map<string, number>()

  constructor(seed: number) {
    this.#seed = seed
  }

  /** In [0, 1). `kind`: what is decided. */
  roll(kind: string): number {
    const count = (this.#rolled.get(kind) ?? 0) + 1
    this.#rolled.set(kind, count)
    return uniform(this.#seed, kind, count)
  }

  /** How often this kind was decided: the number of its latest roll. */
  count(kind: string): number {
    return this.#rolled.get(kind) ?? 0
  }

  chance(kind: string, probability: number): boolean {
    return this.roll(kind) < probability
  }

  /** A whole number of [0, below). */
  below(kind: string, below: number): number {
    return Math.floor(this.roll(kind) * below)
  }

  pick<T>(kind: string, from: readonly T[]): T {
    const found = from[this.below(kind, from.length)]
    if (found === undefined && from.length === 0) throw new Error(`nothing to pick for ${kind}`)
    return found as T
  }
}

/** FNV-1a over the name, then the finalizer of MurmurHash3 for each number: equal on every machine. */
function uniform(seed: number, kind: string, count: number): number {
  let h = 0x811c9dc5
  for (let i = 0; i < kind.length; i++) h = Math.imul(h ^ kind.charCodeAt(i), 0x01000193)
  h = mixed(h ^ mixed(seed | 0))
  h = mixed(h ^ mixed(Math.floor(seed / 0x1_0000_0000) + 0x9e3779b9))
  const low = mixed(h ^ Math.imul(count, 0x85ebca6b))
  const high = mixed(low ^ 0xc2b2ae35)
  return ((low >>> 5) * 0x400_0000 + (high >>> 6)) / 0x20_0000_0000_0000
}

function mixed(from: number): number {
  let h = from
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return h ^ (h >>> 16)
}
