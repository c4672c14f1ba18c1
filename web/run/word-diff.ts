// The words that differ between two texts.

export interface Piece {
  readonly text: string
  readonly isChanged: boolean
}

/** A word, a stretch of spaces, or a sign. */
const TOKEN = /\s+|[\p{L}\p{N}_.-]+|[^\s\p{L}\p{N}_]/gu
/** Of pairs of words that are compared: beyond it, all between the common beginning and end counts as changed. */
const MOST_PAIRS = 1_000_000

export function wordDiff(a: string, b: string): readonly [a: readonly Piece[], b: readonly Piece[]] {
  const [one, other] = [a.match(TOKEN) ?? [], b.match(TOKEN) ?? []]
  let start = 0
  while (start < one.length && start < other.length && one[start] === other[start]) start++
  let end = 0
  while (end < one.length - start && end < other.length - start && one.at(-1 - end) === other.at(-1 - end)) end++
  const middle = [one.slice(start, one.length - end), other.slice(start, other.length - end)] as const
  const [ofA, ofB] = middle[0].length * middle[1].length > MOST_PAIRS ? [new Set<number>(), new Set<number>()] : common(...middle)
  return [piecesOf(one, { start, end, kept: ofA }), piecesOf(other, { start, end, kept: ofB })]
}

/** The indexes of a longest common row of words, in each. */
function common(a: readonly string[], b: readonly string[]): readonly [Set<number>, Set<number>] {
  const width = b.length + 1
  const lengths = new Uint32Array((a.length + 1) * width)
  const at = (i: number, j: number): number => lengths[i * width + j] ?? 0
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      lengths[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
  const found = [new Set<number>(), new Set<number>()] as const
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    if (a[i] === b[j]) {
      found[0].add(i++)
      found[1].add(j++)
    } else if (at(i + 1, j) >= at(i, j + 1)) i++
    else j++
  }
  return found
}

interface Kept {
  readonly start: number
  readonly end: number
  readonly kept: ReadonlySet<number>
}

function piecesOf(tokens: readonly string[], { start, end, kept }: Kept): Piece[] {
  const pieces: { text: string; isChanged: boolean }[] = []
  for (const [i, text] of tokens.entries()) {
    const isChanged = i >= start && i < tokens.length - end && !kept.has(i - start)
    const last = pieces.at(-1)
    if (last?.isChanged === isChanged) last.text += text
    else pieces.push({ text, isChanged })
  }
  return joined(pieces)
}

/** Spaces between two words that differ are no place where they are alike. */
function joined(pieces: readonly Piece[]): Piece[] {
  const all: { text: string; isChanged: boolean }[] = []
  for (const [at, { text, isChanged }] of pieces.entries()) {
    const last = all.at(-1)
    const isBetween = text.trim() === "" && last?.isChanged === true && pieces[at + 1]?.isChanged === true
    if (last && (isBetween || last.isChanged === isChanged)) last.text += text
    else all.push({ text, isChanged })
  }
  return all
}
