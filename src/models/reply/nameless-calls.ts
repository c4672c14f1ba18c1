// Holds pieces of calls until their name arrives [M1], which the library's tracker needs first: some servers send the name after the first
// pieces, and some do not number calls.

export interface CallPiece {
  readonly index?: number | undefined
  readonly id?: string | undefined
  readonly name?: string | undefined
  readonly args?: string | undefined
}

interface Waiting {
  readonly index: number | undefined
  readonly id: string | undefined
  readonly args: string
}

export class NamelessCalls {
  readonly #waiting: Waiting[] = []
  /** Calls that have their name, by number and by id. */
  readonly #named = new Set<number | string>()
  /** A piece without a number and an id goes on with a call that has its name. */
  #hasNamed = false

  /** What the tracker gets of this piece; undefined: it waits. */
  take(piece: CallPiece): CallPiece | undefined {
    const { index, name, args = "" } = piece
    const id = piece.id?.trim() === "" ? undefined : piece.id
    const isBlank = name !== undefined && name.trim() === ""
    const at = this.#waiting.findLastIndex((one) => one.index === index && (index !== undefined || isSame(one.id, id)))
    const before = this.#waiting[at]
    if (name === undefined && before) this.#waiting[at] = { index, id: before.id ?? id, args: before.args + args }
    else if (name === undefined && !this.#goesOn(index, id)) this.#waiting.push({ index, id, args })
    // Without a number nothing says that a name without letters is the one that is waited for.
    else if (!before || (isBlank && index === undefined)) return this.#passed(piece, id)
    else {
      this.#waiting.splice(at, 1)
      return this.#passed({ index, id: before.id ?? piece.id, name, args: before.args + args }, before.id ?? id)
    }
    return undefined
  }

  #passed(piece: CallPiece, id: string | undefined): CallPiece {
    for (const key of [piece.index, id]) if (key !== undefined) this.#named.add(key)
    this.#hasNamed ||= piece.name !== undefined
    return piece
  }

  #goesOn(index: number | undefined, id: string | undefined): boolean {
    if (index !== undefined) return this.#named.has(index)
    return id === undefined ? this.#hasNamed : this.#named.has(id)
  }

  /** At the end of the stream: calls that never got a name. */
  rest(): readonly CallPiece[] {
    return this.#waiting.splice(0)
  }
}

const isSame = (a: string | undefined, b: string | undefined): boolean => a === undefined || b === undefined || a === b
