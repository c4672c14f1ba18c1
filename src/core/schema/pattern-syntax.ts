// Parses the syntax of `linear-pattern.ts`: the text of a pattern into a tree, or into a sentence that says what is not supported and where.

import { err, ok, type Result } from "../result.ts"

export type CharTest = (code: number) => boolean

export type PatternNode =
  | { readonly kind: "char"; readonly test: CharTest }
  | { readonly kind: "border"; readonly border: "start" | "end" | "word" | "inner" }
  | { readonly kind: "sequence"; readonly parts: readonly PatternNode[] }
  | { readonly kind: "choice"; readonly choices: readonly PatternNode[] }
  | { readonly kind: "repeat"; readonly part: PatternNode; readonly min: number; readonly max: number }

const MAX_SOURCE = 1_000 // limit: characters of a pattern → the pattern is refused
const MAX_NESTING = 50 // limit: nested groups of a pattern → the pattern is refused
const MAX_REPEAT = 1_000 // limit: count of a repetition in a pattern → the pattern is refused

export function parsePattern(source: string, ignoreCase: boolean): Result<PatternNode, string> {
  if (source.length > MAX_SOURCE) return err(`the pattern is longer than ${MAX_SOURCE} characters`)
  try {
    return ok(new Parser(source, ignoreCase).whole())
  } catch (fault) {
    if (fault instanceof PatternFault) return err(fault.message)
    throw fault
  }
}

class PatternFault extends Error {}

class Parser {
  readonly #chars: readonly string[]
  readonly #ignoreCase: boolean
  #at = 0

  constructor(source: string, ignoreCase: boolean) {
    this.#chars = Array.from(source)
    this.#ignoreCase = ignoreCase
  }

  whole(): PatternNode {
    const node = this.#choice(0)
    if (this.#at < this.#chars.length) throw this.#fault('")" without its "("; write \\) for the character')
    return node
  }

  #choice(depth: number): PatternNode {
    if (depth > MAX_NESTING) throw this.#fault(`groups are nested deeper than ${MAX_NESTING}`)
    const choices = [this.#sequence(depth)]
    while (this.#take("|")) choices.push(this.#sequence(depth))
    return choices.length === 1 && choices[0] !== undefined ? choices[0] : { kind: "choice", choices }
  }

  #sequence(depth: number): PatternNode {
    const parts: PatternNode[] = []
    for (let char = this.#peek(); char !== undefined && char !== "|" && char !== ")"; char = this.#peek()) {
      parts.push(this.#repeated(this.#atom(depth)))
    }
    return { kind: "sequence", parts }
  }

  #repeated(part: PatternNode): PatternNode {
    const bounds = this.#bounds()
    if (bounds === undefined) return part
    if (part.kind === "border") throw this.#fault("nothing to repeat")
    // Lazy or greedy makes no difference to whether there is a match.
    this.#take("?")
    if (this.#bounds() !== undefined) throw this.#fault("two repetitions in a row: put the first into a group")
    return { kind: "repeat", part, ...bounds }
  }

  #bounds(): { readonly min: number; readonly max: number } | undefined {
    if (this.#take("*")) return { min: 0, max: Number.POSITIVE_INFINITY }
    if (this.#take("+")) return { min: 1, max: Number.POSITIVE_INFINITY }
    if (this.#take("?")) return { min: 0, max: 1 }
    const counted = /^\{(\d{1,9})(,(\d{0,9}))?\}/.exec(this.#chars.slice(this.#at, this.#at + 24).join(""))
    if (counted === null) return undefined
    const min = Number(counted[1])
    const max = counted[2] === undefined ? min : counted[3] === "" ? Number.POSITIVE_INFINITY : Number(counted[3])
    if (min > max) throw this.#fault(`${counted[0]} counts backwards`)
    if (min > MAX_REPEAT || (max > MAX_REPEAT && max !== Number.POSITIVE_INFINITY))
      throw this.#fault(`${counted[0]} repeats more than ${MAX_REPEAT} times`)
    this.#at += counted[0].length
    return { min, max }
  }

  #atom(depth: number): PatternNode {
    const char = this.#next()
    switch (char) {
      case "(":
        return this.#group(depth)
      case "[":
        return this.#char(this.#set())
      case ".":
        return { kind: "char", test: (code) => !LINE_ENDS.has(code) }
      case "^":
        return { kind: "border", border: "start" }
      case "$":
        return { kind: "border", border: "end" }
      case "\\":
        return this.#escape()
      case "*":
      case "+":
      case "?":
        throw this.#fault(`nothing before "${char}" to repeat; write \\${char} for the character`)
      default:
        return this.#char(same(code(char)))
    }
  }

  #group(depth: number): PatternNode {
    if (this.#take("?")) {
      const kind = this.#next()
      if (kind === "=" || kind === "!") throw this.#fault("look-ahead (?= (?! is not supported")
      if (kind === "<" && (this.#peek() === "=" || this.#peek() === "!")) throw this.#fault("look-behind (?<= (?<! is not supported")
      if (kind === "<") {
        for (let char = this.#next(); char !== ">"; char = this.#next())
          if (!/^[\p{L}\p{N}_$]$/u.test(char)) throw this.#fault("a group's name is not valid")
      } else if (kind !== ":") throw this.#fault(`(?${kind} is not supported`)
    }
    const inner = this.#choice(depth + 1)
    if (!this.#take(")")) throw this.#fault('"(" without its ")"; write \\( for the character')
    return inner
  }

  #escape(): PatternNode {
    const char = this.#next()
    if (char === "b") return { kind: "border", border: "word" }
    if (char === "B") return { kind: "border", border: "inner" }
    if (/[1-9k]/.test(char)) throw this.#fault(`the back-reference \\${char} is not supported`)
    return this.#char(this.#escaped(char))
  }

  /** The class or character that `\char` stands for, in a set and outside of one. */
  #escaped(char: string): CharTest {
    const named = CLASSES[char]
    if (named !== undefined) return named
    if (char === "p" || char === "P") return this.#property(char)
    return same(this.#literal(char))
  }

  #literal(char: string): number {
    const control = CONTROLS[char]
    if (control !== undefined) return control
    if (char === "x") return this.#hex(2)
    if (char === "u") {
      if (!this.#take("{")) return this.#hex(4)
      let digits = ""
      for (let d = this.#next(); d !== "}"; d = this.#next()) digits += d
      if (!/^[0-9a-f]{1,6}$/i.test(digits)) throw this.#fault("\\u{…} takes hexadecimal digits")
      return Number.parseInt(digits, 16)
    }
    if (char === "c") return code(this.#next()) % 32
    // Any other letter or digit might mean something elsewhere; a mark means itself.
    if (/[A-Za-z0-9]/.test(char)) throw this.#fault(`\\${char} is not known`)
    return code(char)
  }

  #hex(digits: number): number {
    const text = this.#chars.slice(this.#at, this.#at + digits).join("")
    if (!new RegExp(`^[0-9a-fA-F]{${digits}}$`).test(text)) throw this.#fault(`${digits} hexadecimal digits are missing`)
    this.#at += digits
    return Number.parseInt(text, 16)
  }

  #property(letter: "p" | "P"): CharTest {
    let name = ""
    if (!this.#take("{")) throw this.#fault(`\\${letter} takes a name: \\${letter}{L}`)
    for (let char = this.#next(); char !== "}"; char = this.#next()) name += char
    if (!/^[A-Za-z_=0-9]{1,60}$/.test(name)) throw this.#fault(`the property "${name}" is not known`)
    try {
      // One class against one character: there is nothing to backtrack over.
      const one = new RegExp(`^\\${letter}{${name}}$`, "u")
      return (c) => one.test(String.fromCodePoint(c))
    } catch {
      throw this.#fault(`the property "${name}" is not known`)
    }
  }

  #set(): CharTest {
    const not = this.#take("^")
    const tests: CharTest[] = []
    for (let char = this.#next(); char !== "]"; char = this.#next()) {
      const from = this.#member(char)
      if (this.#peek() === "-" && this.#chars[this.#at + 1] !== "]" && this.#chars[this.#at + 1] !== undefined) {
        this.#at++
        const to = this.#member(this.#next())
        if (typeof from !== "number" || typeof to !== "number") throw this.#fault("a range in [ ] needs a single character at both ends")
        if (from > to) throw this.#fault("a range in [ ] runs backwards")
        tests.push((c) => c >= from && c <= to)
      } else tests.push(typeof from === "number" ? same(from) : from)
    }
    const any = this.#ignoreCase ? foldedAny(tests) : (c: number): boolean => tests.some((test) => test(c))
    return not ? (c) => !any(c) : any
  }

  #member(char: string): number | CharTest {
    if (char !== "\\") return code(char)
    const escaped = this.#next()
    if (escaped === "b") return 8
    if (escaped === "-") return code("-")
    return CLASSES[escaped] !== undefined || escaped === "p" || escaped === "P" ? this.#escaped(escaped) : this.#literal(escaped)
  }

  #char(test: CharTest): PatternNode {
    return { kind: "char", test: this.#ignoreCase ? foldedAny([test]) : test }
  }

  #peek(): string | undefined {
    return this.#chars[this.#at]
  }

  #next(): string {
    const char = this.#chars[this.#at]
    if (char === undefined) throw this.#fault("the pattern ends too early")
    this.#at++
    return char
  }

  #take(char: string): boolean {
    if (this.#chars[this.#at] !== char) return false
    this.#at++
    return true
  }

  #fault(message: string): PatternFault {
    return new PatternFault(`${message} (at character ${this.#at} of the pattern)`)
  }
}

const code = (char: string): number => char.codePointAt(0) ?? 0

const same =
  (wanted: number): CharTest =>
  (c) =>
    c === wanted

/** A character also counts in its other case, as long as that is one character. */
function foldedAny(tests: readonly CharTest[]): CharTest {
  return (c) => {
    const char = String.fromCodePoint(c)
    return [char, char.toLowerCase(), char.toUpperCase()].some(
      (form) => form.length === char.length && tests.some((test) => test(code(form))),
    )
  }
}

const LINE_ENDS: ReadonlySet<number> = new Set([10, 13, 0x2028, 0x2029])
const CONTROLS: Readonly<Record<string, number>> = { n: 10, r: 13, t: 9, f: 12, v: 11, "0": 0 }

const digit: CharTest = (c) => c >= 48 && c <= 57
export const isWord: CharTest = (c) => digit(c) || (c >= 65 && c <= 90) || c === 95 || (c >= 97 && c <= 122)
const space: CharTest = (c) => /\s/.test(String.fromCodePoint(c))
const CLASSES: Readonly<Record<string, CharTest>> = {
  d: digit,
  D: (c) => !digit(c),
  w: isWord,
  W: (c) => !isWord(c),
  s: space,
  S: (c) => !space(c),
}
