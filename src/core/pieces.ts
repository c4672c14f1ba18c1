// Long work in pieces [N4]: a generator says after each piece how much work it was. Who drives it lets others have a turn in between
// (ports/breath.ts), so that core computes without a clock.

export type Pieces<T> = Generator<number, T, undefined>
