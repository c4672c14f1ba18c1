// JSON from outside, parsed in pieces and to a bounded depth [N4]. A small text is parsed at one go; a larger one token by token, because the
// platform's parser holds the thread for all of it: half a second for 5 MB of short members.

import { isTooDeep, MOST_LEVELS } from "../json.ts"
import type { Pieces } from "../pieces.ts"
import { exactJson, isInexact } from "./exact-json.ts"
import { err, ok, type Result } from "../result.ts"

/** Characters that are parsed at one go: at most about two milliseconds. */
const SMALL = 64 * 1024
/** Tokens between two rests, and the work of one. */
const TOKENS = 2_000
const TOKEN_WORK = 40

const NOT_JSON = "is not JSON"
const TOO_DEEP = `is nested deeper than ${MOST_LEVELS} levels`

export function* jsonPieces(text: string): Pieces<Result<unknown, string>> {
  if (text.length > SMALL) return yield* new Reader(text).read()
  try {
    const value = exactJson(text)
    return isTooDeep(value) ? err(TOO_DEEP) : ok(value)
  } catch {
    return err(NOT_JSON)
  }
}

class Fault extends Error {}

/** An open list or object; `name`: the member whose value comes next. */
type Open = { readonly list: unknown[] } | { readonly members: Record<string, unknown>; name: string }

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const WORD = /true|false|null/y
const SPACE = /[ \t\r\n]*/y
/** What a text may not hold as it is, and what stands for something else. */
const UNLIKE = /[\\\p{Cc}]/u

class Reader {
  readonly #text: string
  readonly #open: Open[] = []
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  *read(): Pieces<Result<unknown, string>> {
    try {
      let value: unknown
      for (let tokens = 1; ; tokens++) {
        if (tokens % TOKENS === 0) yield TOKENS * TOKEN_WORK
        const from = this.#at
        const found = this.#value()
        if (this.#at - from > SMALL) yield this.#at - from
        if (found === undefined) continue
        value = this.#closed(found.value)
        if (this.#open.length === 0) break
      }
      this.#skip()
      return this.#at === this.#text.length ? ok(value) : err(NOT_JSON)
    } catch (e) {
      if (e instanceof Fault) return err(e.message)
      throw e
    }
  }

  /** The next value, if it is whole; undefined: a list or an object was opened. */
  #value(): { readonly value: unknown } | undefined {
    this.#skip()
    const sign = this.#text[this.#at]
    if (sign === '"') return { value: this.#string() }
    if (sign !== "[" && sign !== "{") return { value: this.#plain() }
    if (this.#open.length === MOST_LEVELS) throw new Fault(TOO_DEEP)
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
      if (!this.#take("list" in inner ? "]" : "}")) throw new Fault(NOT_JSON)
      this.#open.pop()
      whole = "list" in inner ? inner.list : inner.members
    }
  }

  #name(): string {
    this.#skip()
    if (this.#text[this.#at] !== '"') throw new Fault(NOT_JSON)
    const name = this.#string()
    if (!this.#take(":")) throw new Fault(NOT_JSON)
    return name
  }

  #string(): string {
    const from = this.#at
    let end = from
    let isEscaped = true
    while (isEscaped) {
      end = this.#text.indexOf('"', end + 1)
      if (end === -1) throw new Fault(NOT_JSON)
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
      return isInexact(found) ? found : parsed(found)
    }
    throw new Fault(NOT_JSON)
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
    throw new Fault(NOT_JSON)
  }
}
