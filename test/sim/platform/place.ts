// Place: whose code runs: an object's life, or an invocation of the Worker. What is on its way to a place that is gone never arrives.

/** An isolate: the Worker's modules with state of their own, and a clock. */
export interface Machine {
  readonly name: string
  readonly exports: Readonly<Record<string, unknown>>
  /** Milliseconds that its clock is ahead of the service's. */
  skew: number
  isGone: boolean
}

/** Lets a message leave now, or when what was written before it is durable. */
export type Gate = (send: () => void) => void

export class Place {
  readonly label: string
  readonly machine: Machine
  readonly leave: Gate
  #isGone = false
  readonly #ends = new Set<() => void>()

  constructor(label: string, machine: Machine, leave: Gate = (send) => send()) {
    this.label = label
    this.machine = machine
    this.leave = leave
  }

  get isGone(): boolean {
    return this.#isGone || this.machine.isGone
  }

  /** Is called once when the place goes. Returns a function that takes this back. */
  onEnd(end: () => void): () => void {
    this.#ends.add(end)
    return () => void this.#ends.delete(end)
  }

  end(): void {
    if (this.#isGone) return
    this.#isGone = true
    const ends = [...this.#ends]
    this.#ends.clear()
    for (const end of ends) end()
  }
}
