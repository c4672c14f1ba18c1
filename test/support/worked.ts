// Work in pieces, all at once: its value, how many pieces it took, and the most work of one.

import type { Pieces } from "../../src/core/pieces.ts"

export function worked<T>(pieces: Pieces<T>): { readonly value: T; readonly count: number; readonly most: number } {
  for (let count = 1, most = 0; ; count++) {
    const step = pieces.next()
    if (step.done === true) return { value: step.value, count, most }
    most = Math.max(most, step.value)
  }
}
