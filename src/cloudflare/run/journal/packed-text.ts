// Stores long texts of a run's object: compressed to about a fifth of the JSON of a chain of steps, or cut into pieces if they exceed a row.

import { deflateRawSync, inflateRawSync } from "node:zlib"
import type { RunTables } from "./run-tables.ts"

/** Shorter texts stay as they are: one event of a real model's turn is read far more often than it is written. */
const MIN_CHARS = 2_048
/** Longer texts, such as an expanded prompt or a large snapshot, are stored in pieces: a character takes up to three bytes, a row 2 MB. */
const LONG_CHARS = 650_000 // limit: characters of a text in a row → it is in pieces
export const ROW_CHARS = 500_000 // limit: characters of the events of a row → they are in several rows

/** A text, a compressed text, or "" for a text in pieces. */
export type Stored = string | ArrayBuffer

export class PackedTexts {
  readonly #storage: DurableObjectStorage
  readonly #tables: RunTables

  constructor(storage: DurableObjectStorage, tables: RunTables) {
    this.#storage = storage
    this.#tables = tables
  }

  static isInPieces(text: string): boolean {
    return text.length > LONG_CHARS
  }

  /** What goes into the row. `name`: of its pieces. `short`: what to compress instead of it. */
  fit(name: string, text: string, short = text): Stored {
    const isPacked = text.length >= MIN_CHARS && text.length <= LONG_CHARS
    return isPacked ? pack(short) : this.cut(name, text)
  }

  /** The same without compressing. */
  cut(name: string, text: string): string {
    return PackedTexts.isInPieces(text) ? this.#cut(name, text) : text
  }

  whole(name: string, stored: Stored): string {
    if (typeof stored !== "string") return unpack(stored)
    if (stored !== "") return stored
    return [...this.#storage.sql.exec<{ body: string }>("SELECT body FROM piece WHERE name = ? ORDER BY n", name)]
      .map((p) => p.body)
      .join("")
  }

  #cut(name: string, text: string): "" {
    const { sql } = this.#storage
    this.#tables.make("piece", "(name TEXT NOT NULL, n INTEGER NOT NULL, body TEXT NOT NULL, PRIMARY KEY (name, n))")
    sql.exec("DELETE FROM piece WHERE name = ?", name)
    for (let at = 0, n = 0; at < text.length; n++) {
      // UTF-8 cannot encode half of a surrogate pair.
      const end = at + ROW_CHARS < text.length && isHigh(text.charCodeAt(at + ROW_CHARS - 1)) ? at + ROW_CHARS - 1 : at + ROW_CHARS
      sql.exec("INSERT INTO piece (name, n, body) VALUES (?, ?, ?)", name, n, text.slice(at, end))
      at = end
    }
    return ""
  }
}

/** The fastest level: the next ones save 2 % and cost as much again. */
function pack(text: string): ArrayBuffer {
  const { buffer, byteOffset, byteLength } = deflateRawSync(text, { level: 1 })
  return buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer
}

const unpack = (bytes: ArrayBuffer): string => new TextDecoder().decode(inflateRawSync(bytes))

const isHigh = (code: number): boolean => code >= 0xd800 && code <= 0xdbff
