// Draws numbers from a seed [V37]: sfc32 of Chris Doty-Humphrey's PractRand. Whole numbers of 32 bits, so every machine draws the same.

const WARM_UP = 12
const WORDS = 4_294_967_296

export class Draws {
  #a: number
  #b: number
  #c: number
  #counter = 1

  /** `seed`: hex digits, of which the first 24 count. */
  constructor(seed: string) {
    const word = (i: number): number => parseInt(seed.slice(8 * i, 8 * i + 8).padEnd(8, "0"), 16) | 0
    this.#a = word(0)
    this.#b = word(1)
    this.#c = word(2)
    this.fill(new Int32Array(WARM_UP), 1)
  }

  /** Fills with whole numbers from 0 to below `below`. The state is local meanwhile: that is ten times as fast. */
  fill(drawn: Int32Array, below: number): void {
    let [a, b, c, counter] = [this.#a, this.#b, this.#c, this.#counter]
    for (let i = 0; i < drawn.length; i++) {
      const sum = (((a + b) | 0) + counter) | 0
      counter = (counter + 1) | 0
      a = b ^ (b >>> 9)
      b = (c + (c << 3)) | 0
      c = (((c << 21) | (c >>> 11)) + sum) | 0
      // Lemire's multiplication: exact in a double up to 2^21, and its bias is below one in 2^22 for a thousand units.
      drawn[i] = ((sum >>> 0) * below) / WORDS
    }
    this.#a = a
    this.#b = b
    this.#c = c
    this.#counter = counter
  }
}
