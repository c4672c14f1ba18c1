// YAML text → a tree that knows where everything stands [F1]. Never throws; all faults come back as diagnostics.
//
// yaml-scan.ts holds the limits, yaml-text.ts is lenient where people are careless, yaml-tree.ts is the result. The library's own
// duplicate-key check is off: it is quadratic (20,000 keys took 4–12 s); the tree's is one Set.

import { Composer, visit, type Document, type YAMLError } from "yaml"
import type { Diagnostic } from "../../diagnostic.ts"
import type { Json } from "../../json.ts"
import type { FileFamily } from "./codes.ts"
import { type Locate, type Place, placesOf, START } from "./place.ts"
import { openReport, shown, type Report } from "./report.ts"
import { isTooLarge, MAX_BYTES, scanYaml } from "./yaml-scan.ts"
import { linesTakenAsText, quote, takenAsText, undo } from "./yaml-text.ts"
import { treeOf, type Entry, type MapNode, type Node, type ScalarNode } from "./yaml-tree.ts"

export type Path = readonly (string | number)[]

export interface Source {
  /** Undefined when the text is empty, over a limit, or no YAML. */
  readonly root?: Node
  readonly diagnostics: readonly Diagnostic[]
  /** Where the key or the value at `path` stands; of a path that is not there, its nearest parent. */
  place(path: Path, what?: "key" | "value"): Place
  /** Where `excerpt` stands inside a scalar, in a block of many lines its own line; `before`: how often it stands there earlier. */
  placeIn(node: ScalarNode, excerpt: string, before?: number): Place
}

/** `family` is the prefix of the codes: `FV` for flows, `AV` agents, `SV` skills, `RV` rehearsals. */
export function readYaml(text: string, family: FileFamily): Source {
  const report = openReport(family)
  const at = placesOf(text)
  const root = compose(text, family, report, at)
  return {
    ...(root === undefined ? {} : { root }),
    diagnostics: report.list(),
    place: (path, what = "value") => placeOf(root, path, what),
    placeIn(node, excerpt, before = 0) {
      const written = text.slice(node.start, node.end)
      let found = written.indexOf(excerpt)
      for (let i = 0; i < before && found >= 0; i++) found = written.indexOf(excerpt, found + 1)
      return found < 0 ? node.at : at(node.start + found)
    },
  }
}

function compose(original: string, family: FileFamily, report: Report, locate: Locate): Node | undefined {
  if (isTooLarge(original)) {
    report.error(
      `${family}-LIMIT`,
      START,
      `the file is larger than ${MAX_BYTES / 1024} KiB`,
      "split it, or move long texts into an agent or a skill",
    )
    return undefined
  }
  let text = original
  let edits: readonly number[] = []
  // Each round takes every line it can as text; a second is needed where the first fault of a line hid another.
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
          `this line holds ": " and is not quoted; it is taken as text`,
          `put it in quotes, or after "|" on a line of its own`,
        )
      ;({ text, edits } = quote(text, edits, lines))
      continue
    }
    if (extra !== undefined) {
      report.error(`${family}-DOCUMENTS`, at(extra.range[0]), "a second document begins here; a file holds one", `leave out the line "---"`)
    }
    const faults = document.errors.filter((fault) => !takenAsText(fault, text))
    for (const fault of document.errors) {
      const template = templateAround(text, fault.pos[0])
      if (template !== undefined) {
        // The rest of the line is a guess of a guess.
        report.error(
          `${family}-PARSE`,
          at(template.start),
          `not YAML: ${shown(template.text)} is not in quotes, and inside of { } and [ ] braces are YAML's own`,
          `in quotes: "${template.text}"`,
        )
        break
      }
      const start = fault.code === "MISSING_CHAR" ? (quoteBefore(document, fault.pos[0]) ?? fault.pos[0]) : fault.pos[0]
      const first = text[start] ?? ""
      if (takenAsText(fault, text))
        report.warn(`${family}-TEXT`, at(start), `a value beginning with ${first} is taken as text`, "put it in quotes")
      else report.error(`${family}-PARSE`, at(start), `not YAML: ${fault.message}`, repairOf(fault))
    }
    // What the library makes of broken syntax is a guess; more faults found in a guess would only mislead.
    if (faults.length > 0) return undefined
    for (const fault of document.warnings) report.error(`${family}-PARSE`, at(fault.pos[0]), fault.message)
    const seen = { keys: 0, full: false }
    return document.contents === null
      ? undefined
      : treeOf(document.contents, { text, edits, family, report, at, seen }, at(document.contents.range?.[0] ?? 0))
  }
}

/** The `${{ … }}` that a fault stands in: then it is the lack of quotes, whatever the parser calls it. */
function templateAround(text: string, offset: number): { start: number; text: string } | undefined {
  const start = text.lastIndexOf("${{", offset)
  const close = start < 0 ? -1 : text.indexOf("}}", start)
  const whole = close < 0 ? "" : text.slice(start, close + 2)
  return whole === "" || offset >= close + 2 || whole.length > 200 || whole.includes("\n") ? undefined : { start, text: whole }
}

/** Where the quote opens that is still open here. */
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
  if (message.startsWith("Implicit map keys need")) return "write it as key: value, with a blank after the colon"
  if (message.startsWith("Sequence item without")) return 'begin each item of the list with "- ", all in one column'
  return REPAIRS[code] ?? "put the value in quotes"
}

/** What most often helps, by the parser's own codes. */
const REPAIRS: Readonly<Record<string, string>> = {
  MISSING_CHAR: "close the quote or the bracket that is open",
  BAD_INDENT: "close the bracket that is open; indent each level with two blanks, what belongs together in one column",
  TAB_AS_INDENT: "indent with blanks, not with tabs",
  BLOCK_AS_IMPLICIT_KEY: "put the value in quotes, or begin a line for each key",
  MULTILINE_IMPLICIT_KEY: "keep a key on one line, or close what is open before it",
  BLOCK_IN_FLOW: "inside of [ ] and { } write everything in one line",
  BAD_DQ_ESCAPE: "use single quotes, or write \\\\ for a backslash",
  UNEXPECTED_TOKEN: "leave it out, or put the value in quotes",
}

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
