// Matches regular expressions in linear time: JavaScript's syntax without features that need backtracking (look-around, back-references).
// The pattern becomes an automaton; a text of n characters costs at most n × size steps, whatever the pattern is. Sets of states are cached
// with their transitions (a lazy automaton), which covers nearly all real texts. Reports only whether there is a match.

import { err, ok, type Result } from "../result.ts"
import { isWord, parsePattern, type CharTest, type PatternNode } from "./pattern-syntax.ts"

export interface Pattern {
  /**
   * Does it match anywhere in the text? `^` and `$` are the ends of the text. Throws when the effort is used up, which only a
   * very large pattern on a very long text can do; one `Effort` may be shared by many texts.
   */
  test(text: string, effort?: Effort): boolean
}

/** The states that may still be visited; cached ones cost nothing. 5 million take about half a second. */
export interface Effort {
  left: number
}
export const effort = (left = 5_000_000): Effort => ({ left })

export interface PatternOptions {
  readonly ignoreCase?: boolean
}

/** Places in the graph; `{n,m}` is written out, so this also bounds repetition. */
const MAX_PLACES = 2_000 // limit: places of a pattern's graph → the pattern is refused
/** Remembered sets, and what each makes of a character; then all are forgotten. Bounds memory, not the answer. */
const MAX_SETS = 500 // limit: remembered sets of places → all are forgotten and computed again

export function compilePattern(source: string, options: PatternOptions = {}): Result<Pattern, string> {
  const parsed = parsePattern(source, options.ignoreCase === true)
  if (!parsed.ok) return parsed
  const places: Place[] = []
  const start = build(parsed.value, places)
  return start === undefined ? err("the pattern is too large: its repetitions come to more than 2,000 places") : ok(matcher(places, start))
}

/** One place: it consumes a character, asks for a border, forks, or is the end. Indices into the list of places. */
type Place =
  | { readonly kind: "char"; readonly test: CharTest; next: number }
  | { readonly kind: "border"; readonly border: "start" | "end" | "word" | "inner"; next: number }
  | { readonly kind: "fork"; next: number; other: number }
  | { readonly kind: "end" }

/** Builds from the back, so that every place knows what comes after it. undefined: too large. */
function build(root: PatternNode, places: Place[]): number | undefined {
  const add = (place: Place): number => {
    if (places.length >= MAX_PLACES) throw tooLarge
    return places.push(place) - 1
  }
  // Repeating nothing adds no place, so steps are counted too: `((){1000}){1000}` must not be taken at its word.
  let steps = 0
  const grow = (node: PatternNode, next: number): number => {
    if (++steps > 20 * MAX_PLACES) throw tooLarge
    switch (node.kind) {
      case "char":
        return add({ kind: "char", test: node.test, next })
      case "border":
        return add({ kind: "border", border: node.border, next })
      case "sequence":
        return node.parts.reduceRight((after, part) => grow(part, after), next)
      case "choice":
        return node.choices.map((choice) => grow(choice, next)).reduceRight((other, one) => add({ kind: "fork", next: one, other }))
      case "repeat": {
        let after = next
        if (node.max === Number.POSITIVE_INFINITY) {
          const loop: Place = { kind: "fork", next: 0, other: next }
          after = add(loop)
          loop.next = grow(node.part, after)
        } else for (let i = node.min; i < node.max; i++) after = add({ kind: "fork", next: grow(node.part, after), other: next })
        for (let i = 0; i < node.min; i++) after = grow(node.part, after)
        return after
      }
    }
  }
  const tooLarge = new Error("too large")
  try {
    return grow(root, add({ kind: "end" }))
  } catch (fault) {
    if (fault === tooLarge) return undefined
    throw fault
  }
}

/** Where a search can stand: places not yet followed, and whether the character before was part of a word. */
interface Stand {
  readonly places: readonly number[]
  readonly afterWord: boolean
  readonly first: boolean
  readonly next: Map<number, Stand | typeof MATCH>
}
const MATCH = Symbol("match")
const END = -1

function matcher(places: readonly Place[], start: number): Pattern {
  let stands = new Map<string, Stand>()
  const stand = (list: readonly number[], afterWord: boolean, first: boolean): Stand => {
    const key = `${first ? "^" : ""}${afterWord ? "w" : ""}${list.join(",")}`
    let known = stands.get(key)
    if (known === undefined) {
      if (stands.size >= MAX_SETS) stands = new Map()
      known = { places: list, afterWord, first, next: new Map() }
      stands.set(key, known)
    }
    return known
  }

  /** What reading `code` (or the end) makes of a stand: borders are judged here, where both neighbours are known. */
  const read = (from: Stand, code: number, effort: Effort): Stand | typeof MATCH => {
    const before = from.afterWord
    const now = code !== END && isWord(code)
    const seen = new Set<number>()
    const todo = [...from.places]
    const reached = new Set<number>()
    for (let at = todo.pop(); at !== undefined; at = todo.pop()) {
      if (seen.has(at)) continue
      seen.add(at)
      const place = places[at]
      if (place === undefined) continue
      if (place.kind === "end") return MATCH
      if (place.kind === "fork") todo.push(place.next, place.other)
      else if (place.kind === "char") {
        if (code !== END && place.test(code)) reached.add(place.next)
      } else if (holds(place.border, from.first, code === END, before !== now)) todo.push(place.next)
    }
    effort.left -= seen.size
    if (effort.left < 0) throw new Error("the pattern is too costly for a text of this length: make it simpler, or search less")
    // A match may begin at every character: the start stands beside whatever is under way.
    reached.add(start)
    return stand(
      [...reached].sort((a, b) => a - b),
      now,
      false,
    )
  }

  return {
    test(text, spend = effort()) {
      let at = stand([start], false, true)
      for (let i = 0; i <= text.length;) {
        const code = text.codePointAt(i) ?? END
        let next = at.next.get(code)
        if (next === undefined) {
          next = read(at, code, spend)
          if (at.next.size < 256) at.next.set(code, next)
        }
        if (next === MATCH) return true
        at = next
        i += code > 0xffff ? 2 : 1
      }
      return false
    },
  }
}

function holds(border: "start" | "end" | "word" | "inner", first: boolean, last: boolean, differs: boolean): boolean {
  switch (border) {
    case "start":
      return first
    case "end":
      return last
    case "word":
      return differs
    case "inner":
      return !differs
  }
}
