// The redactor [T32]: replaces the tenant's secrets with `[secret:SCOPE]` in incoming data, before anyone sees it or it is stored.
// A text without secrets is returned unchanged, byte for byte. The time depends on the text's length only.

import { isObject } from "../json.ts"
import { FirstLook } from "./first-look.ts"
import { folded } from "./fold.ts"
import { PhraseTrie } from "./phrase-trie.ts"
import { marked, RedactedStream } from "./redact-stream.ts"
import { SecretScan } from "./secret-scan.ts"
import { formsOf, SHORTEST_SECRET } from "./secret-forms.ts"
import { unwrapped } from "./unwrap.ts"

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

  stream(): RedactedStream {
    return new RedactedStream(this.#trie, this.#look, this.#mark)
  }

  #deep(value: unknown): unknown {
    if (typeof value === "string") return this.text(value)
    // A secret that is all digits can arrive as a number.
    if (typeof value === "number") {
      const digits = String(value)
      const text = this.text(digits)
      return text === digits ? value : text
    }
    if (Array.isArray(value)) {
      const items = value.map((item) => this.#deep(item))
      return items.every((item, i) => item === value[i]) ? value : items
    }
    if (!isObject(value)) return value
    let same = true
    const names = new Set<string>()
    const members = Object.entries(value).map(([name, member]): [string, unknown] => {
      let shown = this.text(name)
      // After redaction two names may be equal; keep both members.
      while (names.has(shown)) shown += "'"
      names.add(shown)
      const read = this.#deep(member)
      same &&= shown === name && Object.is(read, member)
      return [shown, read]
    })
    return same ? value : Object.fromEntries(members)
  }
}

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
