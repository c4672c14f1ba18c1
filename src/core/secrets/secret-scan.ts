// Finds secrets in a text that arrives in pieces [T32], and tracks how much of it is decided.
//
// The text is read in several ways at once, in any case: unchanged; with JSON, percent and HTML escapes decoded, alone and nested; and with
// its lines joined. Another reading begins at its opening character (a backslash, a percent sign) and ends when it no longer differs from
// the reading that it came from. Between secrets, first-look.ts skips to the next place where a reading may begin.

import { entityDecoder } from "./entities.ts"
import { isOpener, type FirstLook } from "./first-look.ts"
import { fold } from "./fold.ts"
import type { PhraseTrie } from "./phrase-trie.ts"
import { jsonDecoder, percentDecoder, type Decoder, type Sink } from "./unescape.ts"
import { isBreak, lineJoiner } from "./unwrap.ts"

/** A part of the text to hide. Overlapping finds are merged. */
export interface SecretSpan {
  from: number
  to: number
  /** The owner of the longest find in it. */
  owner: number
  length: number
}

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

/** What was done so far [N4], in units of about 10 ns: units skipped, and units that a reading took. */
interface Meter {
  work: number
}

/** A reading takes a unit about as long as this many are skipped. */
const TAKEN = 8

export class SecretScan {
  readonly found: SecretSpan[] = []
  readonly #meter: Meter = { work: 0 }
  readonly #trie: PhraseTrie
  readonly #look: FirstLook
  /** Made where the first secret may begin. */
  #plain: Reading | undefined
  /** Whether something may have begun. */
  #isInside = false
  #read = 0

  constructor(trie: PhraseTrie, look: FirstLook) {
    this.#trie = trie
    this.#look = look
  }

  read(text: string): void {
    const from = this.#read
    for (let i = 0; i < text.length;) {
      if (!this.#isInside) {
        const at = i
        i = this.#look.next(text, i)
        this.#meter.work += i - at
        if (i === text.length) break
        this.#begin()
      }
      i = this.#through(text, i, from)
    }
    this.#read += text.length
  }

  end(): void {
    if (this.#isInside) this.#plain?.end()
  }

  /** The work of all reads so far. */
  get work(): number {
    return this.#meter.work
  }

  /** The position up to which everything is decided. */
  decided(): number {
    const live = this.#isInside && this.#plain ? Math.min(this.#read, this.#plain.since()) : this.#read
    // A find that reaches past this position may still grow.
    return this.found.reduce((at, f) => (f.to > at ? Math.min(at, f.from) : at), live)
  }

  #begin(): void {
    this.#isInside = true
    this.#plain ??= new Reading({ trie: this.#trie, found: (found) => this.#add(found), meter: this.#meter }, WAYS)
    this.#plain.begin()
  }

  /** Reads on until nothing is under way. */
  #through(text: string, at: number, from: number): number {
    const reading = this.#plain
    for (let i = at; reading && i < text.length;) {
      reading.take(text.charCodeAt(i), from + i, from + i + 1)
      i++
      if (!reading.isBetween) continue
      this.#isInside = false
      return i
    }
    return text.length
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

/** What all readings of one text share. */
interface Ground {
  readonly trie: PhraseTrie
  readonly found: (found: SecretSpan) => void
  readonly meter: Meter
}

/** One way to read the text, and the ways to read what it gives. */
class Reading {
  readonly #ground: Ground
  readonly #trie: PhraseTrie
  readonly #branches: readonly Branch[]
  /** The start of each recent unit, by its number: a ring at least as long as the longest form. */
  readonly #starts: Int32Array
  #count = 0
  #node = 0
  /** Branches that are under way. */
  #live = 0

  constructor(ground: Ground, ways: readonly Way[]) {
    const { trie } = ground
    this.#ground = ground
    this.#trie = trie
    this.#starts = new Int32Array(2 ** Math.ceil(Math.log2(trie.longest + 1)))
    this.#branches = ways.map((way) => ({ way }))
  }

  /** Starts anew. */
  begin(): void {
    this.#node = 0
    for (const { under } of this.#branches) if (under) under.live = false
    this.#live = 0
  }

  /** Nothing is under way: the next unit finds this reading, and all that began in it, as at the start of a text. */
  get isBetween(): boolean {
    if (this.#node !== 0) return false
    if (this.#live > 0)
      for (const { under } of this.#branches) if (under?.live && !(under.reading.isBlank && under.decoder.isIdle())) return false
    return true
  }

  take(unit: number, from: number, to: number): void {
    this.#ground.meter.work += TAKEN
    // Openers are rare, and all of them are signs.
    if (this.#live > 0 || isOpener(unit) || isBreak(unit)) this.#branch(unit, from, to)
    this.#starts[this.#count++ & (this.#starts.length - 1)] = from
    this.#node = this.#trie.step(this.#node, fold(unit))
    const length = this.#node === 0 ? 0 : this.#trie.ends(this.#node)
    if (length > 0) this.#ground.found({ from: this.#start(length), to, owner: this.#trie.owner(this.#node), length })
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
    const reading = new Reading(this.#ground, way.next)
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
