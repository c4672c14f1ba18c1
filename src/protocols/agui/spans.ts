// Resumes open reasoning when a run's stream breaks [P11, P19]: the next stream sends it from its beginning, and the client gets each
// character once.

type Data = Readonly<Record<string, unknown>>

interface Span {
  told: number
  /** Characters that come again. */
  skip: number
}

export class Spans {
  readonly #open = new Map<unknown, Span>()

  /** undefined: the client has it. */
  next(data: Data): Data | undefined {
    const { type, messageId, delta } = data
    const known = this.#open.get(messageId)
    if (type === "REASONING_START") {
      if (known) known.skip = known.told
      else this.#open.set(messageId, { told: 0, skip: 0 })
      return known ? undefined : data
    }
    if (!known) return data
    if (type === "REASONING_END") this.#open.delete(messageId)
    // The first one of a span comes before its first text.
    if (type === "REASONING_MESSAGE_START") return known.told > 0 ? undefined : data
    if (type !== "REASONING_MESSAGE_CONTENT" || typeof delta !== "string") return data
    const rest = delta.slice(known.skip)
    known.skip = Math.max(0, known.skip - delta.length)
    known.told += rest.length
    return rest === "" ? undefined : { ...data, delta: rest }
  }
}
