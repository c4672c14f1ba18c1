// Evaluates conditions over JSON: `PATH OP LITERAL` joined by `&&` and `||` [Q4]. Webhook filters use the same form without `||`. OP is one
// of `== != < <= > >=`; LITERAL is a JSON string, number, true, false or null. `&&` binds tighter; there are no parentheses.
//
// Parsing and evaluation take one pass each, so the cost is linear in the text, which has at most 2,000 characters. Paths find own
// properties only: `args.constructor` is missing unless the caller sent it.

import { follow } from "../../text/follow.ts"
import { meant, namesIn, pathSource, written } from "../../text/member-path.ts"
import type { Json } from "../../json.ts"
import { isInexact, wholeIn } from "../../outside/exact-json.ts"
import { err, ok, type Result } from "../../result.ts"

export type Op = "==" | "!=" | "<" | "<=" | ">" | ">="
/** A literal in a condition. A bigint is a whole number that a JavaScript number would change. */
export type Literal = string | number | bigint | boolean | null

export interface Comparison {
  /** Without the root. */
  readonly path: readonly string[]
  readonly op: Op
  readonly literal: Literal
}

/** Alternatives: each is true when all of its comparisons are true. */
export interface Condition {
  readonly any: readonly (readonly Comparison[])[]
}

export interface ConditionFault {
  /** 0-based character index. */
  readonly at: number
  readonly message: string
}

export interface ConditionForm {
  /** The first word of every path, such as `args`. Absent: a path starts at the value itself. */
  readonly root?: string
  /** Whether `||` is allowed; default true. */
  readonly or?: boolean
}

const MAX_TEXT = 2_000 // limit: characters of a condition → the condition is refused where it is saved
const MAX_COMPARISONS = 50 // limit: comparisons of a condition → the condition is refused where it is saved

export function parseCondition(text: string, form: ConditionForm = {}): Result<Condition, ConditionFault> {
  if (text.length > MAX_TEXT) return err({ at: MAX_TEXT, message: `the condition is longer than ${MAX_TEXT} characters` })
  const any: Comparison[][] = [[]]
  let count = 0
  let at = blanks(text, 0)
  for (;;) {
    const path = readPath(text, at, form.root)
    if (!path.ok) return path
    at = blanks(text, path.value.end)
    const op = OPS.find((o) => text.startsWith(o, at))
    if (op === undefined)
      return err({ at, message: `expected a comparison here: ==, !=, <, <=, > or >=${inBrackets(text, path.value.from)}` })
    at = blanks(text, at + op.length)
    const literal = readLiteral(text, at)
    if (!literal.ok) return literal
    const { value } = literal.value
    if (op !== "==" && op !== "!=" && typeof value !== "number" && typeof value !== "bigint" && typeof value !== "string")
      return err({ at, message: `only numbers and strings have an order: compare ${String(value)} with == or !=` })
    if (++count > MAX_COMPARISONS) return err({ at, message: `the condition has more than ${MAX_COMPARISONS} comparisons` })
    any.at(-1)?.push({ path: path.value.path, op, literal: value })
    at = blanks(text, literal.value.end)
    if (at === text.length) return ok({ any })
    const joint = text.slice(at, at + 2)
    if (joint === "||" && form.or === false) return err({ at, message: "|| is not allowed here: join comparisons with &&" })
    if (joint !== "&&" && joint !== "||")
      return err({ at, message: form.or === false ? "expected && or the end here" : "expected &&, || or the end here" })
    if (joint === "||") any.push([])
    at = blanks(text, at + 2)
  }
}

/**
 * `"unknown"`: a path is missing, or its value and the literal have different types (a null literal compares with every type). One
 * such comparison makes the whole condition unknown, whatever the others give; an approval then asks.
 */
export function evaluate(condition: Condition, value: Json): boolean | "unknown" {
  let holds = false
  for (const all of condition.any) {
    let each = true
    for (const c of all) {
      const found = judge(c, follow(value, c.path))
      if (found === undefined) return "unknown"
      each &&= found
    }
    holds ||= each
  }
  return holds
}

/** Evaluates the condition as a filter: a missing value, or one of another type, is unequal and has no order. */
export const passes = (condition: Condition, value: Json): boolean =>
  condition.any.some((all) => all.every((c) => holds(c, follow(value, c.path))))

/** The same for a single comparison, with the value at its path. */
export const holds = (c: Comparison, found: Json | undefined): boolean => judge(c, found) ?? c.op === "!="

// Longer operators first: `<=` also starts with `<`.
const OPS: readonly Op[] = ["==", "!=", "<=", ">=", "<", ">"]

function judge({ op, literal }: Comparison, found: Json | undefined): boolean | undefined {
  if (found === undefined) return undefined
  if (literal === null || found === null) {
    if (literal !== null) return undefined
    return op === "==" ? found === null : found !== null
  }
  const [a, b] = comparable(found, literal)
  if (typeof a !== typeof b) return undefined
  switch (op) {
    case "==":
      return a === b
    case "!=":
      return a !== b
    case "<":
      return a < b
    case "<=":
      return a <= b
    case ">":
      return a > b
    case ">=":
      return a >= b
  }
}

/** A whole number too long for a number came as the text of its digits [H3]. Where numbers are compared, these decide. */
function comparable(found: Exclude<Json, null>, literal: Exclude<Literal, null>): readonly [Comparable, Comparable] {
  if (typeof literal === "string") return [found, literal]
  const whole = wholeIn(found)
  return whole === undefined && typeof literal !== "bigint" ? [found, literal] : [whole ?? digitsOf(found), digitsOf(literal)]
}

type Comparable = Exclude<Json, null> | bigint

/** A number with a fraction is far from every such whole number, so its whole part has the same order. */
const digitsOf = (value: Comparable): Comparable =>
  typeof value !== "number" ? value : BigInt(/^-?\d+$/.test(String(value)) ? String(value) : Math.trunc(value))

function blanks(text: string, from: number): number {
  let at = from
  while (at < text.length && (text[at] === " " || text[at] === "\t" || text[at] === "\n" || text[at] === "\r")) at++
  return at
}

function readPath(
  text: string,
  from: number,
  root: string | undefined,
): Result<{ path: string[]; from: number; end: number }, ConditionFault> {
  PART.lastIndex = from
  const word = PART.exec(text)?.[0]
  const wanted = root === undefined ? "a path" : `a path that starts with ${root}.`
  if (word === undefined) return err({ at: from, message: `expected ${wanted} here${inBrackets(text, from)}` })
  const path = namesIn(word)
  if (path === undefined) return err({ at: from, message: `${word.slice(0, 40)} has a name in brackets that is not a JSON string` })
  if (root === undefined) return ok({ path, from, end: from + word.length })
  if (path[0] !== root || path.length === 1) return err({ at: from, message: `expected ${wanted} here, not ${word.slice(0, 40)}` })
  return ok({ path: path.slice(1), from, end: from + word.length })
}

/** How to write a name with other signs, if one stands there before a comparison. */
function inBrackets(text: string, from: number): string {
  const end = text.slice(from, from + 200).search(/==|!=|[<>]/)
  const other = end < 0 ? undefined : meant(text.slice(from, from + end))
  return other === undefined ? "" : `; ${other.how}: ${written(other.names)}`
}

/** Words of letters, digits, `_`, `-` and `$`, separated by dots; other names in brackets. */
const PART = new RegExp(pathSource(String.raw`[\p{L}\p{N}_$-]`), "uy")
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\p{L}\p{N}_.])/uy
const TEXT = /"(?:[^"\\]|\\[^])*"/y
const WORD = /(?:true|false|null)(?![\p{L}\p{N}_.$-])/uy

function readLiteral(text: string, from: number): Result<{ value: Literal; end: number }, ConditionFault> {
  for (const form of [TEXT, NUMBER, WORD]) {
    form.lastIndex = from
    const found = form.exec(text)?.[0]
    if (found === undefined) continue
    const value = isInexact(found) ? BigInt(found) : jsonOf(found)
    if (typeof value === "number" && !Number.isFinite(value)) return err({ at: from, message: "this number is too large" })
    if (value === null || typeof value === "string" || typeof value === "number" || typeof value === "bigint" || typeof value === "boolean")
      return ok({ value, end: from + found.length })
  }
  const quote = text[from] === '"' || text[from] === "'"
  return err({
    at: from,
    message: quote
      ? 'this string is not closed, or is not a JSON string: "like this"'
      : 'expected a value here: a number, true, false, null, or a "string" in double quotes',
  })
}

/** undefined: the text is not JSON. A string with a raw line break, or with an escape that JSON does not define, is not. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
