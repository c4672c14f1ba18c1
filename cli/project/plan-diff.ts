// Words how the texts of a plan's files differ from those of the server: unified diffs, bounded in lines. Pure.

import { plain } from "../../local/show-run.ts"
import { unifiedDiff, type DiffBudget } from "../../src/core/text/line-diff.ts"

type Texts = ReadonlyMap<string, string>

/** Comparisons of lines, over all files. */
const MOST_STEPS = 2_000_000
/** Lines of a file, and of all files; `--full` shows every line. */
const MOST_OF_FILE = 40
const MOST_LINES = 200

/** Path → hunks of a unified diff, from the server's text to the folder's. */
export function diffsOf(paths: readonly string[], { ours, theirs }: { readonly ours: Texts; readonly theirs: Texts }): Texts {
  const budget: DiffBudget = { left: MOST_STEPS }
  return new Map(paths.map((path) => [path, unifiedDiff(theirs.get(path) ?? "", ours.get(path) ?? "", budget)]))
}

/** The lines below a file's path. One after the other, because the files share the bound. */
export class DiffLines {
  readonly #diffs: Texts
  readonly #isFull: boolean
  readonly #hasColor: boolean
  #left = MOST_LINES

  constructor(diffs: Texts, { isFull, hasColor }: { readonly isFull: boolean; readonly hasColor: boolean }) {
    this.#diffs = diffs
    this.#isFull = isFull
    this.#hasColor = hasColor
  }

  of(path: string): readonly string[] {
    const lines = (this.#diffs.get(path) ?? "").split("\n").slice(0, -1)
    const most = this.#isFull ? lines.length : Math.min(MOST_OF_FILE, this.#left)
    this.#left -= Math.min(most, lines.length)
    const more = lines.length - most
    const shown = lines.slice(0, most).map((line) => `    ${this.#painted(plain(line))}`)
    return more > 0 ? [...shown, `    … ${more} more ${more === 1 ? "line" : "lines"}: --full`] : shown
  }

  #painted(line: string): string {
    const code = CODES[line.charAt(0)]
    return this.#hasColor && code !== undefined ? `\u001B[${code}m${line}\u001B[0m` : line
  }
}

/** Green, red and cyan, as git paints them. */
const CODES: Readonly<Record<string, number>> = { "+": 32, "-": 31, "@": 36 }
