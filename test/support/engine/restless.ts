// Breath that never rests, for tests of what is computed and not of whose turn it is: a rest of 5 ms after each 10 ms would be half of the time
// of tens of thousands of short computations.

import { Breath } from "../../../src/ports/breath.ts"

export class Restless extends Breath {
  override async compute<T>(_work: number, piece: () => T): Promise<T> {
    return piece()
  }
  override async take(): Promise<void> {}
}
