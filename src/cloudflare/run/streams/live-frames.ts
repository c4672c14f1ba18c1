// Sends transient frames [E2]: a model's partial text and a tool's progress, coalesced to at most 10 per second and step, plus the rest of
// a text when the next event of its step arrives. Without readers no frame is collected, so such an object has no timer for frames [J13].
// The text of an open turn is kept for a reader who joins late or comes back: its newest characters, in memory only.

import type { ContentPart } from "../../../core/run/event-parts.ts"
import type { RunEvent } from "../../../core/run/event.ts"
import { later } from "../../../ports/timers.ts"

const EVERY_MS = 100
/** Limit: characters of a running turn that a late reader gets → the oldest are left out, and counted. */
export const MAX_SO_FAR = 64 * 1024
/** Limit: steps whose running turns are kept for late readers → a late reader gets the text of the others from then on. */
const MAX_OPEN_TURNS = 32

/** The text of an open turn so far. It replaces what a reader has of that turn. `omitted`: the number of missing characters at its beginning. */
export interface TextSoFar {
  readonly step: string
  readonly turn: number
  readonly text: string
  readonly whole: true
  readonly omitted?: number
}

/** After these, a step has no partial text: it has said all of it, or says it again. */
const ENDS_TURN: ReadonlySet<RunEvent["type"]> = new Set<RunEvent["type"]>([
  "model.replied",
  "model.failed",
  "action.lost",
  "step.opened",
  "step.finished",
  "step.skipped",
  "step.reopened",
])

/** One or more readers that follow the run. */
export interface LiveReader {
  /** The number of readers behind this object. */
  readonly size: number
  /** The journal has new events. */
  wake(): void
  /** Sends a frame that is not stored [E2]. */
  show(event: string, data: object): void
  /** The run is deleted: the reader's stream ends. */
  end(): void
}

export class LiveFrames {
  readonly #readers = new Set<LiveReader>()
  readonly #texts = new Map<string, { turn: number; text: string }>()
  /** Step → what its open turn has said, including what is not sent yet. */
  readonly #open = new Map<string, { turn: number; text: string; omitted: number }>()
  readonly #progress = new Map<string, { step: string; callId: string; tool: string; content: readonly ContentPart[] }>()
  /** Set while a flush is due. */
  #cancel: (() => void) | undefined

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
    this.#cancel?.()
    this.#cancel = undefined
    this.#texts.clear()
    this.#open.clear()
    this.#progress.clear()
    for (const r of this.#readers) r.end()
  }

  delta(step: string, turn: number, text: string): void {
    this.#keep(step, turn, text)
    if (this.size === 0) return
    const pending = this.#texts.get(step)
    this.#texts.set(step, { turn, text: pending?.turn === turn ? pending.text + text : text })
    this.#soon()
  }

  /** What the open turns have said to readers so far; the rest follows in frames. */
  soFar(): TextSoFar[] {
    return [...this.#open].flatMap(([step, { turn, text: all, omitted }]) => {
      const unsent = this.#texts.get(step)?.text.length ?? 0
      const text = all.slice(0, Math.max(0, all.length - unsent))
      return text === "" ? [] : [{ step, turn, text, whole: true as const, ...(omitted === 0 ? {} : { omitted }) }]
    })
  }

  #keep(step: string, turn: number, text: string): void {
    const known = this.#open.get(step)
    if (known === undefined && this.#open.size >= MAX_OPEN_TURNS) return
    const open = known?.turn === turn ? known : { turn, text: "", omitted: 0 }
    this.#open.set(step, open)
    open.text += text
    // Cut at twice the limit, so that the work stays linear.
    if (open.text.length < 2 * MAX_SO_FAR) return
    open.omitted += open.text.length - MAX_SO_FAR
    open.text = open.text.slice(-MAX_SO_FAR)
  }

  /** A call's newest partial result replaces the previous one. */
  progress(step: string, callId: string, tool: string, content: readonly ContentPart[]): void {
    if (this.size === 0) return
    this.#progress.set(`${step}/${callId}`, { step, callId, tool, content })
    this.#soon()
  }

  /** Call when `events` are in the journal. Sends pending text of their steps first, and drops the progress of calls that have a result. */
  wake(events: readonly RunEvent[]): void {
    for (const e of events) {
      if (e.type === "tool.returned" || e.type === "tool.refused" || e.type === "tool.uncertain")
        this.#progress.delete(`${e.step}/${e.callId}`)
      if ("step" in e && e.step !== undefined) this.#say(e.step)
      if (ENDS_TURN.has(e.type) && "step" in e && e.step !== undefined) this.#open.delete(e.step)
    }
    for (const r of this.#readers) r.wake()
  }

  #soon(): void {
    this.#cancel ??= later(() => this.#flush(), EVERY_MS)
  }

  /** Sends one frame per step; several calls of one step take turns. */
  #flush(): void {
    this.#cancel = undefined
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
