// Finds secrets in a text that arrives in pieces [T32], and tracks how much of it is decided.
//
// The text is read in several ways at once: unchanged, and with JSON and percent escapes decoded, alone and nested.

import type { PhraseTrie } from "./phrase-trie.ts"
import { jsonDecoder, percentDecoder, type Decoder, type Sink } from "./unescape.ts"

/** A part of the text to hide. Overlapping finds are merged. */
export interface Found {
  from: number
  to: number
  /** The owner of the longest find in it. */
  owner: number
  length: number
}

type Chain = readonly ((sink: Sink) => Decoder)[]

/** Each escape alone, JSON in JSON, and each inside the other. */
const EVERY: readonly Chain[] = [
  [percentDecoder],
  [jsonDecoder],
  [jsonDecoder, jsonDecoder],
  [percentDecoder, jsonDecoder],
  [jsonDecoder, percentDecoder],
]

/** The chains that can read this text differently from its plain form. */
function chainsFor(text: string): readonly Chain[] {
  const percent = text.includes("%")
  const json = text.includes("\\")
  if (!percent && !json) return []
  // The output of one decoder can form an escape for the next.
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

  /** `whole`: the complete text, when it is known in advance. */
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
      // The readings advance together, so finds arrive nearly in order.
      if (!alone) for (const reading of this.#readings) reading.feed(unit, at, at + 1)
    }
    this.#node = node
    this.#read += text.length
  }

  end(): void {
    for (const reading of this.#readings) reading.end()
  }

  /** The position up to which everything is decided. */
  decided(): number {
    const live = Math.min(this.#read - this.#trie.depth(this.#node), ...this.#readings.map((r) => r.since()))
    // A find that reaches past this position may still grow.
    return this.found.reduce((at, f) => (f.to > at ? Math.min(at, f.from) : at), live)
  }

  /** Adds a find, keeping the list sorted and free of overlaps. Finds are few, and a new find overlaps only the last ones. */
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

/** One way to read the text: through decoders into the trie. */
class Reading {
  readonly #trie: PhraseTrie
  readonly #decoders: readonly Decoder[]
  readonly #found: (found: Found) => void
  /** The start of each recent unit, by its number: a ring at least as long as the longest form. */
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

  /** Where the text that may still become a secret starts. */
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
