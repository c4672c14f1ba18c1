// Tracks how much of each open turn was sent [P11], so that every character is sent once and in order. A piece that cannot be placed is
// skipped; the full text fills the gap.

export interface SpokenPiece {
  readonly step: string
  readonly turn: number
  readonly text: string
  /** The text of the turn so far, without its first `omitted` characters. */
  readonly whole?: true
  readonly omitted?: number
}

interface Turn {
  readonly turn: number
  /** Characters that were told. */
  told: number
  /** Characters that the pieces have reached. */
  at: number
}

export class SentText {
  readonly #turns = new Map<string, Turn>()
  /** Step → the last turn whose whole text was told. */
  readonly #whole = new Map<string, number>()

  /** The part of the piece to tell. */
  piece({ step, turn, text, whole, omitted = 0 }: SpokenPiece): string {
    if (turn <= (this.#whole.get(step) ?? -1)) return ""
    const open = this.#turnOf(step, turn)
    const from = whole === true ? omitted : open.at
    open.at = from + text.length
    if (from > open.told || open.at <= open.told) return ""
    const rest = text.slice(open.told - from)
    open.told = open.at
    return rest
  }

  /** The rest of a turn's text. */
  rest(step: string, turn: number, text: string): string {
    const open = this.#turnOf(step, turn)
    this.#turns.delete(step)
    this.#whole.set(step, turn)
    return text.slice(open.told)
  }

  /** The turn begins anew: its model is asked again. */
  forget(step: string): void {
    this.#turns.delete(step)
  }

  /** A pass begins: its turns count from 0. */
  opened(step: string): void {
    this.#turns.delete(step)
    this.#whole.delete(step)
  }

  #turnOf(step: string, turn: number): Turn {
    const known = this.#turns.get(step)
    if (known?.turn === turn) return known
    const open = { turn, told: 0, at: 0 }
    this.#turns.set(step, open)
    return open
  }
}
