// Parses an answer's Markdown into data: paragraphs, headings, lists, quotes, tables, code and links. It has no HTML and no images, and the
// renderer creates text nodes only. Unknown markup is kept as plain text. Every text is read in one pass.

import { tableAt } from "./markdown-table.ts"

export type Span =
  | { readonly is: "text" | "code"; readonly text: string }
  | { readonly is: "strong" | "em"; readonly spans: readonly Span[] }
  | { readonly is: "link"; readonly text: string; readonly url: string }

export type Block =
  | { readonly is: "paragraph" | "quote"; readonly spans: readonly Span[] }
  | { readonly is: "heading"; readonly level: number; readonly spans: readonly Span[] }
  | { readonly is: "code"; readonly text: string }
  | { readonly is: "list"; readonly ordered: boolean; readonly start: number; readonly items: readonly (readonly Span[])[] }
  | { readonly is: "rule" }
  | {
      readonly is: "table"
      readonly heads: readonly (readonly Span[])[]
      /** Of each column: whether its cells stand at the right, as numbers do. */
      readonly atEnd: readonly boolean[]
      readonly rows: readonly (readonly (readonly Span[])[])[]
    }

const FENCE = /^ {0,3}(```|~~~)/
const HEADING = /^(#{1,6}) +(\S.*)$/
const ITEM = /^ {0,8}(?:[-*+]|(\d{1,9})[.)]) +(\S.*)$/
const QUOTE = /^ {0,3}> ?(.*)$/
const RULE = /^ {0,3}([-*_])(?: *\1){2,} *$/

export function blocksOf(markdown: string): Block[] {
  const blocks: Block[] = []
  const lines = markdown.replaceAll("\r\n", "\n").split("\n")
  let words: string[] = []
  const paragraph = (): void => {
    if (words.length > 0) blocks.push({ is: "paragraph", spans: spansOf(words.join("\n")) })
    words = []
  }
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? ""
    const fence = FENCE.exec(line)?.[1]
    const heading = HEADING.exec(line)
    const isItem = ITEM.test(line) && !RULE.test(line)
    const table = line.includes("|") ? tableAt(lines, at) : undefined
    if (table) {
      paragraph()
      const { heads, atEnd, rows, last } = table
      const cells = (line: readonly string[]): Span[][] => line.map((cell) => spansOf(cell))
      blocks.push({ is: "table", heads: cells(heads), atEnd, rows: rows.map(cells) })
      at = last
      continue
    }
    if (fence === undefined && !heading && !isItem && !QUOTE.test(line) && !RULE.test(line)) {
      if (line.trim() === "") paragraph()
      else words.push(line)
      continue
    }
    paragraph()
    if (fence !== undefined) {
      const from = at + 1
      at = from
      while (at < lines.length && !(lines[at] ?? "").trimStart().startsWith(fence)) at += 1
      blocks.push({ is: "code", text: lines.slice(from, at).join("\n") })
    } else if (heading) blocks.push({ is: "heading", level: heading[1]?.length ?? 1, spans: spansOf(heading[2] ?? "") })
    else if (isItem) at = list(lines, at, blocks)
    else if (QUOTE.test(line)) {
      const from = at
      while (at + 1 < lines.length && QUOTE.test(lines[at + 1] ?? "")) at += 1
      const quoted = lines.slice(from, at + 1).map((one) => QUOTE.exec(one)?.[1] ?? "")
      blocks.push({ is: "quote", spans: spansOf(quoted.join("\n")) })
    } else blocks.push({ is: "rule" })
  }
  paragraph()
  return blocks
}

/** The last line of the list that begins at `from`. A line under an item that is no item goes on with it. */
function list(lines: readonly string[], from: number, blocks: Block[]): number {
  const first = ITEM.exec(lines[from] ?? "")
  const ordered = first?.[1] !== undefined
  const items: string[][] = []
  let at = from
  for (; at < lines.length; at += 1) {
    const line = lines[at] ?? ""
    const item = ITEM.exec(line)
    if (item && (item[1] !== undefined) === ordered && !RULE.test(line)) items.push([item[2] ?? ""])
    else if (line.startsWith("  ") && line.trim() !== "" && !item) items.at(-1)?.push(line.trim())
    else break
  }
  blocks.push({ is: "list", ordered, start: Number(first?.[1] ?? 1), items: items.map((words) => spansOf(words.join("\n"))) })
  return at - 1
}

const MARKS = /[`*_[h]/g
const ADDRESS = /^https?:\/\/[^\s<>"'`]+/

export function spansOf(text: string, depth = 0): Span[] {
  const spans: Span[] = []
  /** Ends that do not come any more, so that they are looked for once. */
  const missing = new Set<string>()
  const find = (end: string, from: number): number => {
    if (missing.has(end)) return -1
    const at = text.indexOf(end, from)
    if (at < 0) missing.add(end)
    return at
  }
  let told = 0
  const tell = (until: number): void => {
    if (until > told) spans.push({ is: "text", text: text.slice(told, until) })
  }
  MARKS.lastIndex = 0
  for (let at = nextMark(text, 0); at >= 0;) {
    const found = spanAt(text, at, find, depth)
    if (found) {
      tell(at)
      spans.push(found.span)
      told = found.end
      at = nextMark(text, found.end)
    } else at = nextMark(text, at + (text[at] === text[at + 1] ? 2 : 1))
  }
  tell(text.length)
  return spans
}

function nextMark(text: string, from: number): number {
  MARKS.lastIndex = from
  return MARKS.exec(text)?.index ?? -1
}

type Found = { readonly span: Span; readonly end: number }

function spanAt(text: string, at: number, find: (end: string, from: number) => number, depth: number): Found | undefined {
  const mark = text[at] ?? ""
  const isTwice = text[at + 1] === mark
  if (mark === "`") {
    const end = find("`", at + 1)
    return end > at + 1 ? { span: { is: "code", text: text.slice(at + 1, end) }, end: end + 1 } : undefined
  }
  if (mark === "[") return linkAt(text, at, find)
  if (mark === "h") return addressAt(text, at)
  const marks = isTwice ? mark + mark : mark
  const from = at + marks.length
  // `snake_case` and `2 * 3` are no emphasis.
  if (depth > 2 || /\s|^$/.test(text[from] ?? "") || (mark === "_" && /\w/.test(text[at - 1] ?? ""))) return undefined
  const end = find(marks, from + 1)
  if (end < 0 || /\s/.test(text[end - 1] ?? "") || (mark === "_" && /\w/.test(text[end + marks.length] ?? ""))) return undefined
  return { span: { is: isTwice ? "strong" : "em", spans: spansOf(text.slice(from, end), depth + 1) }, end: end + marks.length }
}

function linkAt(text: string, at: number, find: (end: string, from: number) => number): Found | undefined {
  const middle = find("](", at + 1)
  const end = middle < 0 ? -1 : find(")", middle + 2)
  if (end < 0 || end - at > 2_000) return undefined
  const url = webAddress(text.slice(middle + 2, end).trim())
  return url === undefined ? undefined : { span: { is: "link", text: text.slice(at + 1, middle), url }, end: end + 1 }
}

function addressAt(text: string, at: number): Found | undefined {
  if (/\w/.test(text[at - 1] ?? "")) return undefined
  const found = ADDRESS.exec(text.slice(at, at + 2_000))?.[0].replace(/[.,;:!?)\]}*_]+$/, "")
  const url = found === undefined ? undefined : webAddress(found)
  return found === undefined || url === undefined ? undefined : { span: { is: "link", text: found, url }, end: at + found.length }
}

/** Only what a browser opens as a page of another site. */
function webAddress(address: string): string | undefined {
  const url = URL.parse(address)
  return url && (url.protocol === "https:" || url.protocol === "http:") ? url.href : undefined
}
