// "Did you mean": the known name closest to a wrong one, if any is close enough to suggest.

/** The edit distance (a swap of neighbors counts 1, case is ignored) is at most a third of the longer name; ties go to the first name. */
export function nearest(word: string, known: Iterable<string>): string | undefined {
  const wanted = fold(word)
  let best: string | undefined
  let least = Number.POSITIVE_INFINITY
  for (const name of known) {
    const other = fold(name)
    const max = Math.max(1, Math.floor(Math.max(wanted.length, other.length) / 3))
    if (Math.abs(wanted.length - other.length) > max) continue
    const d = distance(wanted, other)
    if (d <= max && d < least) {
      best = name
      least = d
    }
  }
  return best
}

// Long names are cut to 64 characters: typos are rarely beyond that, and the table below is quadratic.
const fold = (name: string): string => name.slice(0, 64).toLowerCase()

function distance(a: string, b: string): number {
  let before: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      let d = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (same ? 0 : 1))
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) d = Math.min(d, (before[j - 2] ?? 0) + 1)
      row.push(d)
    }
    before = last
    last = row
  }
  return last[b.length] ?? 0
}
