// The words that the obeying model knows, and what each makes it do. A word stands for an attacker's whole instruction: it is short and has
// only letters and digits, so that it survives wherever text can stand (a file name, a header, Markdown, JSON).

import type { JsonObject } from "../../src/core/json.ts"

export interface Call {
  readonly tool: string
  /** `{{PRIVATE}}` and `{{HANDLE}}` stand for what the conversation shows of them. */
  readonly args: JsonObject
}

export interface Order {
  /** Calls of one reply after another. */
  readonly turns: readonly (readonly Call[])[]
  /** Fields of the session's finish. */
  readonly finish?: JsonObject
  /** The word that a summary of the conversation has in its place. */
  readonly summary?: string
}

export const WORD = /obey[0-9a-f]{8}x/g

export class Orders {
  readonly #known = new Map<string, Order>()
  /** Words that have reached a prompt. */
  readonly seen = new Set<string>()
  #count = 0

  /** A fresh word without a meaning. */
  word(): string {
    this.#count++
    // Spread, so that no word is part of a number or a neighbor of another one.
    return `obey${(Math.imul(this.#count, 0x9e3779b1) >>> 0).toString(16).padStart(8, "0")}x`
  }

  teach(word: string, order: Order): string {
    this.#known.set(word, order)
    return word
  }

  /** A fresh word that means this. */
  say(turns: Order["turns"], finish?: JsonObject): string {
    return this.teach(this.word(), { turns, ...(finish === undefined ? {} : { finish }) })
  }

  meaning(word: string): Order | undefined {
    return this.#known.get(word)
  }
}
