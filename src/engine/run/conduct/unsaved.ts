// Holds decisions that are not in the journal yet, and writes them together in one commit.

import { defined } from "../../../core/defined.ts"
import type { RunEvent } from "../../../core/run/event.ts"
import type { Commit, Prefix, SealedState } from "../../../ports/journal.ts"
import type { FileChange } from "../../../ports/workspace.ts"

/** More than this is not held back: a crash decides it again, and a reader of one event reads its whole row. */
const MAX_EVENTS = 256 // limit: events that wait for one commit → they are stored
const MAX_CHARS = 64_000 // limit: characters of the events that wait for one commit → they are stored

export class Unsaved {
  #events: RunEvent[] = []
  #texts: string[] = []
  #cuts: number[] = []
  #files: FileChange[] = []
  #states: SealedState[] = []
  #prefix: Prefix | undefined
  #after = 0
  #chars = 0

  get isEmpty(): boolean {
    return this.#events.length === 0
  }

  /** Enough for a commit of its own. */
  get isLarge(): boolean {
    return this.#events.length >= MAX_EVENTS || this.#chars >= MAX_CHARS
  }

  /** Adds a decision. It follows the ones before it without a gap. */
  add({ events, texts = [], cuts = [], after, files = [], states = [], prefix }: Commit): void {
    if (this.isEmpty) this.#after = after
    for (const text of texts) this.#chars += text.length
    this.#events.push(...events)
    this.#texts.push(...texts)
    this.#cuts.push(...cuts)
    this.#files.push(...files)
    this.#states.push(...states)
    this.#prefix ??= prefix
  }

  /** All of it as one commit. */
  take(): Commit {
    const entry: Commit = {
      events: this.#events,
      texts: this.#texts,
      cuts: this.#cuts,
      after: this.#after,
      isChained: true,
      ...(this.#files.length > 0 ? { files: this.#files } : {}),
      ...(this.#states.length > 0 ? { states: this.#states } : {}),
      ...defined({ prefix: this.#prefix }),
    }
    this.clear()
    return entry
  }

  clear(): void {
    this.#events = []
    this.#texts = []
    this.#cuts = []
    this.#files = []
    this.#states = []
    this.#prefix = undefined
    this.#chars = 0
  }
}
