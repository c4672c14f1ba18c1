// The scan as it was before the first look: it reads every unit. The oracle of the scan that skips what cannot matter [T32].
//
// Finds secrets in a text that arrives in pieces, and tracks how much of it is decided.
//
// The text is read in several ways at once, in any case: unchanged; with JSON, percent and HTML escapes decoded, alone and nested; and with
// its lines joined. A further reading begins where something opens it (a backslash, a percent sign) and ends where it has become the same as
// the reading that it began from. So a text without escapes is read once, and all of them bounded times.

import { fold } from "../../../src/core/secrets/fold.ts"
import type { SecretSpan } from "../../../src/core/secrets/secret-scan.ts"
import { entityDecoder } from "../../../src/core/secrets/entities.ts"
import type { PhraseTrie } from "../../../src/core/secrets/phrase-trie.ts"
import { jsonDecoder, percentDecoder, type Decoder, type Sink } from "../../../src/core/secrets/unescape.ts"
import { isBreak, lineJoiner } from "../../../src/core/secrets/unwrap.ts"

/** A way to read on, and the ways to read what it gives. */
interface Way {
  readonly opens: (unit: number) => boolean
  readonly decoder: (sink: Sink) => Decoder
  readonly next: readonly Way[]
  /** Between secrets it changes nothing. */
  readonly inside?: true
}

const is =
  (sign: number) =>
  (unit: number): boolean =>
    unit === sign
const percent = (...next: Way[]): Way => ({ opens: is(0x25), decoder: percentDecoder, next })
const json = (...next: Way[]): Way => ({ opens: is(0x5c), decoder: jsonDecoder, next })
const entity = (...next: Way[]): Way => ({ opens: is(0x26), decoder: entityDecoder, next })
const joined: Way = { opens: isBreak, decoder: lineJoiner, next: [], inside: true }

/** Each escape alone and inside each other one, JSON in JSON; broken lines in all of them. */
const WAYS: readonly Way[] = [
  joined,
  percent(joined, json(joined), entity(joined)),
  json(joined, json(joined), percent(joined), entity(joined)),
  entity(joined, json(joined), percent(joined)),
]

export class WholeScan {
  readonly found: SecretSpan[] = []
  readonly #plain: Reading
  #read = 0

  constructor(trie: PhraseTrie) {
    this.#plain = new Reading(trie, WAYS, (found) => this.#add(found))
  }

  read(text: string): void {
    for (let i = 0; i < text.length; i++) this.#plain.take(text.charCodeAt(i), this.#read + i, this.#read + i + 1)
    this.#read += text.length
  }

  end(): void {
    this.#plain.end()
  }

  /** The position up to which everything is decided. */
  decided(): number {
    const live = Math.min(this.#read, this.#plain.since())
    // A find that reaches past this position may still grow.
    return this.found.reduce((at, f) => (f.to > at ? Math.min(at, f.from) : at), live)
  }

  /** Adds a find, keeping the list sorted and free of overlaps. Finds are few, and a new find overlaps only the last ones. */
  #add(one: SecretSpan): void {
    const { found } = this
    let at = found.length
    while (at > 0 && (found[at - 1]?.to ?? 0) > one.from) at--
    let end = at
    for (let other = found[end]; other && other.from < one.to; other = found[++end]) {
      const bigger = other.length > one.length || (other.length === one.length && other.from <= one.from) ? other : one
      one = { from: Math.min(other.from, one.from), to: Math.max(other.to, one.to), owner: bigger.owner, length: bigger.length }
    }
    if (end === at && at === found.length) found.push(one)
    else found.splice(at, end - at, one)
  }
}

/** One way to read the text, and the ways to read what it gives. */
class Reading {
  readonly #trie: PhraseTrie
  readonly #found: (found: SecretSpan) => void
  readonly #branches: readonly Branch[]
  /** The start of each recent unit, by its number: a ring at least as long as the longest form. */
  readonly #starts: Int32Array
  #count = 0
  #node = 0
  /** Branches that are under way. */
  #live = 0

  constructor(trie: PhraseTrie, ways: readonly Way[], found: (found: SecretSpan) => void) {
    this.#trie = trie
    this.#found = found
    this.#starts = new Int32Array(2 ** Math.ceil(Math.log2(trie.longest + 1)))
    this.#branches = ways.map((way) => ({ way }))
  }

  take(unit: number, from: number, to: number): void {
    // Openers are rare, and all of them are signs.
    if (this.#live > 0 || unit === 0x25 || unit === 0x26 || unit === 0x5c || isBreak(unit)) this.#branch(unit, from, to)
    this.#starts[this.#count++ & (this.#starts.length - 1)] = from
    this.#node = this.#trie.step(this.#node, fold(unit))
    const length = this.#node === 0 ? 0 : this.#trie.ends(this.#node)
    if (length > 0) this.#found({ from: this.#start(length), to, owner: this.#trie.owner(this.#node), length })
  }

  end(): void {
    for (const { under } of this.#branches) {
      if (!under?.live) continue
      under.decoder.end()
      under.reading.end()
    }
  }

  /** Where the text that may still become a secret starts. */
  since(): number {
    const begun = this.#trie.depth(this.#node)
    let at = begun === 0 ? Number.POSITIVE_INFINITY : this.#start(begun)
    if (this.#live > 0)
      for (const { under } of this.#branches) if (under?.live) at = Math.min(at, under.decoder.since(), under.reading.since())
    return at
  }

  #branch(unit: number, from: number, to: number): void {
    for (const branch of this.#branches) {
      const { way } = branch
      const under = branch.under
      if (under?.live) {
        // Both readings are between secrets and nothing is held back: they are the same from here on.
        if (this.#node === 0 && under.reading.isBlank && under.decoder.isIdle() && !way.opens(unit)) {
          under.live = false
          this.#live--
        } else under.decoder.feed(unit, from, to)
      } else if (way.opens(unit) && !(way.inside && this.#node === 0)) {
        const begun = (branch.under ??= this.#opened(way))
        begun.reading.#follow(this)
        begun.live = true
        this.#live++
        begun.decoder.feed(unit, from, to)
      }
    }
  }

  #opened(way: Way): Under {
    const reading = new Reading(this.#trie, way.next, this.#found)
    return { reading, decoder: way.decoder((unit, from, to) => reading.take(unit, from, to)), live: false }
  }

  get isBlank(): boolean {
    return this.#node === 0 && this.#live === 0
  }

  /** Continues where the other reading is. It copies no more than was read since the other one was last between secrets. */
  #follow(other: Reading): void {
    const begun = this.#trie.depth(other.#node)
    for (let i = begun; i > 0; i--) this.#starts[(this.#count + begun - i) & (this.#starts.length - 1)] = other.#start(i)
    this.#count += begun
    this.#node = other.#node
  }

  #start(units: number): number {
    return this.#starts[(this.#count - units) & (this.#starts.length - 1)] ?? 0
  }
}

interface Branch {
  readonly way: Way
  under?: Under
}

interface Under {
  readonly reading: Reading
  readonly decoder: Decoder
  live: boolean
}
