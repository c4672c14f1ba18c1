// Enforces the limits of [F1] before the expensive half of the YAML parser starts.
//
// The lexer and the CST parser are linear, and stop at the first excess of depth or keys, anchor or tag: the worst 256 KiB file we
// made takes 0.2 s. Composing without limits took seconds for 20,000 keys and overflowed the stack at 20,000 brackets.

import { CST, Lexer, Parser } from "yaml"
import { utf8Length } from "../../text/utf8.ts"
import type { FileFamily } from "../../diagnostic-codes.ts"
import type { Locate } from "./place.ts"
import { type Report, shown } from "./report.ts"

export const MAX_BYTES = 256 * 1024 // limit: bytes of a YAML or Markdown file → `-LIMIT`: the file is not read
export const MAX_DEPTH = 20 // limit: levels of nesting in a file → `-LIMIT`
export const MAX_KEYS = 2000 // limit: keys of a file → `-LIMIT`
// A file at the key limit has about 10 lexemes per key. A file with far more is an attack.
const MAX_LEXEMES = 50_000 // limit: lexemes of a file → `-LIMIT`

/** [K20] A file of tests holds up to 100 cases, each with the replies of a run; [F79] a file of tools the document of a service. */
export const MAX_TEST_BYTES = 512 * 1024 // limit: bytes of a file of tests → `TV-LIMIT`
export const MAX_TEST_DEPTH = 40 // limit: levels of nesting in a file of tests → `TV-LIMIT`
export const MAX_TEST_KEYS = 20_000 // limit: keys of a file of tests → `TV-LIMIT`
const MAX_TEST_LEXEMES = 400_000 // limit: lexemes of a file of tests → `TV-LIMIT`

interface Limits {
  readonly bytes: number
  readonly depth: number
  readonly keys: number
  readonly lexemes: number
}
const LIMITS: Limits = { bytes: MAX_BYTES, depth: MAX_DEPTH, keys: MAX_KEYS, lexemes: MAX_LEXEMES }
const TEST_LIMITS: Limits = { bytes: MAX_TEST_BYTES, depth: MAX_TEST_DEPTH, keys: MAX_TEST_KEYS, lexemes: MAX_TEST_LEXEMES }

/** [V1] */
export const MAX_SCORER_BYTES = 64 * 1024 // limit: bytes of a scorer's file → `EV-LIMIT`

export const limitsOf = (family: FileFamily): Limits =>
  family === "TV" || family === "PV" ? TEST_LIMITS : family === "EV" ? { ...LIMITS, bytes: MAX_SCORER_BYTES } : LIMITS

export const isTooLarge = (text: string, most = MAX_BYTES): boolean => text.length > most || utf8Length(text) > most

/** The tokens of the CST, or undefined if the file exceeds a limit: further diagnostics would not help. */
export function scanYaml(text: string, family: FileFamily, report: Report, at: Locate): CST.Token[] | undefined {
  const parser = new Parser()
  const limits = limitsOf(family)
  const tokens: CST.Token[] = []
  const stop = (code: "LIMIT" | "ALIAS" | "TAG" | "DIRECTIVE", message: string, suggestion: string, offset = parser.offset): undefined => {
    report.error(`${family}-${code}`, at(offset), message, suggestion)
    return undefined
  }
  let keys = 0
  let explicit = 0
  let listed = 0
  let lexemes = 0
  let scalarNext = false
  for (const lexeme of new Lexer().lex(text)) {
    const type = scalarNext ? "scalar" : CST.tokenType(lexeme)
    scalarNext = lexeme === CST.SCALAR
    if (++lexemes > limits.lexemes) return stop("LIMIT", "the file has too many tokens", SMALLER)
    // A key shows up as ":", as "?", or, in braces and without a value, as the comma after it. The limit applies to each count.
    if (type === "map-value-ind") keys++
    else if (type === "explicit-key-ind") explicit++
    else if (type === "comma" && inBraces(parser.stack)) listed++
    if (Math.max(keys, explicit, listed) > limits.keys) return stop("LIMIT", `the file has more than ${limits.keys} keys`, SMALLER)
    if (type === "anchor" || type === "alias")
      return stop(
        "ALIAS",
        `${shown(lexeme)}: anchors and aliases are not supported`,
        "write the value out, or put it in quotes if it is text",
      )
    if (type === "tag" && !CORE_TAGS.has(lexeme))
      return stop("TAG", `${shown(lexeme)}: tags are not supported`, "remove the tag, or put the value in quotes if it is text")
    for (const token of parser.next(lexeme)) tokens.push(token)
    if (parser.stack.length > limits.depth && parser.stack.filter(isCollection).length > limits.depth)
      return stop("LIMIT", `the file is nested deeper than ${limits.depth} levels`, "flatten it, or write the inner part as text in quotes")
    const directive = tokens.at(-1)
    if (directive?.type === "directive" && !/^%YAML\s+1\.2\s*$/.test(directive.source))
      return stop(
        "DIRECTIVE",
        `${shown(directive.source)}: directives are not supported; files are read as YAML 1.2`,
        "remove the line",
        directive.offset,
      )
  }
  for (const token of parser.end()) tokens.push(token)
  return tokens
}

const SMALLER = "split the file"
const CORE_TAGS = new Set(["!!str", "!!int", "!!float", "!!bool", "!!null", "!!map", "!!seq"])
const inBraces = (stack: readonly CST.Token[]): boolean => {
  const inner = stack.findLast((token) => token.type === "flow-collection")
  return inner?.type === "flow-collection" && inner.start.source === "{"
}
const isCollection = (token: CST.Token): boolean =>
  token.type === "block-map" || token.type === "block-seq" || token.type === "flow-collection"
