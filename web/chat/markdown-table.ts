// Parses a Markdown table: a header row, a row of dashes with as many cells, then rows until a line has no bar. Missing cells are empty;
// cells beyond the header are dropped.

interface Table {
  readonly heads: readonly string[]
  /** Of each column: whether its cells stand at the right, as numbers do. */
  readonly atEnd: readonly boolean[]
  readonly rows: readonly (readonly string[])[]
  /** Of its lines. */
  readonly last: number
}

const DASHES = /^ {0,3}\|?(?: *:?-+:? *\|)* *:?-+:? *\|? *$/
/** Columns of a table; a wider one stays text. */
const MOST_COLUMNS = 50

export function tableAt(lines: readonly string[], at: number): Table | undefined {
  const below = lines[at + 1] ?? ""
  if (!below.includes("-") || !below.includes("|") || !DASHES.test(below)) return undefined
  const [heads, dashes] = [cellsOf(lines[at] ?? ""), cellsOf(below)]
  if (heads.length !== dashes.length || heads.length > MOST_COLUMNS) return undefined
  const rows: string[][] = []
  let last = at + 1
  while ((lines[last + 1] ?? "").includes("|")) {
    last += 1
    const cells = cellsOf(lines[last] ?? "")
    rows.push(heads.map((_, column) => cells[column] ?? ""))
  }
  const atEnd = dashes.map((one) => one.endsWith(":") && !one.startsWith(":"))
  return { heads, atEnd, rows, last }
}

/** A bar behind a backslash is a part of its cell. */
function cellsOf(line: string): string[] {
  const inner = line.trim().replace(/^\|/, "")
  const cells = [""]
  for (let at = 0; at < inner.length; at += 1) {
    const char = inner[at] ?? ""
    if (char === "\\" && inner[at + 1] === "|") {
      cells[cells.length - 1] += "|"
      at += 1
    } else if (char === "|") cells.push("")
    else cells[cells.length - 1] += char
  }
  if (cells.length > 1 && cells.at(-1)?.trim() === "") cells.pop()
  return cells.map((cell) => cell.trim())
}
