// Groups spans into requests of limited size [N9]: by the number of spans and the characters of their content.

import type { Span } from "../../core/run/views/spans.ts"

/** Characters of a request's attributes; collectors take 4 MiB at least. */
const MAX_CHARS = 1_048_576 // limit: characters of what was said in a request of spans → the next request has the rest

export class SpanBatch {
  readonly #most: number
  #ready: Span[][] = []
  #open: Span[] = []
  #chars = 0

  constructor(most: number) {
    this.#most = most
  }

  add(spans: readonly Span[]): void {
    for (const span of spans) {
      const chars = sizeOf(span)
      if (this.#open.length === this.#most || (this.#open.length > 0 && this.#chars + chars > MAX_CHARS)) this.#close()
      this.#open.push(span)
      this.#chars += chars
    }
  }

  /** The requests that are full; `all`: also the last one. */
  take(all: boolean): Span[][] {
    if (this.#open.length >= this.#most || (all && this.#open.length > 0)) this.#close()
    const ready = this.#ready
    this.#ready = []
    return ready
  }

  #close(): void {
    this.#ready.push(this.#open)
    this.#open = []
    this.#chars = 0
  }
}

const sizeOf = ({ attributes }: Span): number =>
  Object.values(attributes).reduce<number>((sum, value) => sum + (typeof value === "string" ? value.length : 0), 0)
