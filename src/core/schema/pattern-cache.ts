// Caches the compiled patterns of schemas, because most are needed again by the next call.

import { compilePattern, type Pattern } from "./linear-pattern.ts"
import type { Measure } from "./measure.ts"

const compiled = new Map<string, Pattern>()
const MAX_COMPILED = 500 // limit: compiled patterns in memory → the cache is emptied

/** Throws for look-around, back-references and patterns that are too large: they cannot be matched in linear time. */
export function matches(source: string, text: string, on: Measure): boolean {
  let pattern = compiled.get(source)
  if (pattern === undefined) {
    const made = compilePattern(source)
    if (!made.ok) throw new Error(`the pattern ${source} cannot be used: ${made.error}`)
    if (compiled.size >= MAX_COMPILED) compiled.clear()
    compiled.set(source, (pattern = made.value))
  }
  return pattern.test(text, on.matching)
}
