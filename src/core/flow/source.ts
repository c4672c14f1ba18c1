// YAML text → a tree that knows where everything stands [F1]. Never throws; all faults come back as diagnostics.
//
// Limits hold before the costly work begins. Lexer and CST parser are linear (256 KiB of the worst input measured: 0.5 s) and
// are stopped at the first sign of depth, key count, anchors or tags; only then are nodes composed. The library's own
// duplicate-key check is off: it is quadratic (20,000 keys took 4–12 s), ours is one Set. The tree has no prototype to
// pollute: maps are lists of entries, and `__proto__`, `constructor`, `prototype` are refused as keys.

import { Composer, CST, isAlias, isMap, isScalar, isSeq, Lexer, Parser, type Document, type YAMLError } from "yaml"
import type { Diagnostic } from "../diagnostic.ts"
import type { Json } from "../json.ts"
import { utf8Length } from "../utf8.ts"
import { openReport, shown, type Place, type Report } from "./report.ts"

export const MAX_BYTES = 256 * 1024
export const MAX_DEPTH = 20
export const MAX_KEYS = 2000
// A file at the key limit has some 10 lexemes for each key; what has more is made to cost time, not to be read.
const MAX_LEXEMES = 120_000

export interface Entry {
  readonly key: string
  readonly at: Place
  readonly value: Node
}
export interface MapNode {
  readonly kind: "map"
  readonly at: Place
  readonly entries: readonly Entry[]
}
export interface ListNode {
  readonly kind: "list"
  readonly at: Place
  readonly items: readonly Node[]
}
export interface ScalarNode {
  readonly kind: "scalar"
  readonly at: Place
  readonly value: string | number | boolean | null
  /** As written: `007` stays `007`; quotes and block marks are gone. Empty for null. */
  readonly text: string
  /** Where it stands in the file, quotes and block header included. */
  readonly start: number
  readonly end: number
}
export type Node = MapNode | ListNode | ScalarNode
export type Path = readonly (string | number)[]

export interface Source {
  /** Undefined when the text is empty or no tree could be made of it. */
  readonly root?: Node
  readonly diagnostics: readonly Diagnostic[]
  /** Where the key or the value at `path` stands; of a path that is not there, its nearest parent. */
  place(path: Path, what?: "key" | "value"): Place
  /** Where `excerpt` first stands inside a scalar: in a block of many lines, its own line. */
  placeIn(node: ScalarNode, excerpt: string): Place
}

/** `family` is the prefix of the codes: `FV` for flows, `AV` agents, `SV` skills, `RV` rehearsals. */
export function readYaml(text: string, family: string): Source {
  const report = openReport(family)
  const at = placesOf(text)
  const root = compose(text, family, report, at)
  return {
    ...(root === undefined ? {} : { root }),
    diagnostics: report.list(),
    place: (path, what = "value") => placeOf(root, path, what),
    placeIn(node, excerpt) {
      const found = text.slice(node.start, node.end).indexOf(excerpt)
      return found < 0 ? node.at : at(node.start + found)
    },
  }
}

export type Locate = (offset: number) => Place

function compose(original: string, family: string, report: Report, locate: Locate): Node | undefined {
  if (original.length > MAX_BYTES || utf8Length(original) > MAX_BYTES) {
    report.error(`${family}-LIMIT`, START, `the file is larger than ${MAX_BYTES / 1024} KiB`, "split it, or move long texts into an agent or a skill")
    return undefined
  }
  let text = original
  let edits: readonly number[] = []
  // Each round takes every line it can as text; a second is needed where the first fault of a line hid another.
  for (let round = 0; ; round++) {
    const at: Locate = (offset) => locate(undo(edits, offset))
    const tokens = scan(text, family, report, at)
    if (tokens === undefined) return undefined
    const [document, extra] = [...new Composer({ version: "1.2", uniqueKeys: false, logLevel: "silent" }).compose(tokens, true, text.length)]
    if (document === undefined) return undefined
    const lines = round < 3 ? linesTakenAsText(document, text) : []
    if (lines.length > 0) {
      for (const [start] of lines)
        report.warn(`${family}-TEXT`, at(start), `this line holds ": " and is not quoted; it is taken as text`, `put it in quotes, or after "|" on a line of its own`)
      ;({ text, edits } = quote(text, edits, lines))
      continue
    }
    if (extra !== undefined) {
      report.error(`${family}-PARSE`, at(extra.range[0]), "a second document begins here; a file holds one", `leave out the line "---"`)
    }
    for (const fault of document.errors) reportFault(fault, text, family, report, at)
    for (const fault of document.warnings) report.error(`${family}-PARSE`, at(fault.pos[0]), fault.message)
    const seen = { keys: 0, full: false }
    return document.contents === null ? undefined : convert(document.contents, { text, edits, family, report, at, seen }, at(document.contents.range?.[0] ?? 0))
  }
}

const START: Place = { line: 1, column: 1 }

// The tokens of the CST, or undefined when a limit was met: then nothing further is worth saying.
function scan(text: string, family: string, report: Report, at: Locate): CST.Token[] | undefined {
  const parser = new Parser()
  const tokens: CST.Token[] = []
  const stop = (code: string, message: string, suggestion?: string): undefined => {
    report.error(`${family}-${code}`, at(parser.offset), message, suggestion)
    return undefined
  }
  let keys = 0
  let lexemes = 0
  let scalarNext = false
  for (const lexeme of new Lexer().lex(text)) {
    const type = scalarNext ? "scalar" : CST.tokenType(lexeme)
    scalarNext = lexeme === CST.SCALAR
    if (++lexemes > MAX_LEXEMES) return stop("LIMIT", "the file has too many parts")
    if (type === "map-value-ind" && ++keys > MAX_KEYS) return stop("LIMIT", `the file has more than ${MAX_KEYS} keys`)
    if (type === "anchor" || type === "alias") return stop("ALIAS", `${shown(lexeme)}: anchors and aliases are not used here`, "write the value out, or put it in quotes if it is text")
    if (type === "tag" && !CORE_TAGS.has(lexeme)) return stop("TAG", `${shown(lexeme)}: tags are not used here`, "leave it out, or put the value in quotes if it is text")
    for (const token of parser.next(lexeme)) tokens.push(token)
    if (parser.stack.length > MAX_DEPTH && parser.stack.filter(isCollection).length > MAX_DEPTH) return stop("LIMIT", `the file is nested deeper than ${MAX_DEPTH}`)
    const directive = tokens.at(-1)
    if (directive?.type === "directive" && !/^%YAML\s+1\.2\s*$/.test(directive.source))
      return stop("DIRECTIVE", `${shown(directive.source)}: files are read as YAML 1.2, without directives`, "leave the line out")
  }
  for (const token of parser.end()) tokens.push(token)
  return tokens
}

const CORE_TAGS = new Set(["!!str", "!!int", "!!float", "!!bool", "!!null", "!!map", "!!seq"])
const isCollection = (token: CST.Token): boolean => token.type === "block-map" || token.type === "block-seq" || token.type === "flow-collection"

function reportFault(fault: YAMLError, text: string, family: string, report: Report, at: Locate): void {
  const [start] = fault.pos
  const first = text[start]
  // The library has already read it as a plain text; all it lacks is leave to do so.
  if (fault.code === "BAD_SCALAR_START" && (first === "@" || first === "`"))
    report.warn(`${family}-TEXT`, at(start), `a value beginning with ${first} is taken as text`, "put it in quotes")
  else report.error(`${family}-PARSE`, at(start), `not YAML: ${fault.message}`)
}

/** `description: Use when: …` — the spans that fail only because they hold `: `. */
function linesTakenAsText(document: Document, text: string): [number, number][] {
  const spans = new Map<number, [number, number]>()
  for (const fault of document.errors) {
    if (fault.code !== "BLOCK_AS_IMPLICIT_KEY") continue
    const [start] = fault.pos
    const lineStart = text.lastIndexOf("\n", start - 1) + 1
    const lineEnd = text.indexOf("\n", start) < 0 ? text.length : text.indexOf("\n", start)
    const line = text.slice(start, lineEnd)
    const comment = line.search(/\s#/)
    const span = (comment < 0 ? line : line.slice(0, comment)).trimEnd()
    if (!/^[\s"'[\]{}|>?#&*!%-]/.test(span) && span.includes(": ") && !spans.has(lineStart)) spans.set(lineStart, [start, start + span.length])
  }
  return [...spans.values()].sort((a, b) => a[0] - b[0])
}

/** `edits`: offsets in the new text of characters that are not in the original. */
function quote(text: string, before: readonly number[], spans: readonly (readonly [number, number])[]): { text: string; edits: number[] } {
  const edits: number[] = []
  let out = ""
  let at = 0
  let old = 0
  const copy = (until: number): void => {
    while (old < before.length && (before[old] ?? 0) < until) edits.push((before[old++] ?? 0) - at + out.length)
    out += text.slice(at, until)
    at = until
  }
  const insert = (): void => {
    edits.push(out.length)
    out += "'"
  }
  for (const [start, end] of spans) {
    copy(start)
    insert()
    for (let i = text.indexOf("'", start); i >= 0 && i < end; i = text.indexOf("'", i + 1)) {
      copy(i)
      insert()
    }
    copy(end)
    insert()
  }
  copy(text.length)
  return { text: out, edits }
}

function undo(edits: readonly number[], offset: number): number {
  let low = 0
  let high = edits.length
  while (low < high) {
    const mid = (low + high) >> 1
    if ((edits[mid] ?? 0) < offset) low = mid + 1
    else high = mid
  }
  return offset - low
}

interface Conversion {
  readonly text: string
  readonly edits: readonly number[]
  readonly family: string
  readonly report: Report
  readonly at: Locate
  readonly seen: { keys: number; full: boolean }
}

const REFUSED_KEYS = new Set(["__proto__", "constructor", "prototype"])

// Depth is bounded: `scan` has refused what is nested deeper than MAX_DEPTH.
function convert(node: unknown, c: Conversion, fallback: Place): Node {
  if (isMap(node)) {
    const at = c.at(node.range?.[0] ?? 0)
    const entries: Entry[] = []
    const keys = new Set<string>()
    for (const pair of node.items) {
      const key = isScalar(pair.key) ? pair.key : undefined
      const keyAt = key?.range ? c.at(key.range[0]) : at
      if (++c.seen.keys > MAX_KEYS) {
        if (!c.seen.full) c.report.error(`${c.family}-LIMIT`, keyAt, `the file has more than ${MAX_KEYS} keys`)
        c.seen.full = true
        break
      }
      const name = key === undefined ? undefined : key.value === null && !key.source ? "" : typeof key.value === "string" ? key.value : (key.source ?? String(key.value))
      if (name === undefined || name === "") c.report.error(`${c.family}-KEY`, keyAt, "a key must be a word or a text")
      else if (REFUSED_KEYS.has(name)) c.report.error(`${c.family}-KEY`, keyAt, `the key ${shown(name)} is refused`, "choose another name")
      else if (name === "<<") c.report.error(`${c.family}-KEY`, keyAt, "merge keys are not used here", "write the keys out")
      else if (keys.has(name)) c.report.error(`${c.family}-DUP-KEY`, keyAt, `the key ${shown(name)} is there twice`, "keep one of them")
      else {
        keys.add(name)
        entries.push({ key: name, at: keyAt, value: convert(pair.value, c, keyAt) })
      }
    }
    return { kind: "map", at, entries }
  }
  if (isSeq(node)) {
    const at = c.at(node.range?.[0] ?? 0)
    return { kind: "list", at, items: node.items.map((item) => convert(item, c, at)) }
  }
  if (isScalar(node)) {
    const value = scalarValue(node.value, node.source)
    const start = undo(c.edits, node.range?.[0] ?? 0)
    const end = undo(c.edits, node.range?.[1] ?? 0)
    // An empty value has no place of its own: its key is what one must look at.
    const at = value === null && start === end ? fallback : c.at(node.range?.[0] ?? 0)
    return { kind: "scalar", at, value, text: textOf(value, node.source), start, end }
  }
  if (isAlias(node)) c.report.error(`${c.family}-ALIAS`, fallback, "anchors and aliases are not used here")
  return { kind: "scalar", at: fallback, value: null, text: "", start: 0, end: 0 }
}

/** `.nan`, `.inf` and what a tag made of a value are no JSON: they stay the text they were written as. */
function scalarValue(value: unknown, source: string | undefined): string | number | boolean | null {
  if (typeof value === "string" || typeof value === "boolean" || value === null) return value
  return typeof value === "number" && Number.isFinite(value) ? value : (source ?? "")
}

const textOf = (value: string | number | boolean | null, source: string | undefined): string =>
  value === null ? "" : typeof value === "string" ? value : (source ?? String(value))

/** The tree as JSON. Keys are the file's own, prototypes cannot be among them. */
export function jsonOf(node: Node): Json {
  if (node.kind === "scalar") return node.value
  if (node.kind === "list") return node.items.map(jsonOf)
  return Object.fromEntries(node.entries.map((e) => [e.key, jsonOf(e.value)]))
}

export const entryOf = (node: MapNode, key: string): Entry | undefined => node.entries.find((e) => e.key === key)

function placeOf(root: Node | undefined, path: Path, what: "key" | "value"): Place {
  let at = root?.at ?? START
  let node = root
  path.forEach((part, i) => {
    if (node?.kind === "map" && typeof part === "string") {
      const entry = entryOf(node, part)
      if (entry) at = what === "key" && i === path.length - 1 ? entry.at : entry.value.at
      node = entry?.value
    } else if (node?.kind === "list" && typeof part === "number") {
      node = node.items[part]
      if (node) at = node.at
    } else node = undefined
  })
  return at
}

/** Offsets of a text as lines and columns, both from 1. */
export function placesOf(text: string): Locate {
  const starts = [0]
  for (let i = text.indexOf("\n"); i >= 0; i = text.indexOf("\n", i + 1)) starts.push(i + 1)
  return (offset) => {
    let low = 0
    let high = starts.length
    while (low + 1 < high) {
      const mid = (low + high) >> 1
      if ((starts[mid] ?? 0) <= offset) low = mid
      else high = mid
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 }
  }
}
