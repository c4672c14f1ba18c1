// Builds a small tree of a page [T21] from a parser's events: visible elements and their text. Dropped and hidden elements never enter the
// tree.

import { Parser } from "htmlparser2"
import { defined } from "../../core/defined.ts"
import type { Pieces } from "../../core/pieces.ts"

export interface Element {
  readonly tag: string
  readonly attrs: Readonly<Record<string, string>>
  readonly children: (Element | string)[]
  /** True if a descendant is a block. */
  hasBlock: boolean
}

export const words = (list: string): ReadonlySet<string> => new Set(list.split(" "))

const DROPPED = words(
  "script style noscript template svg math iframe object embed canvas audio video head link meta input select textarea datalist dialog",
)
export const BLOCKS = words(
  "address article aside blockquote body center dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html li main nav ol p pre section summary table tbody td tfoot th thead tr ul",
)
/** Deeper nesting is flattened: no real page has it, and the tree is walked recursively. */
const MOST_DEPTH = 150 // limit: levels of a page's elements → deeper ones are flattened
/** The parser scans its list of open tags at each tag: a million open tags would take hours. */
const MOST_OPEN = 1_000 // limit: open tags of a page → further ones are not opened
/** Elements that indent their lines: every line pays for each level. */
const NESTS = words("blockquote ul ol")
const MOST_NESTED = 6 // limit: levels of lists and quotes → deeper ones are flattened

/** [N4] What is parsed at one go: a few milliseconds. */
const PIECE_CHARS = 32 * 1024
const PARSED = 20

class TooDeep extends Error {}

/** The tree of a page; undefined: the page is nested too deeply. */
export function* treeOf(html: string): Pieces<{ readonly root: Element; readonly title: string; readonly href?: string } | undefined> {
  const root: Element = { tag: "html", attrs: {}, children: [], hasBlock: true }
  const open: Element[] = [root]
  let title = ""
  let inTitle = false
  let seenTitle = false
  let href: string | undefined
  // Number of open elements; the parser closes each one it opened.
  let dropped = 0
  let flat = 0
  let nested = 0
  const parser = new Parser({
    onopentag(tag, attrs) {
      if (open.length + flat + dropped > MOST_OPEN) throw new TooDeep()
      if (tag === "title" && !seenTitle) inTitle = true
      if (tag === "base") href ??= attrs["href"]
      if (dropped > 0 || ((DROPPED.has(tag) || isHidden(attrs)) && tag !== "html" && tag !== "body")) {
        dropped += 1
        return
      }
      if (open.length > MOST_DEPTH) {
        flat += 1
        return
      }
      const isNest = NESTS.has(tag)
      const element: Element = { tag: isNest && nested >= MOST_NESTED ? "div" : tag, attrs, children: [], hasBlock: false }
      if (isNest) nested += 1
      open.at(-1)?.children.push(element)
      if (BLOCKS.has(tag)) for (let i = open.length - 1; i >= 0 && open[i]?.hasBlock === false; i--) mark(open[i])
      open.push(element)
    },
    ontext(text) {
      if (inTitle) title += text
      else if (dropped === 0) open.at(-1)?.children.push(text)
    },
    onclosetag(tag) {
      if (dropped === 0 && flat === 0 && NESTS.has(tag)) nested -= 1
      if (tag === "title" && inTitle) {
        inTitle = false
        seenTitle = true
      }
      if (dropped > 0) dropped -= 1
      else if (flat > 0) flat -= 1
      else if (open.length > 1) open.pop()
    },
  })
  try {
    for (let at = 0; at < html.length; at += PIECE_CHARS) {
      parser.write(html.slice(at, at + PIECE_CHARS))
      yield PIECE_CHARS * PARSED
    }
    parser.end()
  } catch (e) {
    if (e instanceof TooDeep) return undefined
    throw e
  }
  return { root, title, ...defined({ href }) }
}

function mark(element: Element | undefined): void {
  if (element) element.hasBlock = true
}

const isHidden = (attrs: Readonly<Record<string, string>>): boolean =>
  Object.hasOwn(attrs, "hidden") ||
  attrs["aria-hidden"] === "true" ||
  /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)/i.test(attrs["style"] ?? "")

/** Text whose only markup is character references: `&amp;`, `&#x27;`. */
export function withoutEntities(text: string): string {
  let plain = ""
  const parser = new Parser({ ontext: (piece) => void (plain += piece) })
  parser.end(text.replaceAll("<", "&lt;"))
  return plain
}
