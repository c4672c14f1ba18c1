// Wraps a body from outside [N4, T32], as a server, a site or a person sent it. All code reads it through this class, which parses to a
// bounded depth, in pieces that share the thread, and shows a beginning only without secrets. Only `bytes` and `whole` bypass this.

import { jsonPieces } from "../core/outside/json-pieces.ts"
import { setOut } from "../core/outside/set-out.ts"
import type { Pieces } from "../core/pieces.ts"
import type { Result } from "../core/result.ts"
import { beginning } from "../core/secrets/beginning.ts"
import type { Redactor } from "../core/secrets/redact.ts"
import { Breath } from "./breath.ts"

/** Bytes at the start that say what a body is. */
const HEAD = 4_096

export class Outside {
  readonly #bytes: Uint8Array

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  get size(): number {
    return this.#bytes.byteLength
  }

  /** The first bytes, by which a charset or a format is recognized. */
  head(): Uint8Array {
    return this.#bytes.subarray(0, HEAD)
  }

  /** Decoded by this charset; an unknown one is UTF-8. */
  text(charset = "utf-8"): OutsideText {
    return new OutsideText(decoder(charset).decode(this.#bytes))
  }

  /** For what passes the body on as it is: to a store, to a decompressor, to a library that reads it. */
  bytes(): Uint8Array {
    return this.#bytes
  }
}

export class OutsideText {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  get length(): number {
    return this.#text.length
  }

  get isBlank(): boolean {
    return !/\S/.test(this.#text)
  }

  /** At most so many characters of it, for a message; the redactors know every secret that it may hold. */
  beginning(most: number, ...redactors: readonly Redactor[]): string {
    return beginning(this.#text, most, ...redactors)
  }

  /** Its value; a text: why there is none. */
  json(signal?: AbortSignal): Promise<Result<unknown, string>> {
    return this.through(jsonPieces, signal)
  }

  /** What a reader that works in pieces makes of it, such as Markdown of a page. */
  through<T>(reader: (text: string) => Pieces<T>, signal?: AbortSignal): Promise<T> {
    return new Breath(signal).through(reader(this.#text))
  }

  /** JSON over lines, if it is small and shallow. */
  setOut(): OutsideText {
    return new OutsideText(setOut(this.#text))
  }

  /** For an outcome, whose secrets are taken out before anyone sees it, and for a reader with bounds of its own. */
  whole(): string {
    return this.#text
  }
}

function decoder(charset: string): TextDecoder {
  try {
    return new TextDecoder(charset)
  } catch {
    return new TextDecoder()
  }
}
