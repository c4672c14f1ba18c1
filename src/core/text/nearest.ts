// Finds the known name closest to a wrong one for "did you mean", if any is close enough.

/** The nearest name. Its edit distance (a swap counts 1, case is ignored) is at most a third of the longer name; ties go to the first. */
export const nearest = (word: string, known: Iterable<string>): string | undefined => nearestWithin(word, known, 3)

/** The name that differs by one edit. */
export const oneEditFrom = (word: string, known: Iterable<string>): string | undefined =>
  nearestWithin(word, known, Number.POSITIVE_INFINITY)

/** `share`: one edit for so many characters of the longer name, and at least one. */
function nearestWithin(word: string, known: Iterable<string>, share: number): string | undefined {
  const wanted = fold(word)
  const letters = lettersOf(wanted)
  let best: string | undefined
  let least = Number.POSITIVE_INFINITY
  for (const name of known) {
    const other = fold(name)
    if (other === "") continue
    const max = Math.min(least - 1, Math.max(1, Math.floor(Math.max(wanted.length, other.length) / share)))
    // One edit changes the set of letters by two at most.
    if (Math.abs(wanted.length - other.length) > max || bitsOf(letters ^ lettersOf(other)) > 2 * max) continue
    const d = distance(wanted, other, max)
    if (d > max) continue
    best = name
    least = d
  }
  return best
}

// Long names are cut to 64 characters: typos are rarely beyond that, and the table below is quadratic.
export const fold = (name: string): string => name.slice(0, 64).toLowerCase()

/** One bit for each letter in the name, some letters sharing one. */
function lettersOf(folded: string): number {
  let letters = 0
  for (let i = 0; i < folded.length; i++) letters |= 1 << (folded.charCodeAt(i) & 31)
  return letters
}

function bitsOf(word: number): number {
  let count = 0
  for (let rest = word; rest !== 0; rest &= rest - 1) count++
  return count
}

/** Exact up to `max`; greater than `max` if the distance is. Only cells within `max` of the diagonal can matter. */
function distance(a: string, b: string, max: number): number {
  const far = max + 1
  let before: number[] = []
  let leastBefore = 0
  let last = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row: number[] = Array.from({ length: b.length + 1 }, () => far)
    row[0] = i
    let least = i <= max ? i : far
    for (let j = Math.max(1, i - max); j <= Math.min(b.length, i + max); j++) {
      const same = a[i - 1] === b[j - 1]
      let d = Math.min((last[j] ?? far) + 1, (row[j - 1] ?? far) + 1, (last[j - 1] ?? far) + (same ? 0 : 1))
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) d = Math.min(d, (before[j - 2] ?? far) + 1)
      row[j] = d
      least = Math.min(least, d)
    }
    // A swap reaches back two rows.
    if (least > max && leastBefore > max) return far
    leastBefore = least
    before = last
    last = row
  }
  return last[b.length] ?? far
}
