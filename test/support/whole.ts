// Work in pieces, all at once.

import type { Pieces } from "../../src/core/pieces.ts"

export function whole<T>(pieces: Pieces<T>): T {
  for (;;) {
    const step = pieces.next()
    if (step.done === true) return step.value
  }
}
