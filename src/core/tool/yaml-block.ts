// Cuts long YAML text at the lines where the entries of its outermost mapping or list begin, without reading what is in them.
//
// It is cautious: a block is cut only if every line of its indent begins a plain entry, and no line has a smaller indent. Text inside a long
// string or in braces has a larger indent than the entry that it belongs to, or the YAML is invalid. Anything else is left whole.

import type { Pieces } from "../pieces.ts"

/** A part of the text. `line`: the number of its first line. */
export interface Block {
  readonly from: number
  readonly to: number
  readonly line: number
}

export interface YamlCut {
  readonly kind: "map" | "list"
  /** They cover the block without a gap: comments and blank lines belong to the entry before them, or to the first one. */
  readonly items: readonly Block[]
}

/** `name:`, `"/a/{b}":` or `'200':`, and what follows it on the line. No anchor, tag, alias, brace, or `? `. */
const ENTRY = /^(?:[A-Za-z0-9_$./~](?:[^\s:]|:(?=\S)|[ \t]+(?![ \t#:]))*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\n]|'')*')[ \t]*:(?:[ \t]+(.*)|)$/
const ITEM = /^-(?:[ \t]+(.*)|)$/
const NOTHING = /^(?:#.*)?$/

/** [N4] Lines between two pieces. */
const PIECE_LINES = 5_000
const LINE_WORK = 100

interface Line {
  readonly from: number
  readonly to: number
  readonly indent: number
  readonly text: string
}

/** Cuts a block; undefined: it is not a plain block mapping or list. */
export function* cut(text: string, block: Block): Pieces<YamlCut | undefined> {
  const items: { from: number; to: number; line: number }[] = []
  let kind: YamlCut["kind"] | undefined
  let outer = 0
  let line = block.line - 1
  for (const { from, to, indent, text: rest } of linesOf(text, block)) {
    line += 1
    if (line % PIECE_LINES === 0) yield LINE_WORK * PIECE_LINES
    if (NOTHING.test(rest)) continue
    if (kind === undefined && rest === "---" && block.from === 0) continue
    if (kind === undefined) {
      outer = indent
      kind = ITEM.test(rest) ? "list" : "map"
    }
    if (indent < outer || rest.startsWith("\t")) return undefined
    if (indent > outer) continue
    // The items of a list may have the indent of the key that the list belongs to.
    if (kind === "map" && ITEM.test(rest) && items.length > 0) continue
    if (!(kind === "list" ? ITEM : ENTRY).test(rest) || /^(?:---|\.\.\.)/.test(rest)) return undefined
    const before = items.at(-1)
    if (before) before.to = from
    items.push({ from: before ? from : block.from, to, line: before ? line : block.line })
  }
  const last = items.at(-1)
  if (!last || kind === undefined) return undefined
  last.to = block.to
  return items.length > 1 || kind === "map" ? { kind, items } : undefined
}

/** The lines below an entry of a mapping; undefined: its value begins on the key's line, or it is an item of a list. */
export function blockOf(text: string, entry: Block): Block | undefined {
  let line = entry.line - 1
  for (const { to, text: rest } of linesOf(text, entry)) {
    line += 1
    if (NOTHING.test(rest)) continue
    const value = ENTRY.exec(rest)?.[1]
    if (!ENTRY.test(rest) || (value !== undefined && !NOTHING.test(value))) return undefined
    return { from: to, to: entry.to, line: line + 1 }
  }
  return undefined
}

function* linesOf(text: string, { from, to }: Block): Generator<Line> {
  for (let at = from; at < to;) {
    const end = text.indexOf("\n", at)
    const next = end < 0 || end >= to ? to : end + 1
    let indent = 0
    while (at + indent < next && text[at + indent] === " ") indent++
    const stop = end < 0 || end >= to ? to : end
    // Only the beginning of a line decides, and a line may have a megabyte.
    yield { from: at, to: next, indent, text: text.slice(at + indent, Math.min(stop, at + indent + 2_000)).trimEnd() }
    at = next
  }
}
