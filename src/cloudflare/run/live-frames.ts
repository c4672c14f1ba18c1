// Transient frames [E2]: what a model is just saying and a tool is just doing, coalesced to at most 10 a second per step, besides what
// is left of a text when its step's next event is there.
// Nothing is collected while nobody listens, so an object without readers holds no timer for them [J13].

import type { ContentPart, RunEvent } from "../../core/run/event.ts"

const EVERY_MS = 100

/** Somebody who follows the run, or several at once. */
export interface LiveReader {
  /** Of how many readers it is the ear. */
  readonly size: number
  /** There is something new in the journal. */
  wake(): void
  /** A frame that is shown and not kept [E2]. */
  show(event: string, data: object): void
  /** The run is gone: what is read ends as it is. */
  end(): void
}

export class LiveFrames {
  readonly #readers = new Set<LiveReader>()
  readonly #texts = new Map<string, { turn: number; text: string }>()
  readonly #progress = new Map<string, { step: string; callId: string; tool: string; content: readonly ContentPart[] }>()
  #timer: ReturnType<typeof setTimeout> | undefined

  add(reader: LiveReader): void {
    this.#readers.add(reader)
  }
  remove(reader: LiveReader): void {
    this.#readers.delete(reader)
  }
  get size(): number {
    let size = 0
    for (const r of this.#readers) size += r.size
    return size
  }

  end(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#texts.clear()
    this.#progress.clear()
    for (const r of this.#readers) r.end()
  }

  delta(step: string, turn: number, text: string): void {
    if (this.size === 0) return
    const held = this.#texts.get(step)
    this.#texts.set(step, { turn, text: held?.turn === turn ? held.text + text : text })
    this.#soon()
  }

  /** The newest partial result of a call replaces the one before it. */
  progress(step: string, callId: string, tool: string, content: readonly ContentPart[]): void {
    if (this.size === 0) return
    this.#progress.set(`${step}/${callId}`, { step, callId, tool, content })
    this.#soon()
  }

  /** These are in the journal: what was said before them in their steps goes out before them, and what a call was doing its result tells. */
  wake(events: readonly RunEvent[]): void {
    for (const e of events) {
      if (e.type === "tool.returned" || e.type === "tool.refused" || e.type === "tool.uncertain")
        this.#progress.delete(`${e.step}/${e.callId}`)
      if ("step" in e && e.step !== undefined) this.#say(e.step)
    }
    for (const r of this.#readers) r.wake()
  }

  #soon(): void {
    this.#timer ??= setTimeout(() => this.#flush(), EVERY_MS)
  }

  /** One frame of each step; calls of one step take turns. */
  #flush(): void {
    this.#timer = undefined
    const shown = new Set<string>()
    for (const step of this.#texts.keys()) {
      this.#say(step)
      shown.add(step)
    }
    for (const [key, p] of this.#progress) {
      if (shown.has(p.step)) continue
      shown.add(p.step)
      this.#progress.delete(key)
      for (const r of this.#readers) r.show("tool.progress", p)
    }
    if (this.#progress.size > 0) this.#soon()
  }

  #say(step: string): void {
    const text = this.#texts.get(step)
    if (!text) return
    this.#texts.delete(step)
    for (const r of this.#readers) r.show("model.delta", { step, ...text })
  }
}
