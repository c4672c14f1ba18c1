// Parses JSON from outside in pieces, to a bounded depth and optionally a bounded number of values [N4]. A small text is parsed in one
// step, a larger one token by token, because the platform's parser blocks the thread: half a second for 5 MB of short members.

import { isTooDeep, MOST_LEVELS } from "../json.ts"
import type { Pieces } from "../pieces.ts"
import { exactJson, isInexact } from "./exact-json.ts"
import { err, ok, type Result } from "../result.ts"

/** Characters that are parsed in one step, in at most about two milliseconds. */
export const SMALL = 64 * 1024
/** Tokens between two rests, and the work of one. */
const TOKENS = 2_000
const TOKEN_WORK = 40

export interface JsonBounds {
  readonly levels?: number
  readonly values?: number
  /** false: a whole number that a number would change is read as that number. Otherwise it keeps its digits, as a text [H3]. */
  readonly exact?: boolean
}

export interface JsonFault {
  /** Begins with "is" or "has", and repeats nothing of the text. */
  readonly message: string
  /** Where the text is not JSON; absent: it is, and is too much. */
  readonly place?: { readonly line: number; readonly column: number }
}

const tooDeep = (levels: number): string => `is nested deeper than ${levels} levels`

export function* readJson(text: string, bounds: JsonBounds = {}): Pieces<Result<unknown, JsonFault>> {
  const { levels = MOST_LEVELS, values = Infinity, exact = true } = bounds
  // No text has more values than characters.
  if (text.length > SMALL || text.length > values) return yield* new Reader(text, { levels, values, exact }).read()
  let value: unknown
  try {
    value = exact ? exactJson(text) : JSON.parse(text)
  } catch {
    return yield* new Reader(text, { levels, values, exact }).read()
  }
  return isTooDeep(value, levels) ? err({ message: tooDeep(levels) }) : ok(value)
}

/** The same, with the error as a sentence. */
export function* jsonPieces(text: string): Pieces<Result<unknown, string>> {
  const read = yield* readJson(text)
  return read.ok ? read : err(read.error.message)
}

class NotJson extends Error {}
class TooMuch extends Error {}

/** An open list or object; `name`: the member whose value comes next. */
type Open = { readonly list: unknown[] } | { readonly members: Record<string, unknown>; name: string }

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const WORD = /true|false|null/y
const SPACE = /[ \t\r\n]*/y
/** What a text may not hold as it is, and what stands for something else. */
const UNLIKE = /[\\\p{Cc}]/u

class Reader {
  readonly #text: string
  readonly #levels: number
  readonly #values: number
  readonly #exact: boolean
  readonly #open: Open[] = []
  #at = 0

  constructor(text: string, { levels, values, exact }: Required<JsonBounds>) {
    this.#text = text
    this.#levels = levels
    this.#values = values
    this.#exact = exact
  }

  *read(): Pieces<Result<unknown, JsonFault>> {
    try {
      let value: unknown
      for (let tokens = 1; ; tokens++) {
        if (tokens > this.#values) throw new TooMuch(`has more than ${this.#values} values`)
        if (tokens % TOKENS === 0) yield TOKENS * TOKEN_WORK
        const from = this.#at
        const found = this.#value()
        if (this.#at - from > SMALL) yield this.#at - from
        if (found === undefined) continue
        value = this.#closed(found.value)
        if (this.#open.length === 0) break
      }
      this.#skip()
      return this.#at === this.#text.length ? ok(value) : err(this.#notJson())
    } catch (e) {
      if (e instanceof TooMuch) return err({ message: e.message })
      if (e instanceof NotJson) return err(this.#notJson())
      throw e
    }
  }

  #notJson(): JsonFault {
    let [line, start] = [1, 0]
    for (let next = this.#text.indexOf("\n"); next !== -1 && next < this.#at; next = this.#text.indexOf("\n", start)) {
      line++
      start = next + 1
    }
    const column = this.#at - start + 1
    return { message: `is not JSON (line ${line}, column ${column})`, place: { line, column } }
  }

  /** The next value, if it is whole; undefined: a list or an object was opened. */
  #value(): { readonly value: unknown } | undefined {
    this.#skip()
    const sign = this.#text[this.#at]
    if (sign === '"') return { value: this.#string() }
    if (sign !== "[" && sign !== "{") return { value: this.#plain() }
    if (this.#open.length === this.#levels) throw new TooMuch(tooDeep(this.#levels))
    this.#at++
    const close = sign === "[" ? "]" : "}"
    if (this.#take(close)) return { value: sign === "[" ? [] : {} }
    this.#open.push(sign === "[" ? { list: [] } : { members: {}, name: this.#name() })
    return undefined
  }

  /** Puts the value into what is open, and closes all that ends with it. */
  #closed(value: unknown): unknown {
    for (let whole = value; ;) {
      const inner = this.#open.at(-1)
      if (inner === undefined) return whole
      if ("list" in inner) inner.list.push(whole)
      else Object.defineProperty(inner.members, inner.name, { value: whole, enumerable: true, configurable: true, writable: true })
      if (this.#take(",")) {
        if ("members" in inner) inner.name = this.#name()
        return undefined
      }
      if (!this.#take("list" in inner ? "]" : "}")) throw new NotJson()
      this.#open.pop()
      whole = "list" in inner ? inner.list : inner.members
    }
  }

  #name(): string {
    this.#skip()
    if (this.#text[this.#at] !== '"') throw new NotJson()
    const name = this.#string()
    if (!this.#take(":")) throw new NotJson()
    return name
  }

  #string(): string {
    const from = this.#at
    let end = from
    let isEscaped = true
    while (isEscaped) {
      end = this.#text.indexOf('"', end + 1)
      if (end === -1) throw new NotJson()
      isEscaped = false
      for (let i = end - 1; this.#text[i] === "\\"; i--) isEscaped = !isEscaped
    }
    this.#at = end + 1
    const inside = this.#text.slice(from + 1, end)
    return UNLIKE.test(inside) ? String(parsed(this.#text.slice(from, end + 1))) : inside
  }

  #plain(): unknown {
    for (const form of [NUMBER, WORD]) {
      form.lastIndex = this.#at
      const found = form.exec(this.#text)?.[0]
      if (found === undefined) continue
      this.#at += found.length
      return this.#exact && isInexact(found) ? found : parsed(found)
    }
    throw new NotJson()
  }

  #take(sign: string): boolean {
    this.#skip()
    if (this.#text[this.#at] !== sign) return false
    this.#at++
    return true
  }

  #skip(): void {
    const unit = this.#text.charCodeAt(this.#at)
    if (unit > 0x20) return
    SPACE.lastIndex = this.#at
    this.#at += SPACE.exec(this.#text)?.[0].length ?? 0
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new NotJson()
  }
}
