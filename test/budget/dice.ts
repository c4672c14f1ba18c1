// Randomness that can be saved and resumed: a single number is its whole state (mulberry32).

export class Dice {
  state: number

  constructor(seed: number) {
    this.state = seed | 0
  }

  /** In [0, 1). */
  roll(): number {
    this.state = (this.state + 0x6d2b79f5) | 0
    let t = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}
