// Skips the parts of a text that cannot belong to a secret [T32], in one tight loop. The readings of secret-scan.ts begin only where a
// phrase or an escape may begin, so this covers nearly all text. The result is the same as without skipping: only units that change no
// reading are skipped, and none that depend on units that have not arrived yet.

import { namedEntity } from "./entities.ts"
import { fold, KELVIN } from "./fold.ts"
import type { PhraseTrie } from "./phrase-trie.ts"
import { hexDigit, shortEscape } from "./unescape.ts"
import { isBreak } from "./unwrap.ts"

const PERCENT = 0x25
const AMPERSAND = 0x26
const HASH = 0x23
const BACKSLASH = 0x5c
const SEMICOLON = 0x3b
const U = 0x75

/** Tells whether an escape may begin with this unit. */
export const isOpener = (unit: number): boolean => unit === PERCENT || unit === AMPERSAND || unit === BACKSLASH

/** Text that agrees with a phrase this far is read. Every phrase is longer, as no secret is shorter than 8. */
const AGREES = 4

/** The longest of the names of entities. */
const MOST_LETTERS = 7

export class FirstLook {
  readonly #trie: PhraseTrie
  /** ASCII unit → 1 if a phrase begins with it, 2 if an escape does. */
  readonly #kinds = new Uint8Array(128)
  /** For two ASCII units, a bit: whether the second may go on with what begins with the first. */
  readonly #pairs = new Int32Array(128 * 4)

  constructor(trie: PhraseTrie) {
    this.#trie = trie
    for (let unit = 0; unit < 128; unit++) {
      const node = trie.child(0, fold(unit))
      this.#kinds[unit] = isOpener(unit) ? 2 : node === 0 ? 0 : 1
      for (let next = 0; node !== 0 && next < 128; next++)
        if (isOpener(next) || isBreak(next) || trie.child(node, fold(next)) !== 0) this.#allow(unit, next)
    }
  }

  #allow(unit: number, next: number): void {
    const place = placeOf(unit, next)
    this.#pairs[place] = (this.#pairs[place] ?? 0) | (1 << (next & 31))
  }

  /** The first position from `at` that must be read; the text's length if there is none. */
  next(text: string, at: number): number {
    for (let i = at; ;) {
      i = this.#looked(text, i)
      if (i === text.length) return i
      const past = this.#past(text, i)
      if (past === i) return i
      i = past
    }
  }

  /** The first position from `at` where something may begin, by no more than two units. */
  #looked(text: string, at: number): number {
    const kinds = this.#kinds
    const pairs = this.#pairs
    const { isBeyondAscii } = this.#trie
    for (let i = at; i < text.length; i++) {
      const unit = text.charCodeAt(i)
      const kind = unit < 128 ? kinds[unit] : isBeyondAscii || unit === KELVIN ? 1 : 0
      if (kind === 0) continue
      const after = i + 1 < text.length ? text.charCodeAt(i + 1) : 128
      if (kind === 2 || unit >= 128 || after >= 128 || ((pairs[placeOf(unit, after)] ?? 0) >> (after & 31)) & 1) return i
    }
    return text.length
  }

  /** Where all readings are between secrets again after what may begin here; `at` if they must say. */
  #past(text: string, at: number): number {
    const unit = text.charCodeAt(at)
    if (!isOpener(unit)) return this.#begins(text, at) ? at : at + 1
    const end = this.#escapeEnd(text, at, unit)
    return end === 0 ? at : this.#calm(text, at, end)
  }

  /** Whether a phrase begins here, or the part of one that is before an escape, a line break, or the text's end. */
  #begins(text: string, at: number): boolean {
    let node = 0
    for (let i = at; i < at + AGREES; i++) {
      if (i === text.length) return true
      const unit = text.charCodeAt(i)
      if (i > at && (isOpener(unit) || isBreak(unit))) return true
      node = this.#trie.child(node, fold(unit))
      if (node === 0) return false
    }
    return true
  }

  /** Where what begins with this sign ends, if no phrase begins with what it stands for; 0: that is not certain. */
  #escapeEnd(text: string, at: number, sign: number): number {
    const unit = at + 1 < text.length ? text.charCodeAt(at + 1) : -1
    if (unit === -1 || isOpener(unit)) return 0
    if (sign === BACKSLASH) {
      const short = shortEscape(unit)
      return unit === U || (short !== undefined && this.#isFirst(short)) ? 0 : at + 2
    }
    if (sign === PERCENT) {
      const high = hexDigit(unit)
      if (high < 0) return at + 2
      const low = at + 2 < text.length ? hexDigit(text.charCodeAt(at + 2)) : -1
      const byte = high * 16 + low
      return low < 0 || byte >= 0x80 || isOpener(byte) || this.#isFirst(byte) ? 0 : at + 3
    }
    if (unit === HASH) return 0
    let i = at + 1
    while (i < text.length && i <= at + MOST_LETTERS && isLetter(text.charCodeAt(i))) i++
    if (i === at + 1) return at + 2
    const named = i < text.length && text.charCodeAt(i) === SEMICOLON ? namedEntity(text.slice(at + 1, i)) : undefined
    return named === undefined || named === PERCENT || named === BACKSLASH || this.#isFirst(named) ? 0 : i + 1
  }

  /** The end, or the first position after it, where no phrase is under way in the text as it stands; `at` if that must be read. */
  #calm(text: string, at: number, end: number): number {
    let node = 0
    for (let i = at; i < text.length; i++) {
      const unit = text.charCodeAt(i)
      if (i > at && (isOpener(unit) || isBreak(unit))) return node === 0 && i >= end ? i : at
      node = this.#trie.step(node, fold(unit))
      if (node === 0) {
        if (i + 1 >= end) return i + 1
      } else if (this.#trie.depth(node) >= AGREES) return at
    }
    return at
  }

  #isFirst(unit: number): boolean {
    return this.#trie.child(0, fold(unit)) !== 0
  }
}

const placeOf = (unit: number, next: number): number => unit * 4 + (next >> 5)

const isLetter = (unit: number): boolean => (unit | 0x20) >= 0x61 && (unit | 0x20) <= 0x7a
