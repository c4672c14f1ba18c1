// Reads the text of an OpenAPI document, JSON or YAML, of up to 10 MiB [T26], in pieces of a few milliseconds [N4, S17].
//
// JSON is parsed as JSON. YAML is cut at the lines where its block mappings and lists have their entries, because the library builds about
// fifty objects for each line: the 3 MB of a large public document at once would need more memory than an isolate has. Each part is read by
// the library, and what cannot be cut is bounded: 800 kB of `{}{}{}` took minutes, and 100,000 parts of such text take 0.9 s at worst.

import { Composer, Lexer, Parser, type CST } from "yaml"
import type { Json } from "../json.ts"
import { readJson } from "../outside/json-pieces.ts"
import type { Pieces } from "../pieces.ts"
import { err, ok, type Result } from "../result.ts"
import { blockOf, cut, type Block } from "./yaml-block.ts"

const MAX_PARTS = 100_000 // limit: parts of a document's YAML that cannot be cut at its lines → the document is refused
/** Of the whole document: large public documents have one for every nine characters. */
const MAX_PARTS_IN_ALL = 2_000_000 // limit: parts of a document's YAML → the document is refused
const MAX_DEPTH = 64 // limit: levels of a document's text → the document is refused
/** [N4] A part of the library's work is about this much; a piece is read as one when it is shorter than PIECE_CHARS. */
const PIECE_WORK = 800
const PIECE_CHARS = 16_000

const TOO_DEEP = `is nested deeper than ${MAX_DEPTH} levels`

export function* readOpenApiText(text: string): Pieces<Result<unknown, string>> {
  const json = yield* readJson(text, { levels: MAX_DEPTH })
  if (json.ok) return json
  if (json.error.place === undefined) return err(TOO_DEEP)
  const reading: Reading = { text, parts: 0 }
  const value = yield* read(reading, { from: 0, to: text.length, line: 1 }, 0)
  return value.ok && typeof value.value === "object" && isDeep(value.value as Json) ? err(TOO_DEEP) : value
}

interface Reading {
  readonly text: string
  parts: number
}

/** One value: cut into its entries if it is long and can be cut, else as the library reads it. */
function* read(reading: Reading, block: Block, depth: number): Pieces<Result<unknown, string>> {
  const { text } = reading
  const entries = block.to - block.from > PIECE_CHARS && depth < MAX_DEPTH ? yield* cut(text, block) : undefined
  if (!entries) {
    const before = reading.parts
    const value = whole(reading, block)
    yield (reading.parts - before) * PIECE_WORK
    return value
  }
  const map: Record<string, unknown> = {}
  const list: unknown[] = []
  for (let i = 0; i < entries.items.length;) {
    const [first] = entries.items.slice(i, i + 1)
    if (!first) break
    const inner = first.to - first.from > PIECE_CHARS ? blockOf(text, first) : undefined
    if (inner) {
      const key = whole(reading, { ...first, to: inner.from })
      if (!key.ok) return key
      const value = yield* read(reading, inner, depth + 1)
      if (!value.ok) return value
      for (const name of Object.keys(key.value as object)) define(map, name, value.value)
      i += 1
      continue
    }
    // Short entries are read together.
    let last = i
    while (last + 1 < entries.items.length && (entries.items[last + 1]?.to ?? 0) - first.from <= PIECE_CHARS) last++
    const before = reading.parts
    const part = whole(reading, { ...first, to: entries.items[last]?.to ?? first.to })
    yield (reading.parts - before) * PIECE_WORK
    if (!part.ok) return part
    if (entries.kind === "list" && Array.isArray(part.value)) for (const item of part.value) list.push(item)
    else if (entries.kind === "map" && typeof part.value === "object" && part.value !== null)
      for (const [name, value] of Object.entries(part.value)) define(map, name, value)
    else return err(`is neither JSON nor YAML, line ${first.line}: the lines do not continue what is before them`)
    i = last + 1
  }
  return ok(entries.kind === "list" ? list : map)
}

/** A key may be `__proto__`. */
const define = (map: Record<string, unknown>, key: string, value: unknown): void => {
  Object.defineProperty(map, key, { value, enumerable: true, configurable: true, writable: true })
}

/** The block as the library reads it. */
function whole(reading: Reading, { from, to, line }: Block): Result<unknown, string> {
  const text = reading.text.slice(from, to)
  const tokens = tokensOf(reading, text)
  if (!tokens.ok) return tokens
  const [doc, more] = [
    ...new Composer({ uniqueKeys: false, logLevel: "silent", stringKeys: true }).compose(tokens.value, true, text.length),
  ]
  const [first] = doc?.errors ?? []
  if (first) return err(`is neither JSON nor YAML, line ${line - 1 + lineAt(text, first.pos[0])}: ${first.message}`)
  if (more) return err("contains more than one YAML document: send one")
  try {
    // Aliases are not followed: a few lines of them can expand to gigabytes.
    const value: unknown = doc?.toJS({ maxAliasCount: 0 })
    return ok(value)
  } catch {
    return err(ALIASES)
  }
}

const ALIASES = "has YAML aliases, which are not supported: write the parts out, or use $ref"

/** Iterative, because the value may be too deep for recursion. */
function isDeep(root: Json): boolean {
  const open: { readonly value: Json; readonly depth: number }[] = [{ value: root, depth: 0 }]
  for (let next = open.pop(); next; next = open.pop()) {
    const { value, depth } = next
    if (typeof value !== "object" || value === null) continue
    if (depth >= MAX_DEPTH) return true
    for (const child of Object.values(value)) open.push({ value: child, depth: depth + 1 })
  }
  return false
}

function tokensOf(reading: Reading, text: string): Result<readonly CST.Token[], string> {
  const parser = new Parser()
  const tokens: CST.Token[] = []
  let parts = 0
  for (const lexeme of new Lexer().lex(text)) {
    reading.parts += 1
    if (++parts > MAX_PARTS || reading.parts > MAX_PARTS_IN_ALL)
      return err(
        `has more than ${parts > MAX_PARTS ? MAX_PARTS : MAX_PARTS_IN_ALL} parts as YAML: send it as JSON, or only the operations you need`,
      )
    for (const token of parser.next(lexeme)) tokens.push(token)
    if (parser.stack.length > MAX_DEPTH && parser.stack.filter(isCollection).length > MAX_DEPTH) return err(TOO_DEEP)
  }
  for (const token of parser.end()) tokens.push(token)
  return ok(tokens)
}

const isCollection = ({ type }: CST.Token): boolean => type === "block-map" || type === "block-seq" || type === "flow-collection"

const lineAt = (text: string, offset: number): number => text.slice(0, offset).split("\n").length
