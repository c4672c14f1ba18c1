// One piece of work after another, in the order asked. Input gates hold other events back only while storage is read or
// written; a put to R2 in between lets them in, and this does not [F71].

export type InTurn = <T>(work: () => Promise<T>) => Promise<T>

/** Work that fails rejects its own promise and holds nobody up. */
export function inTurn(): InTurn {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const mine = last.then(work)
    last = mine.catch(() => undefined)
    return mine
  }
}
