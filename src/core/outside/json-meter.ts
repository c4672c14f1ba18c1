// Counts the values and levels of JSON while its bytes arrive, before a library parses them in one step [N4]: a remote server chooses what
// it sends, and 8 MB of empty lists take half a second to parse and as long to check.

import { MOST_LEVELS } from "../json.ts"

/** Around what a server says: the message, its result, a list, an item. */
const AROUND = 8

const [QUOTE, COMMA, BACKSLASH, NEW_LINE, OPEN_LIST, OPEN_OBJECT, CLOSE_LIST, CLOSE_OBJECT] = [
  0x22, 0x2c, 0x5c, 0x0a, 0x5b, 0x7b, 0x5d, 0x7d,
]

export interface ValuesLeft {
  readonly most: number
  left: number
}

export class JsonMeter {
  readonly #values: ValuesLeft
  readonly #events: boolean
  #levels = 0
  #isText = false
  #isEscaped = false
  #wasBreak = false

  /** `values`: how many may still come, shared by several answers. `events`: a blank line ends one message and begins the next. */
  constructor(values: ValuesLeft, events: boolean) {
    this.#values = values
    this.#events = events
  }

  /** The next bytes; a text: why they are too much. */
  take(bytes: Uint8Array): string | undefined {
    for (const byte of bytes) {
      if (byte === NEW_LINE) {
        // No text of JSON has a line break, so a quote in a comment between events counts for its line only.
        this.#isText = this.#isEscaped = false
        if (this.#events && this.#wasBreak) this.#levels = 0
        this.#wasBreak = true
        continue
      }
      if (byte !== 0x0d) this.#wasBreak = false
      if (this.#isText) {
        if (this.#isEscaped) this.#isEscaped = false
        else if (byte === BACKSLASH) this.#isEscaped = true
        else if (byte === QUOTE) this.#isText = false
        continue
      }
      if (byte === QUOTE) this.#isText = true
      else if (byte === COMMA) this.#values.left--
      else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
        this.#values.left--
        if (++this.#levels > MOST_LEVELS + AROUND) return `is nested deeper than ${MOST_LEVELS} levels`
      } else if ((byte === CLOSE_LIST || byte === CLOSE_OBJECT) && this.#levels > 0) this.#levels--
    }
    return this.#values.left < 0 ? `has more than ${this.#values.most} values` : undefined
  }
}
