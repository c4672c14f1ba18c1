// Converts HTML to Markdown [T21] without a DOM: a parser's events become a small tree, and the tree becomes text. Scripts, styles and
// hidden content are left out: a model reads what a person would see.

import type { Pieces } from "../../core/pieces.ts"
import { BLOCKS, treeOf, words, type Element } from "./html-tree.ts"

export interface MarkdownPage {
  readonly title?: string
  readonly markdown: string
}

/** `base`: the page's address; links are resolved against it. */
export function* htmlToMarkdown(html: string, base: string): Pieces<MarkdownPage> {
  const tree = yield* treeOf(html)
  if (!tree) return { markdown: withoutTags(html) }
  const { root, title, href } = tree
  const from = { base: (href === undefined ? null : URL.parse(href, base))?.href ?? base, seen: 0 }
  const blocks = yield* blocksOf(root.children, from)
  const markdown = blocks.join("\n\n").replace(/\n{3,}/g, "\n\n")
  const plain = collapsed(title).trim()
  return { ...(plain === "" ? {} : { title: plain }), markdown }
}

/** The address that links are resolved against, and how many elements and texts were read. */
interface Reading {
  readonly base: string
  seen: number
}

/** [N4] So many elements and texts are read at one go: a millisecond or two. */
const PIECE = 256
const PIECE_WORK = 100_000

/** For a page that nests too deeply. */
const withoutTags = (html: string): string =>
  html
    .replace(/<[^<>]*>/g, " ")
    .replace(/\s+/g, " ")
    .trim()

/** Blocks in order; inline content between them becomes a paragraph. */
function* blocksOf(children: readonly (Element | string)[], from: Reading, blocks: string[] = []): Pieces<string[]> {
  let run: (Element | string)[] = []
  const flush = function* (): Pieces<void> {
    const text = yield* inlineOf(run, from)
    if (text !== "") blocks.push(text)
    run = []
  }
  for (const child of children) {
    if (++from.seen % PIECE === 0) yield PIECE_WORK
    if (typeof child === "string" || !(BLOCKS.has(child.tag) || child.hasBlock)) run.push(child)
    else {
      yield* flush()
      const own = yield* blockOf(child, from)
      // Containers write into the same list: copying it at each level would take seconds for deep pages.
      if (own === undefined) yield* blocksOf(child.children, from, blocks)
      else for (const block of own) blocks.push(block)
    }
  }
  yield* flush()
  return blocks
}

/** undefined: the element is not a block itself; its descendants may be. */
function* blockOf(element: Element, from: Reading): Pieces<readonly string[] | undefined> {
  const { tag, children } = element
  switch (tag) {
    case "h1":
    case "h2":
    case "h3":
    case "h4":
    case "h5":
    case "h6": {
      const text = (yield* inlineOf(children, from)).replaceAll("\n", " ")
      return text === "" ? [] : [`${"#".repeat(Number(tag[1]))} ${text}`]
    }
    case "hr":
      return ["---"]
    case "pre":
      return [fenced(rawText(element), languageOf(element))]
    case "blockquote":
      return quoted(yield* blocksOf(children, from))
    case "ul":
    case "ol":
      return yield* listOf(element, from)
    case "table":
      return yield* tableOf(element, from)
    case "dt": {
      const text = yield* inlineOf(children, from)
      return text === "" ? [] : [`**${text}**`]
    }
    default:
      return undefined
  }
}

const quoted = (blocks: readonly string[]): readonly string[] =>
  blocks.length === 0 ? [] : [blocks.join("\n\n").replace(/^/gm, "> ").replace(/^> $/gm, ">")]

function* listOf({ tag, attrs, children }: Element, from: Reading): Pieces<readonly string[]> {
  let number = Number.parseInt(attrs["start"] ?? "1", 10) || 1
  const items: string[] = []
  for (const child of children) {
    const blocks = yield* blocksOf(typeof child !== "string" && child.tag === "li" ? child.children : [child], from)
    if (blocks.length === 0) continue
    const bullet = tag === "ol" ? `${number++}. ` : "- "
    // A nested list follows its item's text directly.
    const whole = blocks.reduce((text, block) => text + (/^(- |\d+\. )/.test(block) ? "\n" : "\n\n") + block)
    items.push(bullet + whole.replace(/\n(?!\n|$)/g, `\n${" ".repeat(bullet.length)}`))
  }
  return items.length === 0 ? [] : [items.join("\n")]
}

/** A table of plain cells; a layout table is read cell by cell. */
function* tableOf(table: Element, from: Reading): Pieces<readonly string[]> {
  const rows = rowsOf(table)
  const cells = rows.map((row) => row.children.filter((cell) => typeof cell !== "string" && (cell.tag === "td" || cell.tag === "th")))
  const isLayout = cells
    .flat()
    .some((cell) => typeof cell !== "string" && cell.children.some((c) => typeof c !== "string" && LAYS_OUT.has(c.tag)))
  const width = cells.reduce((most, row) => Math.max(most, row.length), 0)
  if (isLayout || width < 2) return yield* blocksOf(cells.flat(), from)
  // One long row among many short ones: to fill the short ones up would make millions of cells out of thousands.
  const isRagged = width * cells.length > MOST_EMPTY + 2 * cells.flat().length
  const line = (texts: readonly string[]): string =>
    `| ${(isRagged ? texts : Array.from({ length: width }, (_, i) => texts[i] ?? "")).join(" | ")} |`
  const texts: string[][] = []
  for (const row of cells) {
    const line: string[] = []
    for (const cell of row) {
      const text = yield* inlineOf(typeof cell === "string" ? [] : cell.children, from)
      line.push(text.replaceAll("\n", " ").replaceAll("|", "\\|"))
    }
    texts.push(line)
  }
  const [head = [], ...body] = texts
  return [[line(head), line(Array.from({ length: width }, () => "---")), ...body.map(line)].join("\n")]
}

const MOST_EMPTY = 10_000 // limit: empty cells that a table is filled up with → its short rows stay short

const LAYS_OUT = words("table ul ol pre h1 h2 h3 h4 h5 h6 form section article")

const rowsOf = (element: Element): readonly Element[] =>
  element.children.flatMap((child) =>
    typeof child === "string" ? [] : child.tag === "tr" ? [child] : /^t(head|body|foot)$/.test(child.tag) ? rowsOf(child) : [],
  )

function* inlineOf(children: readonly (Element | string)[], from: Reading): Pieces<string> {
  const text = yield* inlines(children, from)
  // The order matters: on runs of spaces the second pattern would take quadratic time.
  return text
    .replace(/ {2,}/g, " ")
    .replace(/ ?\n ?/g, "\n")
    .trim()
}

function* inlines(children: readonly (Element | string)[], from: Reading): Pieces<string> {
  const texts: string[] = []
  for (const child of children) {
    if (++from.seen % PIECE === 0) yield PIECE_WORK
    texts.push(typeof child === "string" ? collapsed(child) : yield* inline(child, from))
  }
  return texts.join("")
}

function* inline(element: Element, from: Reading): Pieces<string> {
  const { tag, attrs, children } = element
  switch (tag) {
    case "br":
      return "\n"
    case "img":
      return imageOf(attrs, from.base)
    case "code":
    case "kbd":
    case "samp": {
      const text = rawText(element)
      return text.trim() === "" ? text : coded(text)
    }
    case "a":
      return linkOf(yield* inlines(children, from), attrs["href"], from.base)
    case "b":
    case "strong":
      return around("**", yield* inlines(children, from))
    case "i":
    case "em":
      return around("_", yield* inlines(children, from))
    case "del":
    case "s":
      return around("~~", yield* inlines(children, from))
    default:
      return BLOCKS.has(tag) ? ` ${yield* inlines(children, from)} ` : yield* inlines(children, from)
  }
}

/** Leading and trailing spaces stay outside: `** a**` is not emphasis. */
function around(sign: string, text: string): string {
  const core = text.trim()
  return core === "" ? text : text.replace(core, () => sign + core + sign)
}

function linkOf(text: string, href: string | undefined, base: string): string {
  const target = href === undefined || href.startsWith("#") ? undefined : addressOf(href, base)
  const label = text.replaceAll("\n", " ").trim()
  return target === undefined || label === "" ? text : text.replace(text.trim(), () => `[${label}](${target})`)
}

function imageOf(attrs: Readonly<Record<string, string>>, base: string): string {
  const source = addressOf(attrs["src"] ?? "", base)
  const alt = collapsed(attrs["alt"] ?? "").trim()
  return source === undefined ? alt : alt === "" ? "" : `![${alt}](${source})`
}

function addressOf(href: string, base: string): string | undefined {
  const url = href.trim() === "" ? null : URL.parse(href, base)
  if (url === null || !/^(https?|mailto):$/.test(url.protocol)) return undefined
  return url.href.replaceAll("(", "%28").replaceAll(")", "%29")
}

const collapsed = (text: string): string => text.replace(/[ \t\r\n\f]+/g, " ")

const rawText = (element: Element): string =>
  element.children.map((child) => (typeof child === "string" ? child : child.tag === "br" ? "\n" : rawText(child))).join("")

function fenced(text: string, language: string): string {
  const fence = "`".repeat(Math.max(3, longestTicks(text) + 1))
  return `${fence}${language}\n${text.replace(/^\n|\n$/g, "")}\n${fence}`
}

function coded(text: string): string {
  const plain = collapsed(text).trim()
  const ticks = "`".repeat(longestTicks(plain) + 1)
  return plain.includes("`") ? `${ticks} ${plain} ${ticks}` : `${ticks}${plain}${ticks}`
}

const longestTicks = (text: string): number => (text.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0)

function languageOf(element: Element): string {
  const inner = element.children.find((child) => typeof child !== "string" && child.tag === "code")
  const classes = `${element.attrs["class"] ?? ""} ${typeof inner === "object" ? (inner.attrs["class"] ?? "") : ""}`
  return /\blanguage-([A-Za-z0-9+#-]{1,30})/.exec(classes)?.[1] ?? ""
}
