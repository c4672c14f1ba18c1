// A text that comes piece by piece, without its secrets [T32]. What is handed on holds none, however the pieces were cut: the end of
// the text that may be the beginning of a secret is held back until it is decided, never more than the longest form and the
// secrets it overlaps. The pieces together are what `text` of the whole would be.

import type { PhraseTrie } from "./phrase-trie.ts"
import { SecretScan, type Found } from "./secret-scan.ts"

export class RedactedStream {
  /** Without one there is nothing to look for. */
  readonly #scan: SecretScan | undefined
  readonly #mark: (owner: number) => string
  /** What has come and was not handed on; it begins at `#at`. */
  #held = ""
  #at = 0

  constructor(trie: PhraseTrie, mark: (owner: number) => string) {
    this.#scan = trie.longest === 0 ? undefined : new SecretScan(trie)
    this.#mark = mark
  }

  /** What may be shown now; often "" while something is undecided. */
  push(delta: string): string {
    if (!this.#scan) return delta
    this.#held += delta
    this.#scan.read(delta)
    return this.#handOn(this.#scan, this.#scan.decided())
  }

  /** The rest. Not to be asked for when the stream broke off: half a secret is not shown. */
  end(): string {
    if (!this.#scan) return ""
    this.#scan.end()
    return this.#handOn(this.#scan, this.#at + this.#held.length)
  }

  #handOn({ found }: SecretScan, to: number): string {
    const ready = found.findIndex((f) => f.to > to)
    const text = marked(this.#held, this.#at, to, found.splice(0, ready < 0 ? found.length : ready), this.#mark)
    this.#held = this.#held.slice(to - this.#at)
    this.#at = to
    return text
  }
}

/** `text`, which begins at `at`, up to `to`, with a mark in the place of each find. */
export function marked(text: string, at: number, to: number, found: readonly Found[], mark: (owner: number) => string): string {
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
