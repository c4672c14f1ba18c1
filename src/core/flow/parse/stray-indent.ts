// Finds lines of a YAML text that are indented differently than the lines that they belong to. The parser reports such a line at the line
// before it, and advises quotes.

export interface StrayLine {
  /** From 0. */
  readonly line: number
  readonly indent: number
  /** The spaces that it probably should have. */
  readonly meant: number
}

interface Level {
  readonly indent: number
  readonly isItem: boolean
}

const ENTRY = /^(?:- |-$|["']?[\w.-]+["']?:(?:\s|$))/

/** Only lines that begin with a key or a dash: others may go on with the text above them. */
export function strayLines(text: string): readonly StrayLine[] {
  const found: StrayLine[] = []
  let levels: Level[] = []
  let opens = true
  /** The lines of a text after `|` or `>` are indented more than its key. */
  let textBelow: number | undefined
  for (const [line, whole] of text.split("\n").entries()) {
    const indent = whole.length - whole.trimStart().length
    const rest = whole.trim()
    if (rest === "" || rest.startsWith("#") || (textBelow !== undefined && indent > textBelow)) continue
    textBelow = undefined
    if (!ENTRY.test(rest)) {
      opens = false
      continue
    }
    const isItem = rest.startsWith("-")
    const left = levels.filter((level) => level.indent <= indent)
    const isKnown = left.some((level) => level.indent === indent)
    const goesDeeper = left.length === levels.length && opens
    if (!isKnown && !goesDeeper) {
      const meant = nearestLevel(levels, indent, isItem)
      if (meant !== undefined) found.push({ line, indent, meant })
      opens = /[:|>-]$/.test(rest)
      continue
    }
    levels = isKnown ? left : [...left, { indent, isItem }]
    // What follows the dash is a level of its own.
    const inner = isItem ? /^-( +)(?=\S)/.exec(rest)?.[1]?.length : undefined
    if (inner !== undefined) levels.push({ indent: indent + 1 + inner, isItem: false })
    opens = /(?::|^-|: *[|>][-+\d]*)(?:\s+#.*)?$/.test(rest)
    if (/[|>][-+\d]*(?:\s+#.*)?$/.test(rest)) textBelow = indent
  }
  return found
}

function nearestLevel(levels: readonly Level[], indent: number, isItem: boolean): number | undefined {
  const fit = levels.filter((level) => level.isItem === isItem).map((level) => level.indent)
  return fit.toSorted((a, b) => Math.abs(a - indent) - Math.abs(b - indent) || b - a)[0]
}
