// Finds the turns of a step in which a model was called [K19], and the place of each request in the journal.

import type { FactOf, RunEvent } from "../event.ts"
import { passOf } from "../key.ts"
import type { NoCut } from "./cut.ts"

/** A turn of a step; by default the latest turn of the latest pass. */
export interface TurnPlace {
  readonly step: string
  readonly pass?: number
  readonly turn?: number
}

export type ReplyEvent = FactOf<"model.replied"> & Pick<RunEvent, "seq" | "at">

export interface FoundTurn {
  readonly pass: number
  readonly turn: number
  /** The event in which the call began that was answered; of a turn without an answer, the latest call. */
  readonly begun: number
  /** When it began (ms). */
  readonly at: number
  readonly key: string
  readonly reply?: ReplyEvent
}

export type TurnFound =
  | { readonly ok: true; readonly found: FoundTurn }
  | { readonly ok: false; readonly why: Extract<NoCut, { there: unknown }> }

/** Reads a journal's events in order, then finds turns. Linear in the journal's length. */
export class TurnFinder {
  readonly #place: TurnPlace
  readonly #opened = new Set<string>()
  readonly #skipped = new Set<string>()
  /** Pass → turn → its call. */
  readonly #passes = new Map<number, Map<number, FoundTurn>>()

  constructor(place: TurnPlace) {
    this.#place = place
  }

  take(e: RunEvent): void {
    if (e.type === "step.opened") this.#opened.add(e.step)
    if (e.type === "step.skipped") this.#skipped.add(e.step)
    if (!("step" in e) || e.step !== this.#place.step) return
    if (e.type === "step.opened") this.#passes.set(e.pass, new Map())
    if (e.type === "action.begun" && e.kind === "model") {
      const turns = this.#passes.get(passOf(e.key))
      const turn = Number(e.key.split("/")[2])
      // A turn is answered once: a call that begins later is of another turn.
      if (turns && turns.get(turn)?.reply === undefined) turns.set(turn, { pass: passOf(e.key), turn, begun: e.seq, at: e.at, key: e.key })
    }
    if (e.type !== "model.replied") return
    const turns = this.#passes.get(e.pass)
    const asked = turns?.get(e.turn)
    // [K12] A reply that a person gave in the model's place has no request.
    if (asked && asked.reply === undefined && e.by === undefined) turns?.set(e.turn, { ...asked, reply: e })
    else if (e.by !== undefined) turns?.delete(e.turn)
  }

  find(): TurnFound {
    const { step } = this.#place
    if (!this.#opened.has(step))
      return no({ there: [...this.#opened], what: "step", ...(this.#skipped.has(step) ? { isSkipped: true } : {}) })
    const pass = this.#place.pass ?? Math.max(...this.#passes.keys())
    const turns = this.#passes.get(pass)
    if (!turns) return no({ there: [...this.#passes.keys()], what: "pass" })
    const turn = this.#place.turn ?? Math.max(...turns.keys(), 0)
    const found = turns.get(turn)
    return found ? { ok: true, found } : no({ there: [...turns.keys()], what: "turn", pass })
  }
}

const no = (why: Extract<NoCut, { there: unknown }>): TurnFound => ({ ok: false, why })
