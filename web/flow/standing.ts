// Says which diagnostics stand in boxes between the lines, so that none moves the line that somebody types: while one types, a new box appears below
// that line alone, and a box above it keeps its place until the cursor goes elsewhere.

interface Told {
  readonly code?: string
  readonly message: string
}

/** `isGone`: it holds no longer, and keeps its height. */
export interface Standing<P> {
  readonly problem: P
  readonly line: number
  readonly isGone: boolean
}

interface Seen<P> {
  readonly problem: P
  readonly line: number
}

/** `typing`: the line that somebody types; undefined: nobody does. */
export function standing<P extends Told>(
  before: readonly Standing<P>[],
  seen: readonly Seen<P>[],
  typing: number | undefined,
): readonly Standing<P>[] {
  if (typing === undefined) return seen.map((one) => ({ ...one, isGone: false }))
  const above = before.flatMap((box) => {
    if (box.line >= typing) return []
    const still = seen.find(({ line, problem }) => line === box.line && isSame(problem, box.problem))
    return still ? { ...still, isGone: false } : { ...box, isGone: true }
  })
  return [...above, ...seen.flatMap((one) => (one.line > typing ? { ...one, isGone: false } : []))]
}

const isSame = (one: Told, other: Told): boolean => one.code === other.code && one.message === other.message
