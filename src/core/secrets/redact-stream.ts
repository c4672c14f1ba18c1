// Redacts secrets in a text that arrives in pieces [T32]. The output contains no secret, however the pieces are cut: an end of the text that
// may be the start of a secret is held back until that is decided. At most the longest form and the secrets that overlap it are held back.
// The output pieces joined equal `text` of the whole.

import type { FirstLook } from "./first-look.ts"
import type { Pieces } from "../pieces.ts"
import type { PhraseTrie } from "./phrase-trie.ts"
import { SecretScan, type SecretSpan } from "./secret-scan.ts"

/** Characters that are searched in one step, in at most a few milliseconds. */
export const PIECE = 8_192

export class RedactedStream {
  readonly #trie: PhraseTrie
  readonly #look: FirstLook
  /** Made when text comes. */
  #scan: SecretScan | undefined
  readonly #mark: (owner: number) => string
  /** The text received but not yet released; it starts at `#at`. */
  #held = ""
  #at = 0

  constructor(trie: PhraseTrie, look: FirstLook, mark: (owner: number) => string) {
    this.#trie = trie
    this.#look = look
    this.#mark = mark
  }

  /** The text that can be shown now; often "" while the end is undecided. */
  push(delta: string): string {
    if (this.#trie.longest === 0) return delta
    const scan = (this.#scan ??= new SecretScan(this.#trie, this.#look))
    this.#held += delta
    scan.read(delta)
    return this.#release(scan, scan.decided())
  }

  /** `push`, in pieces [N4]. */
  *pushPieces(text: string): Pieces<string> {
    if (text.length <= PIECE) return this.push(text)
    const clean: string[] = []
    for (let at = 0, before = this.#work; at < text.length; at += PIECE) {
      clean.push(this.push(text.slice(at, at + PIECE)))
      yield this.#work - before
      before = this.#work
    }
    return clean.join("")
  }

  get #work(): number {
    return this.#scan?.work ?? 0
  }

  /** The rest of the text. Do not call it when the stream breaks off: the rest may be half a secret. */
  end(): string {
    if (!this.#scan) return ""
    this.#scan.end()
    return this.#release(this.#scan, this.#at + this.#held.length)
  }

  #release({ found }: SecretScan, to: number): string {
    const ready = found.findIndex((f) => f.to > to)
    const text = marked(this.#held, this.#at, to, found.splice(0, ready < 0 ? found.length : ready), this.#mark)
    this.#held = this.#held.slice(to - this.#at)
    this.#at = to
    return text
  }
}

/** The part of `text` up to `to`, with a mark instead of each secret. `text` starts at position `at`. */
export function marked(text: string, at: number, to: number, found: readonly SecretSpan[], mark: (owner: number) => string): string {
  if (found.length === 0) return text.slice(0, to - at)
  const parts: string[] = []
  let from = at
  for (const f of found) {
    parts.push(text.slice(from - at, f.from - at), mark(f.owner))
    from = f.to
  }
  parts.push(text.slice(from - at, to - at))
  return parts.join("")
}
