// Computes the line-by-line difference of two texts as the hunks of a unified diff. The work is bounded: a diff that would exceed its
// budget becomes one removed block and one added block, which is also correct, only longer.

/** The steps left, shared by all files of one answer. A step is a comparison of two lines. */
export interface DiffBudget {
  left: number
}

/** Unchanged lines shown around a change. */
const CONTEXT = 3
/** The trace of 1,000 edits takes 4 MB. */
const MAX_EDITS = 1000 // limit: edits of a comparison → the texts are shown as wholly different

interface Edit {
  readonly sign: " " | "-" | "+"
  readonly line: string
}

/** "" for equal texts. A last line without a newline is followed by `\ No newline at end of file`. */
export function unifiedDiff(before: string, after: string, budget: DiffBudget): string {
  if (before === after) return ""
  const a = linesOf(before)
  const b = linesOf(after)
  let start = 0
  while (start < a.length && start < b.length && a[start] === b[start]) start++
  let end = 0
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++
  budget.left -= start + end
  // Only lines that a hunk may show become edits; the other lines of the common start and end are counted, not copied.
  const lead = Math.max(0, start - CONTEXT)
  const same = (line: string): Edit => ({ sign: " ", line })
  const edits = [
    ...a.slice(lead, start).map(same),
    ...middle(a.slice(start, a.length - end), b.slice(start, b.length - end), budget),
    ...a.slice(a.length - end, a.length - end + CONTEXT).map(same),
  ]
  return hunksOf(edits, lead)
}

/** Each line includes its newline, so only the last line can lack one. */
const linesOf = (text: string): string[] => (text === "" ? [] : text.split(/(?<=\n)/))

function middle(a: readonly string[], b: readonly string[], budget: DiffBudget): Edit[] {
  const edits: Edit[] = []
  let x = 0
  let y = 0
  const until = (toX: number, toY: number): void => {
    for (; x < toX; x++) edits.push({ sign: "-", line: a[x] ?? "" })
    for (; y < toY; y++) edits.push({ sign: "+", line: b[y] ?? "" })
  }
  for (const [i, j] of commonLines(a, b, budget)) {
    until(i, j)
    edits.push({ sign: " ", line: a[i] ?? "" })
    x++
    y++
  }
  until(a.length, b.length)
  return edits
}

/** As many pairs of equal lines in order as possible (Myers 1986); none when the budget runs out first. */
function commonLines(before: readonly string[], after: readonly string[], budget: DiffBudget): readonly (readonly [number, number])[] {
  const numbers = new Map<string, number>()
  const numbered = (lines: readonly string[]): number[] =>
    lines.map((line) => {
      const number = numbers.get(line) ?? numbers.size
      numbers.set(line, number)
      return number
    })
  const a = numbered(before)
  const b = numbered(after)
  // trace[d] contains, for each diagonal k = x − y from −d to d, the farthest x that d edits reach.
  const trace: Int32Array[] = []
  const at = (d: number, k: number): number => trace[d]?.[k + d] ?? -1
  const cameDown = (d: number, k: number): boolean => k === -d || (k !== d && at(d - 1, k - 1) < at(d - 1, k + 1))
  for (let d = 0; d <= Math.min(a.length + b.length, MAX_EDITS) && budget.left > 0; d++) {
    const row = new Int32Array(2 * d + 1)
    trace.push(row)
    for (let k = -d; k <= d; k += 2) {
      let x = d === 0 ? 0 : cameDown(d, k) ? at(d - 1, k + 1) : at(d - 1, k - 1) + 1
      const from = x
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++
      row[k + d] = x
      budget.left -= 1 + x - from
      if (k === a.length - b.length && x >= a.length) return wayBack(d)
    }
  }
  return []

  function wayBack(edits: number): [number, number][] {
    const pairs: [number, number][] = []
    let x = a.length
    let y = b.length
    for (let d = edits; d >= 0; d--) {
      const k = x - y
      const previous = d === 0 ? 0 : cameDown(d, k) ? k + 1 : k - 1
      const fromX = d === 0 ? 0 : at(d - 1, previous)
      const fromY = fromX - previous
      while (x > fromX && y > fromY && x > 0 && y > 0) pairs.push([--x, --y])
      x = fromX
      y = fromY
    }
    return pairs.reverse()
  }
}

function hunksOf(edits: readonly Edit[], skipped: number): string {
  const shown = edits.map(() => false)
  edits.forEach((edit, i) => {
    if (edit.sign !== " ") shown.fill(true, Math.max(0, i - CONTEXT), i + CONTEXT + 1)
  })
  const out: string[] = []
  let old = skipped
  let fresh = skipped
  for (let i = 0; i < edits.length;) {
    let j = i
    while (j < edits.length && shown[j] === shown[i]) j++
    const part = edits.slice(i, j)
    const removed = part.filter((e) => e.sign !== "+").length
    const added = part.filter((e) => e.sign !== "-").length
    if (shown[i]) {
      out.push(`@@ -${range(old, removed)} +${range(fresh, added)} @@\n`)
      for (const edit of part) out.push(lineOf(edit))
    }
    old += removed
    fresh += added
    i = j
  }
  return out.join("")
}

const lineOf = ({ sign, line }: Edit): string => (line.endsWith("\n") ? sign + line : `${sign}${line}\n\\ No newline at end of file\n`)

/** Counts as `diff -u` does: an empty range is given by the line before it. */
const range = (skipped: number, length: number): string =>
  length === 1 ? `${skipped + 1}` : `${length === 0 ? skipped : skipped + 1},${length}`
