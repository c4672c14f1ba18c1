// Buffers the text that models are writing for one reader [P11]: the part of each text that has arrived and is not sent yet.

import type { RunEvent } from "../event.ts"
import { SentText, type SpokenPiece } from "./sent-text.ts"
import { wholePieces } from "./text-pieces.ts"

interface Heard {
  /** Characters that were told. */
  before: number
  rest: string
}

export class LiveText {
  readonly #spoken = new SentText()
  readonly #heard = new Map<string, Heard>()

  hear(piece: SpokenPiece): void {
    const text = this.#spoken.piece(piece)
    const heard = this.#heard.get(piece.step)
    if (heard) heard.rest += text
    else if (text !== "") this.#heard.set(piece.step, { before: 0, rest: text })
  }

  /** The pieces of this step's text that are whole, each once. A text begins with its first character that is no space. */
  pieces(step: string): string[] {
    const heard = this.#heard.get(step)
    if (!heard || (heard.before === 0 && heard.rest.trim() === "")) return []
    const pieces = wholePieces(heard.rest, heard.before)
    const length = pieces.reduce((sum, piece) => sum + piece.length, 0)
    heard.before += length
    heard.rest = heard.rest.slice(length)
    return pieces
  }

  follow(e: RunEvent): void {
    switch (e.type) {
      case "model.replied":
        this.#spoken.rest(e.step, e.turn, "")
        this.#heard.delete(e.step)
        return
      case "model.failed":
      case "action.lost":
        if (e.type === "action.lost" && e.kind !== "model") return
        this.#spoken.forget(e.step)
        this.#heard.delete(e.step)
        return
      case "step.opened":
        this.#spoken.opened(e.step)
        this.#heard.delete(e.step)
        return
      default:
        return
    }
  }
}
