// Finds a short string that matches a regular expression, for the outputs of a rehearsed finish [F51, M3]. Each candidate is tested against
// the pattern. Patterns that the linear matcher refuses (look-around, back-references) get the first of a few common texts that fits: they
// are short, so even a pattern that backtracks badly finishes quickly.

import { compilePattern } from "../../core/schema/linear-pattern.ts"
import { parsePattern, type CharTest, type PatternNode } from "../../core/schema/pattern-syntax.ts"

/** A string that matches the pattern; undefined: none was found. */
export function matching(pattern: string, least = 0, most: number = Number.POSITIVE_INFINITY): string | undefined {
  const fits = (text: string): boolean => text.length >= least && text.length <= most
  const tree = parsePattern(pattern, false)
  const compiled = compilePattern(pattern)
  if (!tree.ok || !compiled.ok) return GUESSES.find((text) => fits(text) && plainTest(pattern, text))
  // Open repetitions occur once if possible; never, if that is too long; more often, if it is too short.
  for (const times of [1, 0, 2, 4, 8, least]) {
    const made = make(tree.value, Math.min(times, MAX_TIMES))
    if (made !== undefined && fits(made) && compiled.value.test(made)) return made
  }
  return GUESSES.find((text) => fits(text) && compiled.value.test(text))
}

const MAX_TIMES = 4096 // limit: repetitions of a pattern in a rehearsed text → no more are written
const GUESSES = ["ok", "yes", "a", "A", "1", "0", "12", "abc", "Abc1", "a-b", "a.b", "1.0.0", "a@b.co", "2026-01-01"]

// In order of preference: commonly typed characters first.
const ALPHABET = Array.from("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 -_.,:;/@#!?+*=()[]{}<>\"'&%$^~|\\`\n\t")

function make(node: PatternNode, times: number): string | undefined {
  switch (node.kind) {
    case "border":
      return ""
    case "char":
      return character(node.test)
    case "sequence":
      return joined(node.parts.map((part) => make(part, times)))
    case "choice":
      return node.choices.map((choice) => make(choice, times)).find((text) => text !== undefined)
    case "repeat": {
      const part = make(node.part, times)
      return part?.repeat(Math.min(node.max, Math.max(node.min, times)))
    }
  }
}

function character(test: CharTest): string | undefined {
  const liked = ALPHABET.find((c) => test(c.codePointAt(0) ?? 0))
  if (liked !== undefined) return liked
  for (let code = 0xa1; code < 0x2100; code++) if (test(code)) return String.fromCodePoint(code)
  return undefined
}

const joined = (parts: readonly (string | undefined)[]): string | undefined =>
  parts.some((part) => part === undefined) ? undefined : parts.join("")

function plainTest(pattern: string, text: string): boolean {
  try {
    return new RegExp(pattern, "u").test(text)
  } catch {
    return false
  }
}
