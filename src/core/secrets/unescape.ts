// Decodes escapes one unit at a time, together with each unit's position in the original text [T32].
//
// Text that is not an escape passes unchanged, and nothing is ever an error. A decoder holds back the start of an escape until it is
// decided.

/** Receives a UTF-16 unit and the part of the text that it represents. */
export type Sink = (unit: number, from: number, to: number) => void

export interface Decoder {
  readonly feed: Sink
  /** The text has ended: the units held back are not an escape. */
  end(): void
  /** Where the text held back starts; Infinity: nothing is held back. */
  since(): number
  /** Whether the next units mean what they would mean at the start of a text. */
  isIdle(): boolean
}

interface Piece {
  readonly unit: number
  readonly from: number
  readonly to: number
}

const NOTHING = Number.POSITIVE_INFINITY
const PERCENT = 0x25
const BACKSLASH = 0x5c
const U = 0x75
const SHORT: ReadonlyMap<number, number> = new Map(
  Object.entries({ '"': '"', "\\": "\\", "/": "/", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" }).map(([letter, char]) => [
    letter.charCodeAt(0),
    char.charCodeAt(0),
  ]),
)

/** The character that a backslash and this letter stand for in JSON. */
export const shortEscape = (letter: number): number | undefined => SHORT.get(letter)

/** Decodes `\n`, `\"`, `\/`, `\u00e9`. */
export function jsonDecoder(sink: Sink): Decoder {
  const held: Piece[] = []
  let code = 0
  const release = (): void => {
    for (const piece of held.splice(0)) sink(piece.unit, piece.from, piece.to)
  }
  const feed: Sink = (unit, from, to) => {
    const [opening] = held
    if (!opening) {
      if (unit === BACKSLASH) held.push({ unit, from, to })
      else sink(unit, from, to)
    } else if (held.length === 1) {
      const short = SHORT.get(unit)
      if (short !== undefined) {
        held.length = 0
        sink(short, opening.from, to)
      } else if (unit === U) {
        code = 0
        held.push({ unit, from, to })
      } else {
        release()
        sink(unit, from, to)
      }
    } else {
      const digit = hexDigit(unit)
      if (digit < 0) {
        release()
        feed(unit, from, to)
      } else if (held.length < 5) {
        code = code * 16 + digit
        held.push({ unit, from, to })
      } else {
        held.length = 0
        sink(code * 16 + digit, opening.from, to)
      }
    }
  }
  return { feed, end: release, since: () => held[0]?.from ?? NOTHING, isIdle: () => held.length === 0 }
}

/** Decodes `%2F`, and characters in UTF-8 of several such bytes. */
export function percentDecoder(sink: Sink): Decoder {
  // `bytes` holds the complete bytes of an incomplete character, `held` the start of the next escape.
  const bytes: Piece[] = []
  const held: Piece[] = []
  let code = 0
  let missing = 0
  const release = (pieces: Piece[]): void => {
    for (const piece of pieces.splice(0)) sink(piece.unit, piece.from, piece.to)
  }
  const broken = (): void => {
    missing = 0
    release(bytes)
  }
  const byte = (value: number, escape: readonly Piece[]): void => {
    const from = (bytes[0] ?? escape[0])?.from ?? 0
    const to = escape.at(-1)?.to ?? 0
    if (missing > 0 && (value & 0xc0) === 0x80) {
      code = (code << 6) | (value & 63)
      bytes.push(...escape)
      missing--
      if (missing > 0) return
      bytes.length = 0
      for (const unit of unitsOf(code)) sink(unit, from, to)
      return
    }
    broken()
    if (value < 0x80) sink(value, escape[0]?.from ?? 0, to)
    else {
      missing = value >= 0xf0 ? 3 : value >= 0xe0 ? 2 : value >= 0xc0 ? 1 : 0
      code = value & (0x3f >> missing)
      bytes.push(...escape)
      if (missing === 0) broken()
    }
  }
  const feed: Sink = (unit, from, to) => {
    if (held.length === 0) {
      if (unit === PERCENT) held.push({ unit, from, to })
      else {
        if (missing > 0) broken()
        sink(unit, from, to)
      }
      return
    }
    const digit = hexDigit(unit)
    if (digit < 0) {
      broken()
      release(held)
      feed(unit, from, to)
      return
    }
    held.push({ unit, from, to })
    if (held.length < 3) return
    const escape = held.splice(0)
    byte(hexDigit(escape[1]?.unit ?? 0) * 16 + digit, escape)
  }
  const end = (): void => {
    broken()
    release(held)
  }
  return { feed, end, since: () => bytes[0]?.from ?? held[0]?.from ?? NOTHING, isIdle: () => bytes.length + held.length === 0 }
}

export function hexDigit(unit: number): number {
  if (unit >= 0x30 && unit <= 0x39) return unit - 0x30
  const letter = unit | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1
}

/** The UTF-16 units of a code point; an invalid one becomes the replacement character. */
export function unitsOf(code: number): number[] {
  if (code < 0x10000) return [code]
  return code > 0x10ffff ? [0xfffd] : [0xd800 + ((code - 0x10000) >> 10), 0xdc00 + ((code - 0x10000) & 0x3ff)]
}
