// Parses YAML text into a tree with the place of every node [F1]. Never throws; all faults are diagnostics.
//
// yaml-scan.ts enforces the limits, yaml-text.ts tolerates common mistakes, yaml-tree.ts is the result. The library's own
// duplicate-key check is off: it is quadratic (20,000 keys took 4–12 s); the tree's is one Set.

import { Composer, visit, type Document, type YAMLError } from "yaml"
import { defined } from "../../defined.ts"
import type { Diagnostic } from "../../diagnostic.ts"
import type { Json } from "../../json.ts"
import type { FileFamily } from "../../diagnostic-codes.ts"
import { type Locate, type SourcePlace, placesOf, START } from "./place.ts"
import { openReport, shown, type Report } from "./report.ts"
import { isTooLarge, limitsOf, scanYaml } from "./yaml-scan.ts"
import { strayLines, type StrayLine } from "./stray-indent.ts"
import { linesTakenAsText, lookalikeIn, quote, takenAsText, undo } from "./yaml-text.ts"
import { treeOf, type MapEntry, type MapNode, type YamlNode, type ScalarNode } from "./yaml-tree.ts"

export type Path = readonly (string | number)[]

export interface Source {
  /** Undefined if the text is empty, exceeds a limit, or is not YAML. */
  readonly root?: YamlNode
  readonly diagnostics: readonly Diagnostic[]
  /** The place of the key or the value at `path`, or of the nearest existing parent. */
  place(path: Path, what?: "key" | "value"): SourcePlace
  /** A scalar as the file has it, with its quotes. */
  written(node: ScalarNode): string
  /** The place of `excerpt` inside a scalar; `before` is the number of earlier occurrences to skip. */
  placeIn(node: ScalarNode, excerpt: string, before?: number): SourcePlace
}

/** `family` is the prefix of the codes: `FV` for flows, `AV` agents, `SV` skills, `RV` rehearsals, `TV` tests. `exact`: see `Conversion`. */
export function readYaml(text: string, family: FileFamily, exact = true): Source {
  const report = openReport(family)
  const at = placesOf(text)
  const root = compose({ text, family, exact }, report, at)
  return {
    ...defined({ root }),
    diagnostics: report.list(),
    place: (path, what = "value") => placeOf(root, path, what),
    written: (node) => text.slice(node.start, node.end),
    placeIn(node, excerpt, before = 0) {
      const inFile = text.slice(node.start, node.end)
      let found = inFile.indexOf(excerpt)
      for (let i = 0; i < before && found >= 0; i++) found = inFile.indexOf(excerpt, found + 1)
      return found < 0 ? node.at : at(node.start + found)
    },
  }
}

interface Asked {
  readonly text: string
  readonly family: FileFamily
  readonly exact: boolean
}

function compose({ text: original, family, exact }: Asked, report: Report, locate: Locate): YamlNode | undefined {
  const { bytes } = limitsOf(family)
  if (isTooLarge(original, bytes)) {
    report.error(
      `${family}-LIMIT`,
      START,
      `the file is larger than ${bytes / 1024} KiB`,
      "split it, or move long texts into an agent or a skill",
    )
    return undefined
  }
  let text = original
  let edits: readonly number[] = []
  // Each round quotes every line that it can. Another round is needed when the first fault of a line hides a second.
  for (let round = 0; ; round++) {
    const at: Locate = (offset) => locate(undo(edits, offset))
    const tokens = scanYaml(text, family, report, at)
    if (tokens === undefined) return undefined
    const [document, extra] = [
      ...new Composer({ version: "1.2", uniqueKeys: false, logLevel: "silent" }).compose(tokens, true, text.length),
    ]
    if (document === undefined) return undefined
    const lines = round < 3 ? linesTakenAsText(document, text) : []
    if (lines.length > 0) {
      for (const [start] of lines)
        report.warn(
          `${family}-TEXT`,
          at(start),
          `this line contains ": " and is not quoted, so it is read as text`,
          `put it in quotes, or write it after "|" on a separate line`,
        )
      ;({ text, edits } = quote(text, edits, lines))
      continue
    }
    if (extra !== undefined) {
      report.error(
        `${family}-DOCUMENTS`,
        at(extra.range[0]),
        "a second document begins here; a file contains only one",
        `remove the line "---"`,
      )
    }
    const strays = document.errors.some(isIndent) ? strayLines(text) : []
    const faults = document.errors.filter((fault) => !takenAsText(fault, text))
    for (const fault of document.errors) {
      const template = templateAround(text, fault.pos[0])
      if (template !== undefined) {
        // Later faults on this line would only mislead.
        report.error(
          `${family}-PARSE`,
          at(template.start),
          `invalid YAML: ${shown(template.text)} needs quotes, because braces inside { } and [ ] belong to YAML`,
          template.text.includes('"') ? `in quotes: '${template.text.replaceAll("'", "''")}'` : `in quotes: "${template.text}"`,
        )
        break
      }
      const line = lineAround(text, fault.pos[0])
      const odd = lookalikeIn(line.text)
      if (odd !== undefined) {
        report.error(`${family}-PARSE`, at(line.start + odd.at), `invalid YAML: here is ${odd.says}`, odd.write)
        break
      }
      const stray = isIndent(fault) ? strayNear(text, fault.pos[0], strays) : undefined
      if (stray !== undefined) {
        report.error(
          `${family}-PARSE`,
          at(stray.start),
          `invalid YAML: this line is indented by ${spaces(stray.indent)}, and the lines that it belongs to by ${stray.meant}`,
          stray.meant === 0 ? "remove the spaces" : `indent it by ${spaces(stray.meant)}`,
        )
        break
      }
      const start = fault.code === "MISSING_CHAR" ? (quoteBefore(document, fault.pos[0]) ?? fault.pos[0]) : fault.pos[0]
      const first = text[start] ?? ""
      if (takenAsText(fault, text))
        report.warn(`${family}-TEXT`, at(start), `a value that begins with ${first} is read as text`, "put it in quotes")
      else report.error(`${family}-PARSE`, at(start), `invalid YAML: ${fault.message}`, repairOf(fault))
    }
    // The tree of broken syntax is a guess of the library; faults found in it would only mislead.
    if (faults.length > 0) return undefined
    for (const fault of document.warnings) report.error(`${family}-PARSE`, at(fault.pos[0]), fault.message)
    const seen = { keys: 0, full: false }
    return document.contents === null
      ? undefined
      : treeOf(document.contents, { text, edits, family, report, at, exact, seen }, at(document.contents.range?.[0] ?? 0))
  }
}

/** The `${{ … }}` around a fault: the cause is then the missing quotes, no matter what the parser reports. */
function templateAround(text: string, offset: number): { start: number; text: string } | undefined {
  const start = text.lastIndexOf("${{", offset)
  const close = start < 0 ? -1 : text.indexOf("}}", start)
  const whole = close < 0 ? "" : text.slice(start, close + 2)
  return whole === "" || offset >= close + 2 || whole.length > 200 || whole.includes("\n") ? undefined : { start, text: whole }
}

function lineAround(text: string, offset: number): { start: number; text: string } {
  const start = text.lastIndexOf("\n", offset - 1) + 1
  const end = text.indexOf("\n", offset)
  return { start, text: text.slice(start, end < 0 ? text.length : end) }
}

/** Faults that one line with a wrong indent causes. */
const INDENTED: ReadonlySet<string> = new Set(["BAD_INDENT", "BLOCK_AS_IMPLICIT_KEY", "MULTILINE_IMPLICIT_KEY"])
const isIndent = ({ code, message }: YAMLError): boolean => INDENTED.has(code) || message.startsWith("Sequence item without")
const spaces = (count: number): string => `${count} ${count === 1 ? "space" : "spaces"}`

/** The line with a wrong indent at this fault, or below it, where its consequence is found first. */
function strayNear(text: string, offset: number, strays: readonly StrayLine[]): (StrayLine & { readonly start: number }) | undefined {
  const line = text.slice(0, offset).split("\n").length - 1
  const stray = strays.find((one) => one.line === line || one.line === line + 1)
  if (stray === undefined) return undefined
  let start = 0
  for (let n = 0; n < stray.line; n++) start = text.indexOf("\n", start) + 1
  return { ...stray, start: start + stray.indent }
}

/** The start of the quote that is still open at this offset. */
function quoteBefore(document: Document.Parsed, offset: number): number | undefined {
  let found: number | undefined
  visit(document, {
    Scalar(_, { type, range }) {
      if (type?.startsWith("QUOTE") === true && range && range[0] < offset && offset <= range[2]) found = range[0]
    },
  })
  return found
}

function repairOf({ code, message }: YAMLError): string {
  if (message.startsWith("Implicit map keys need")) return "write it as key: value, with a space after the colon"
  if (message.startsWith("Sequence item without")) return 'begin each list item with "- ", all in the same column'
  return REPAIRS[code] ?? "put the value in quotes"
}

/** The most likely repair for each of the parser's codes. */
const REPAIRS: Readonly<Record<string, string>> = {
  MISSING_CHAR: "close the open quote or bracket",
  BAD_INDENT: "close the open bracket; indent each level by two spaces, with related lines in the same column",
  TAB_AS_INDENT: "indent with spaces, not tabs",
  BLOCK_AS_IMPLICIT_KEY: "put the value in quotes, or write each key on its own line",
  MULTILINE_IMPLICIT_KEY: "keep the key on one line, or close the quote or bracket before it",
  BLOCK_IN_FLOW: "write everything inside [ ] and { } on one line",
  BAD_DQ_ESCAPE: "use single quotes, or write \\\\ for a backslash",
  UNEXPECTED_TOKEN: "remove it, or put the value in quotes",
}

/** The tree as JSON. The tree has already refused prototype keys. */
export function jsonOf(node: YamlNode): Json {
  if (node.kind === "scalar") return node.value
  if (node.kind === "list") return node.items.map(jsonOf)
  return Object.fromEntries(node.entries.map((e) => [e.key, jsonOf(e.value)]))
}

export const entryOf = (node: MapNode, key: string): MapEntry | undefined => node.entries.find((e) => e.key === key)

function placeOf(root: YamlNode | undefined, path: Path, what: "key" | "value"): SourcePlace {
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
