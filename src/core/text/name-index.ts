// Indexes many names for "did you mean". Comparing 2,000 wrong names with 2,000 known names takes seconds, so a large collection is indexed
// once: by the beginning of each name, and by that beginning without one of its characters. Two names that differ by one edit share such a
// key.

import { fold, nearest } from "./nearest.ts"

/** A collection of names that does not change while it is searched. */
export type Names = ReadonlySet<string> | ReadonlyMap<string, unknown> | readonly string[]

/** Fewer names are compared one by one, which also finds names that differ more. */
const MOST_COMPARED = 64 // limit: names that are compared one by one for a suggestion → more are looked up by their beginnings
const BEGINNING = 24
const PER_KEY = 4 // limit: names with one beginning that a suggestion may come from → further ones are not suggested
const CANDIDATES = 16 // limit: names that a suggestion is chosen from → further ones are not suggested

interface Index {
  readonly size: number
  readonly byKey: ReadonlyMap<string, readonly string[]>
}

const indexes = new WeakMap<Names, Index>()

/** The maximum cost of a lookup, in comparisons. */
export const costOf = (known: Names): number => Math.min(sizeOf(known), MOST_COMPARED)

export function nearestOf(word: string, known: Names): string | undefined {
  if (sizeOf(known) <= MOST_COMPARED) return nearest(word, namesOf(known))
  const before = indexes.get(known)
  const { byKey } = before?.size === sizeOf(known) ? before : indexed(known)
  const found = new Set<string>()
  for (const key of keysOf(word))
    for (const name of byKey.get(key) ?? []) {
      found.add(name)
      if (found.size >= CANDIDATES) return nearest(word, found)
    }
  return nearest(word, found)
}

export const sizeOf = (known: Names): number => ("length" in known ? known.length : known.size)
export const namesOf = (known: Names): Iterable<string> => ("length" in known ? known : known.keys())

function indexed(known: Names): Index {
  const byKey = new Map<string, string[]>()
  for (const name of namesOf(known))
    for (const key of keysOf(name)) {
      const names = byKey.get(key)
      if (names === undefined) byKey.set(key, [name])
      else if (names.length < PER_KEY) names.push(name)
    }
  const index = { size: sizeOf(known), byKey }
  indexes.set(known, index)
  return index
}

function* keysOf(name: string): Iterable<string> {
  const beginning = fold(name).slice(0, BEGINNING)
  yield beginning
  for (let i = 0; i < beginning.length; i++) yield beginning.slice(0, i) + beginning.slice(i + 1)
}
