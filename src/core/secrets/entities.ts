// Decodes HTML entities one unit at a time [T32]: numeric forms as any encoder writes them, and the names of ASCII characters.

import { hexDigit, unitsOf, type Decoder, type Sink } from "./unescape.ts"

const AMPERSAND = 0x26
const HASH = 0x23
const SEMICOLON = 0x3b
const X = 0x78
/** `&#x0010FFFF;` and more zeros than encoders write; a longer one is taken as text. */
const LONGEST = 16 // limit: characters of an HTML entity → a longer one is text

const NAMED: ReadonlyMap<string, number> = new Map(
  Object.entries({
    amp: "&",
    lt: "<",
    gt: ">",
    quot: '"',
    apos: "'",
    nbsp: "\u00a0",
    Tab: "\t",
    NewLine: "\n",
    excl: "!",
    num: "#",
    dollar: "$",
    percnt: "%",
    lpar: "(",
    rpar: ")",
    ast: "*",
    plus: "+",
    comma: ",",
    period: ".",
    sol: "/",
    colon: ":",
    semi: ";",
    equals: "=",
    quest: "?",
    commat: "@",
    lsqb: "[",
    lbrack: "[",
    bsol: "\\",
    rsqb: "]",
    rbrack: "]",
    Hat: "^",
    lowbar: "_",
    grave: "`",
    lcub: "{",
    lbrace: "{",
    verbar: "|",
    vert: "|",
    rcub: "}",
    rbrace: "}",
    tilde: "~",
  }).map(([name, char]) => [name, char.charCodeAt(0)]),
)

/** Decodes `&#115;`, `&#x73;`, `&#0115` before anything but a digit, and `&sol;`. */
export function entityDecoder(sink: Sink): Decoder {
  let held: { readonly unit: number; readonly from: number; readonly to: number }[] = []
  const release = (): void => {
    const pieces = held
    held = []
    for (const { unit, from, to } of pieces) sink(unit, from, to)
  }
  /** Sends what the held units stand for; false: they stand for themselves. `upTo`: the end of the entity. */
  const decoded = (upTo: number): boolean => {
    const from = held[0]?.from ?? 0
    const text = String.fromCharCode(...held.map((piece) => piece.unit))
    const units = text[1] === "#" ? numbered(text.slice(2)) : named(text.slice(1))
    if (units === undefined) return false
    held = []
    for (const unit of units) sink(unit, from, upTo)
    return true
  }
  const feed: Sink = (unit, from, to) => {
    if (held.length === 0) {
      if (unit === AMPERSAND) held.push({ unit, from, to })
      else sink(unit, from, to)
    } else if (unit === SEMICOLON && decoded(to)) return
    else if (held.length < LONGEST && goesOn(held, unit)) held.push({ unit, from, to })
    else {
      // HTML also reads a number without its semicolon.
      if (held[1]?.unit !== HASH || !decoded(held.at(-1)?.to ?? 0)) release()
      feed(unit, from, to)
    }
  }
  const end = (): void => {
    if (held.length > 0 && (held[1]?.unit !== HASH || !decoded(held.at(-1)?.to ?? 0))) release()
  }
  return { feed, end, since: () => held[0]?.from ?? Number.POSITIVE_INFINITY, isIdle: () => held.length === 0 }
}

function goesOn(held: readonly { readonly unit: number }[], unit: number): boolean {
  if (held.length === 1) return unit === HASH || isLetter(unit)
  if (held[1]?.unit !== HASH) return isLetter(unit)
  if (held.length === 2 && (unit | 0x20) === X) return true
  const isHex = ((held[2]?.unit ?? 0) | 0x20) === X
  return isHex ? hexDigit(unit) >= 0 : unit >= 0x30 && unit <= 0x39
}

const isLetter = (unit: number): boolean => (unit | 0x20) >= 0x61 && (unit | 0x20) <= 0x7a

function numbered(digits: string): number[] | undefined {
  const isHex = digits.startsWith("x") || digits.startsWith("X")
  const number = isHex ? digits.slice(1) : digits
  return number === "" ? undefined : unitsOf(Number.parseInt(number, isHex ? 16 : 10))
}

export const namedEntity = (name: string): number | undefined => NAMED.get(name)

function named(name: string): number[] | undefined {
  const unit = namedEntity(name)
  return unit === undefined ? undefined : [unit]
}
