// Says how many rows an experiment needs before it can show that a change loses no more than a margin [V40].

/** The rule of three: of so many rows none of which lost, at most `margin` lose, 95 times in 100. */
export const leastRows = (margin: number): number => 3 / margin - 1e-9
