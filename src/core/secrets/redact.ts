// Redacts secrets [T32]: replaces the tenant's secrets with `[secret:SCOPE]` in incoming data, before anyone sees it or it is stored. A
// text without secrets is returned unchanged, byte for byte. The time depends on the text's length only.

import { isObject } from "../json.ts"
import type { Pieces } from "../pieces.ts"
import { FirstLook } from "./first-look.ts"
import { folded } from "./fold.ts"
import { PhraseTrie } from "./phrase-trie.ts"
import { marked, PIECE, RedactedStream } from "./redact-stream.ts"
import { SecretScan } from "./secret-scan.ts"
import { formsOf, SHORTEST_SECRET } from "./secret-forms.ts"
import { unwrapped } from "./unwrap.ts"

/** Items or members that are read at one go, and the work of one. */
const MEMBERS = 256
const MEMBER_WORK = 100

export class Redactor {
  readonly #trie: PhraseTrie
  readonly #look: FirstLook
  readonly #mark: (owner: number) => string

  /** Scope → its values, including old ones: a replaced secret must stay hidden too. */
  constructor(secrets: Iterable<readonly [scope: string, values: readonly string[]]>) {
    const scopes: string[] = []
    const forms = new Map<string, number>()
    for (const [scope, values] of secrets) {
      for (const form of values.flatMap(formsOf).flatMap(read)) if (!forms.has(form)) forms.set(form, scopes.length)
      scopes.push(scope)
    }
    const all = [...forms.keys()]
    const marks = scopes.map((scope) => markFor(scope, all))
    this.#trie = new PhraseTrie(forms)
    this.#look = new FirstLook(this.#trie)
    this.#mark = (owner) => marks[owner] ?? ""
  }

  /** Whether there are no secrets to look for. */
  get idle(): boolean {
    return this.#trie.longest === 0
  }

  text(text: string): string {
    if (this.idle || text.length < SHORTEST_SECRET) return text
    const scan = new SecretScan(this.#trie, this.#look)
    scan.read(text)
    scan.end()
    return scan.found.length === 0 ? text : marked(text, 0, text.length, scan.found, this.#mark)
  }

  /** Redacts every text in the value, including member names. Without secrets, the result is the same value. */
  json<T>(value: T): T {
    return this.idle ? value : (this.#deep(value) as T)
  }

  /** `text`, in pieces [N4]: a text full of escapes takes a hundred times as long as one without. */
  *pieces(text: string): Pieces<string> {
    if (this.idle || text.length <= PIECE) return this.text(text)
    const stream = this.stream()
    const clean = yield* stream.pushPieces(text)
    return clean + stream.end()
  }

  /** The same for a text whose reading broke off, at a limit of bytes or by a fault: without an end that may be the first part of a secret. */
  *brokenOff(text: string): Pieces<string> {
    return this.idle ? text : yield* this.stream().pushPieces(text)
  }

  /** `json`, in pieces. */
  *jsonPieces<T>(value: T): Pieces<T> {
    return this.idle ? value : ((yield* this.#deepPieces(value)) as T)
  }

  stream(): RedactedStream {
    return new RedactedStream(this.#trie, this.#look, this.#mark)
  }

  #deep(value: unknown): unknown {
    const pieces = this.#deepPieces(value)
    for (;;) {
      const step = pieces.next()
      if (step.done === true) return step.value
    }
  }

  *#deepPieces(value: unknown): Pieces<unknown> {
    if (typeof value === "string") return yield* this.pieces(value)
    // A secret that is all digits can arrive as a number.
    if (typeof value === "number") {
      const digits = String(value)
      const text = this.text(digits)
      return text === digits ? value : text
    }
    if (Array.isArray(value)) {
      const items: unknown[] = []
      for (const item of value) {
        items.push(isShort(item) ? this.text(item) : yield* this.#deepPieces(item))
        if (items.length % MEMBERS === 0) yield MEMBERS * MEMBER_WORK
      }
      return items.every((item, i) => item === value[i]) ? value : items
    }
    if (!isObject(value)) return value
    let same = true
    const names = new Set<string>()
    const members: [string, unknown][] = []
    for (const [name, member] of Object.entries(value)) {
      let shown = isShort(name) ? this.text(name) : yield* this.pieces(name)
      // After redaction two names may be equal; keep both members.
      while (names.has(shown)) shown += "'"
      names.add(shown)
      const read = isShort(member) ? this.text(member) : yield* this.#deepPieces(member)
      same &&= shown === name && Object.is(read, member)
      members.push([shown, read])
      if (members.length % MEMBERS === 0) yield MEMBERS * MEMBER_WORK
    }
    return same ? value : Object.fromEntries(members)
  }
}

const isShort = (value: unknown): value is string => typeof value === "string" && value.length <= PIECE

/** A form as the scan reads it: in lower case, and also without its line breaks. */
function read(form: string): string[] {
  const whole = folded(form)
  const joined = unwrapped(whole)
  return joined === whole || joined.length < SHORTEST_SECRET ? [whole] : [whole, joined]
}

export const NO_SECRETS = new Redactor([])

/** A mark must not form a secret, alone or together with the text beside it. */
function markFor(scope: string, forms: readonly string[]): string {
  const clashes = (mark: string): boolean => forms.some((form) => meet(form, mark))
  const usual = `[secret:${scope}]`
  if (!clashes(usual)) return usual
  for (let code = 0x25ae; code < 0x2600; code++) if (!clashes(String.fromCharCode(code))) return String.fromCharCode(code)
  return ""
}

function meet(form: string, shown: string): boolean {
  const mark = folded(shown)
  if (form.includes(mark) || mark.includes(form)) return true
  for (let n = 1; n < Math.min(form.length, mark.length); n++)
    if (mark.endsWith(form.slice(0, n)) || mark.startsWith(form.slice(-n))) return true
  return false
}
