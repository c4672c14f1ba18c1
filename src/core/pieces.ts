// Splits long work into pieces [N4]: a generator yields the cost of each piece. Its caller lets others run in between (ports/breath.ts), so
// core needs no clock.

export type Pieces<T> = Generator<number, T, undefined>
