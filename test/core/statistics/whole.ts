import type { Pieces } from "../../../src/core/pieces.ts"

/** The result of work in pieces; `most`: no piece may cost more. */
export function whole<T>(pieces: Pieces<T>, most = Infinity): T {
  for (;;) {
    const step = pieces.next()
    if (step.done === true) return step.value
    if (step.value > most) throw new Error(`a piece costs ${step.value}`)
  }
}
