// The limits of [F1], held before the costly half of the YAML parser begins.
//
// Lexer and CST parser are linear and are stopped at the first sign of depth, key count, anchors or tags: the worst 256 KiB that
// we made took 0.2 s. Composed without limits, 20,000 keys took seconds and 20,000 brackets ended the stack.

import { CST, Lexer, Parser } from "yaml"
import { utf8Length } from "../../text/utf8.ts"
import type { Locate } from "./place.ts"
import { type Report, shown } from "./report.ts"

export const MAX_BYTES = 256 * 1024
export const MAX_DEPTH = 20
export const MAX_KEYS = 2000
// A file at the key limit has some 10 lexemes for each key; what has more is made to cost time, not to be read.
const MAX_LEXEMES = 50_000

export const isTooLarge = (text: string): boolean => text.length > MAX_BYTES || utf8Length(text) > MAX_BYTES

/** The tokens of the CST, or undefined when a limit was met: then nothing further is worth saying. */
export function scanYaml(text: string, family: string, report: Report, at: Locate): CST.Token[] | undefined {
  const parser = new Parser()
  const tokens: CST.Token[] = []
  const stop = (code: string, message: string, suggestion: string, offset = parser.offset): undefined => {
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
    if (++lexemes > MAX_LEXEMES) return stop("LIMIT", "the file has too many parts", SMALLER)
    // Keys show by ":", by "?", or, in braces without a value, by the comma after them; each kind alone is held to the limit.
    if (type === "map-value-ind") keys++
    else if (type === "explicit-key-ind") explicit++
    else if (type === "comma" && inBraces(parser.stack)) listed++
    if (Math.max(keys, explicit, listed) > MAX_KEYS) return stop("LIMIT", `the file has more than ${MAX_KEYS} keys`, SMALLER)
    if (type === "anchor" || type === "alias")
      return stop(
        "ALIAS",
        `${shown(lexeme)}: anchors and aliases are not used here`,
        "write the value out, or put it in quotes if it is text",
      )
    if (type === "tag" && !CORE_TAGS.has(lexeme))
      return stop("TAG", `${shown(lexeme)}: tags are not used here`, "leave it out, or put the value in quotes if it is text")
    for (const token of parser.next(lexeme)) tokens.push(token)
    if (parser.stack.length > MAX_DEPTH && parser.stack.filter(isCollection).length > MAX_DEPTH)
      return stop("LIMIT", `the file is nested deeper than ${MAX_DEPTH}`, "write it flatter, or as text in quotes")
    const directive = tokens.at(-1)
    if (directive?.type === "directive" && !/^%YAML\s+1\.2\s*$/.test(directive.source))
      return stop(
        "DIRECTIVE",
        `${shown(directive.source)}: files are read as YAML 1.2, without directives`,
        "leave the line out",
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
