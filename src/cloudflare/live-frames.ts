// Transient frames [E2]: what a model is just saying and a tool is just doing, coalesced to at most 10 a second per step.
// Nothing is collected while nobody listens, so an object without readers holds no timer for them [J13].

import type { ContentPart } from "../core/run/event.ts"
import type { EventStream } from "./event-stream.ts"

const EVERY_MS = 100

export class LiveFrames {
  readonly #streams = new Set<EventStream>()
  readonly #texts = new Map<string, { turn: number; text: string }>()
  readonly #progress = new Map<string, string>()
  #timer: ReturnType<typeof setTimeout> | undefined

  add(stream: EventStream): void {
    this.#streams.add(stream)
  }
  remove(stream: EventStream): void {
    this.#streams.delete(stream)
  }
  get size(): number {
    return this.#streams.size
  }

  delta(step: string, turn: number, text: string): void {
    if (this.#streams.size === 0) return
    const held = this.#texts.get(step)
    this.#texts.set(step, { turn, text: held?.turn === turn ? held.text + text : text })
    this.#soon()
  }

  /** The newest partial result of a call replaces the one before it. */
  progress(step: string, callId: string, tool: string, content: readonly ContentPart[]): void {
    if (this.#streams.size === 0) return
    this.#progress.set(`${step}/${callId}`, frame("tool.progress", { step, callId, tool, content }))
    this.#soon()
  }

  /** Journaled events follow: what was said before them goes out before them. */
  wake(): void {
    this.#flush()
    for (const s of this.#streams) s.wake()
  }

  #soon(): void {
    this.#timer ??= setTimeout(() => this.#flush(), EVERY_MS)
  }

  #flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const frames = [...[...this.#texts].map(([step, t]) => frame("model.delta", { step, ...t })), ...this.#progress.values()]
    this.#texts.clear()
    this.#progress.clear()
    for (const f of frames) for (const s of this.#streams) s.transient(f)
  }
}

const frame = (event: string, data: object): string => `event: ${event}\ndata: ${JSON.stringify({ type: event, ...data })}\n\n`
