// Runs one task at a time, in the order of the calls. Input gates block other events only during storage reads and writes, so an R2 put in
// between lets them in; this does not [F71].

export type InTurn = <T>(work: () => Promise<T>) => Promise<T>

/** Failed work rejects its own promise and does not block later work. */
export function inTurn(): InTurn {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const mine = last.then(work)
    last = mine.catch(() => undefined)
    return mine
  }
}
