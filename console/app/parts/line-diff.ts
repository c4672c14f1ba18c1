// What differs between two texts, line by line: the shortest way from one to the other, for texts of the size that a person reads.

export interface DiffLine {
  readonly kind: "same" | "del" | "add"
  readonly text: string
}

/** Beyond this product of lines, all of the middle counts as changed. */
const MAX_CELLS = 1_000_000

export function lineDiff(before: string, after: string): DiffLine[] {
  const [a, b] = [before.split("\n"), after.split("\n")]
  let head = 0
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1
  let tail = 0
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail += 1
  return [
    ...as("same", a.slice(0, head)),
    ...middle(a.slice(head, a.length - tail), b.slice(head, b.length - tail)),
    ...as("same", a.slice(a.length - tail)),
  ]
}

const as = (kind: DiffLine["kind"], lines: readonly string[]): DiffLine[] => lines.map((text) => ({ kind, text }))

function middle(a: readonly string[], b: readonly string[]): DiffLine[] {
  if (a.length * b.length > MAX_CELLS) return [...as("del", a), ...as("add", b)]
  // common[i][j]: lines that a from i and b from j have in common.
  const wide = b.length + 1
  const common = new Uint32Array((a.length + 1) * wide)
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1; j >= 0; j -= 1)
      common[i * wide + j] =
        a[i] === b[j] ? (common[(i + 1) * wide + j + 1] ?? 0) + 1 : Math.max(common[(i + 1) * wide + j] ?? 0, common[i * wide + j + 1] ?? 0)
  const out: DiffLine[] = []
  let [i, j] = [0, 0]
  while (i < a.length || j < b.length) {
    const [left, right] = [a[i], b[j]]
    if (left !== undefined && left === right) {
      out.push({ kind: "same", text: left })
      i += 1
      j += 1
    } else if (left !== undefined && (right === undefined || (common[(i + 1) * wide + j] ?? 0) >= (common[i * wide + j + 1] ?? 0))) {
      out.push({ kind: "del", text: left })
      i += 1
    } else {
      out.push({ kind: "add", text: right ?? "" })
      j += 1
    }
  }
  return out
}

/** Changed lines with this many lines around them; null stands for what is left out. */
export function nearChanges(lines: readonly DiffLine[], around: number): (DiffLine | null)[] {
  const near = new Set<number>()
  for (const [at, { kind }] of lines.entries()) if (kind !== "same") for (let n = at - around; n <= at + around; n += 1) near.add(n)
  const out: (DiffLine | null)[] = []
  for (const [at, line] of lines.entries())
    if (near.has(at)) out.push(line)
    else if (out.at(-1) !== null && out.length > 0 && at < lines.length - 1) out.push(null)
  if (out.at(-1) === null) out.pop()
  return out
}
