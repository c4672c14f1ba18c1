// Looks for secrets in a text that comes piece by piece [T32], and knows how much of it is decided.
//
// The text is read several ways at once: as it is, and with its JSON and percent escapes undone, each within the other.

import type { PhraseTrie } from "./phrase-trie.ts"
import { jsonDecoder, percentDecoder, type Decoder, type Sink } from "./unescape.ts"

/** A part of the text that must not be shown: overlapping finds are one. */
export interface Found {
  from: number
  to: number
  /** Whose the longest find in it is. */
  owner: number
  length: number
}

type Chain = readonly ((sink: Sink) => Decoder)[]

/** Each escape alone, JSON in JSON, and each in the other. */
const EVERY: readonly Chain[] = [
  [percentDecoder],
  [jsonDecoder],
  [jsonDecoder, jsonDecoder],
  [percentDecoder, jsonDecoder],
  [jsonDecoder, percentDecoder],
]

/** The ways of reading that can differ from the text as it is. */
function chainsFor(text: string): readonly Chain[] {
  const percent = text.includes("%")
  const json = text.includes("\\")
  if (!percent && !json) return []
  // What one reading makes an escape of is one for the next.
  const asked = [
    percent,
    json,
    json && (text.includes("\\\\") || text.includes("\\u00")),
    percent && (json || text.includes("%5c") || text.includes("%5C")),
    json && (percent || text.includes("\\u00")),
  ]
  return EVERY.filter((_, i) => asked[i])
}

export class SecretScan {
  readonly found: Found[] = []
  readonly #trie: PhraseTrie
  readonly #readings: readonly Reading[]
  #node = 0
  #read = 0

  /** `whole`: all the text there will be; without it, any may come. */
  constructor(trie: PhraseTrie, whole?: string) {
    this.#trie = trie
    const chains = whole === undefined ? EVERY : chainsFor(whole)
    this.#readings = chains.map((chain) => new Reading(trie, chain, (found) => this.#add(found)))
  }

  read(text: string): void {
    const trie = this.#trie
    const alone = this.#readings.length === 0
    let node = this.#node
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i)
      const at = this.#read + i
      node = trie.step(node, unit)
      const length = node === 0 ? 0 : trie.ends(node)
      if (length > 0) this.#add({ from: at + 1 - length, to: at + 1, owner: trie.owner(node), length })
      // Side by side, so that finds come nearly in order.
      if (!alone) for (const reading of this.#readings) reading.feed(unit, at, at + 1)
    }
    this.#node = node
    this.#read += text.length
  }

  end(): void {
    for (const reading of this.#readings) reading.end()
  }

  /** Everything before this place is decided. */
  decided(): number {
    const live = Math.min(this.#read - this.#trie.depth(this.#node), ...this.#readings.map((r) => r.since()))
    // A find that reaches beyond may still grow.
    return this.found.reduce((at, f) => (f.to > at ? Math.min(at, f.from) : at), live)
  }

  /** Finds are few, and new ones overlap the last ones: the list stays sorted and without overlaps. */
  #add(one: Found): void {
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

/** One way to read the text: through decoders, to the trie. */
class Reading {
  readonly #trie: PhraseTrie
  readonly #decoders: readonly Decoder[]
  readonly #found: (found: Found) => void
  /** Where each of the last units began, by its number: a ring as long as the longest form. */
  readonly #starts: Int32Array
  #count = 0
  #node = 0

  constructor(trie: PhraseTrie, chain: Chain, found: (found: Found) => void) {
    this.#trie = trie
    this.#found = found
    this.#starts = new Int32Array(2 ** Math.ceil(Math.log2(trie.longest + 1)))
    const decoders: Decoder[] = []
    let sink: Sink = (unit, from, to) => this.#step(unit, from, to)
    for (const made of chain.toReversed()) {
      const decoder = made(sink)
      decoders.unshift(decoder)
      sink = decoder.feed
    }
    this.#decoders = decoders
  }

  feed(unit: number, from: number, to: number): void {
    this.#decoders[0]?.feed(unit, from, to)
  }

  end(): void {
    for (const decoder of this.#decoders) decoder.end()
  }

  /** Where that which may become a secret begins. */
  since(): number {
    const begun = this.#trie.depth(this.#node)
    const held = Math.min(...this.#decoders.map((d) => d.since()))
    return begun === 0 ? held : Math.min(held, this.#start(begun))
  }

  #start(units: number): number {
    return this.#starts[(this.#count - units) & (this.#starts.length - 1)] ?? 0
  }

  #step(unit: number, from: number, to: number): void {
    this.#starts[this.#count++ & (this.#starts.length - 1)] = from
    this.#node = this.#trie.step(this.#node, unit)
    const length = this.#node === 0 ? 0 : this.#trie.ends(this.#node)
    if (length > 0) this.#found({ from: this.#start(length), to, owner: this.#trie.owner(this.#node), length })
  }
}
